// Builds the image without a registry, and runs it as a cautious user would: another user than root, a root file system
// that is read-only, no capabilities, one volume. From nothing to the first error of nginx; stops and kills keep the
// data.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifest } from '../../scripts/release/packages.ts';
import { RELEASE, ROOT } from '../../scripts/release/release-folder.ts';
import { freePort } from '../free-port.ts';
import { check, needPrograms, needRoot, Skip, secondsSince } from './check.ts';
import { type Container, type Engine, openEngine } from './container-engine.ts';
import { checkFirstError, listErrors } from './first-error.ts';
import { type Installation, runHere, succeed, variablesOf, waitFor, waitUntilReady } from './installation.ts';

const { version } = readManifest(join(ROOT, 'apps/server'));
const IMAGE = `localhost/quarterdeck:${version}`;
const ARCHIVE = join(RELEASE, `quarterdeck-${version}-linux-x64.tar.gz`);
const IMAGE_FILE = join(RELEASE, `quarterdeck-${version}-image-linux-x64.tar.gz`);
/** User of the image. */
const USER = 10_001;
const IMAGE_MAX_MB = 250;
const COMPRESSED_MAX_MB = 90;
const VOLUME = 'data';

/** A container with the server, as an installation. */
interface Served extends Installation {
  readonly container: Container;
}

/** Builds the image, and loads it from its file as a user would. */
function loadImage(engine: Engine, base: string): void {
  const startMs = performance.now();
  const { status, stderr } = runHere([process.execPath, join(ROOT, 'scripts/release/image.ts')], '', {
    env: engine.env,
  });
  if (status !== 0) throw new Error(`the image was not built:\n${stderr}`);
  check(true, `builds a base and the image: ${secondsSince(startMs)}`);
  succeed(engine.podman, ['rmi', '--all', '--force']);
  const tar = join(base, 'image.tar');
  // Podman 4.3 loses bytes of compressed archives.
  succeed(runHere, ['sh', '-c', 'gunzip --stdout "$0" > "$1"', IMAGE_FILE, tar]);
  succeed(engine.podman, ['load', '--quiet', '--input', tar]);
  rmSync(tar);
  const size = Number(succeed(engine.podman, ['image', 'inspect', '--format', '{{.Size}}', IMAGE]));
  for (const [bytes, max, what] of [
    [size, IMAGE_MAX_MB, 'the image'],
    [statSync(IMAGE_FILE).size, COMPRESSED_MAX_MB, 'the compressed image'],
  ] as const) {
    check(bytes <= max * 1e6, `${what} has ${(bytes / 1e6).toFixed(0)} MB, at most ${max}`);
  }
}

/** The engine and the ports of all containers of the test: the command line signs in once, at one address. */
interface Host {
  readonly engine: Engine;
  readonly port: number;
  readonly syslogPort: number;
}

function serve({ engine, port, syslogPort }: Host, name: string, settings: object = {}): Served {
  const variables = variablesOf({ ...settings, port, syslog_port: syslogPort });
  const container = engine.run(name, IMAGE, { volume: VOLUME, variables });
  return {
    container,
    url: `http://127.0.0.1:${port}`,
    syslogPort,
    quarterdeck: (args, input) => container.exec(['quarterdeck', ...args], input),
    // The container has the network of this machine.
    run: runHere,
    serverLog: () => container.log(),
    isRunning: () => container.exec(['true']).status === 0,
  };
}

function checkConfinement(engine: Engine, { exec, name }: Container): void {
  const id = succeed(exec, ['id', '-u']).trim();
  check(id === String(USER), `the server is user ${id}`);
  check(exec(['touch', '/opt/quarterdeck/new']).status !== 0, 'the root file system is read-only');
  const { status, stdout, stderr } = engine.podman(['healthcheck', 'run', name]);
  check(status === 0, `the health check passes${status === 0 ? '' : `: ${stdout}${stderr}`}`);
  const { stdout: health } = exec(['quarterdeckd', 'health']);
  check(health.endsWith('is ready\n'), `quarterdeckd health: ${health.trim()}`);
}

/** Stops a container whose drain takes long: it answers until a second signal, then ends with 0. */
async function checkDrain(engine: Engine, { container }: Served): Promise<void> {
  const signal = () => succeed(engine.podman, ['kill', '--signal', 'TERM', container.name]);
  signal();
  const health = await waitFor(
    () => {
      const outcome = container.exec(['quarterdeckd', 'health']);
      return outcome.status !== 0 && outcome;
    },
    () => `the server does not drain:\n${container.log()}`,
  );
  check(health.status === 1, `while it drains: ${health.stderr.trim()}`);
  const { status } = container.exec(['quarterdeckd', 'health', '--live']);
  check(status === 0, 'a server that drains is alive');
  signal();
  checkEnd(engine, container, 'a second SIGTERM');
}

function checkStop(engine: Engine, { container }: Served): void {
  succeed(engine.podman, ['stop', '--time', '30', container.name]);
  checkEnd(engine, container, 'podman stop');
}

function checkEnd({ podman }: Engine, { name }: Container, after: string): void {
  const code = succeed(podman, ['wait', name]).trim();
  check(code === '0', `after ${after} the container ends with ${code}`);
  succeed(podman, ['rm', name]);
}

/** Starts a container again after a kill: the lines it has answered are there. */
async function checkKill(engine: Engine, served: Served, errors: readonly string[]): Promise<void> {
  const { name } = served.container;
  succeed(engine.podman, ['kill', '--signal', 'KILL', name]);
  succeed(engine.podman, ['wait', name]);
  succeed(engine.podman, ['start', name]);
  await waitUntilReady(served);
  checkErrors(served, errors, 'after kill -9 and a new start');
}

function checkErrors(served: Served, expected: readonly string[], when: string): void {
  const found = listErrors(served);
  const missing = expected.filter((text) => !found.includes(text));
  check(missing.length === 0, `${when}: ${expected.length - missing.length} of ${expected.length} errors`);
}

export async function testContainer(): Promise<void> {
  needPrograms('mmdebstrap', 'buildah', 'podman', 'crun', 'unshare', 'nginx');
  needRoot();
  if (!existsSync(ARCHIVE)) throw new Skip('release/ has no archive; run pnpm release:archives --only x64');
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-container-'));
  const engine = openEngine(join(base, 'engine'));
  const host = { engine, port: await freePort(), syslogPort: await freePort() };
  try {
    loadImage(engine, base);
    const startMs = performance.now();
    const first = serve(host, 'first', { drain_s: 600 });
    await checkFirstError(first);
    check(true, `from an image to the first error: ${secondsSince(startMs)}`);
    checkConfinement(engine, first.container);
    const errors = listErrors(first);
    await checkKill(engine, first, errors);
    await checkDrain(engine, first);

    const second = serve(host, 'second');
    await waitUntilReady(second);
    checkErrors(second, errors, 'in a new container on the same volume');
    checkStop(engine, second);
  } finally {
    engine.close();
    rmSync(base, { recursive: true });
  }
}
