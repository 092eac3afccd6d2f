// Installs the programs with npm into an empty prefix, and goes from nothing to the first error of nginx. Then it
// starts the new server on data of a released version. The dependencies come from the npm registry of this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { restoreFixture } from '../../apps/server/test/fixtures/fixture.ts';
import { OUTSIDE, tarballs } from '../../scripts/release/release-folder.ts';
import { check, needPrograms, Skip, secondsSince } from './check.ts';
import { checkFirstError } from './first-error.ts';
import { freePort, type Installation, runHere, succeed } from './installation.ts';
import { checkReleasedData, KEEP_ALL, RELEASED } from './released-data.ts';

/** A server that was started with `quarterdeckd`. */
interface Served extends Installation {
  stop(): Promise<number | null>;
}

/** The environment of a new user: an empty home, and the installed programs in the path. */
const cleanEnv = (base: string, home: string): NodeJS.ProcessEnv => ({
  PATH: `${join(base, 'prefix/bin')}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
  HOME: home,
  QUARTERDECK_KEYRING: 'off',
});

async function serve(base: string, home: string, settings: Readonly<Record<string, number>> = {}): Promise<Served> {
  const env = cleanEnv(base, home);
  const [port, syslogPort] = [await freePort(), await freePort()];
  const values = { ...settings, port, syslog_port: syslogPort };
  const variables = Object.entries(values).map(([key, value]) => [`QUARTERDECK_${key.toUpperCase()}`, String(value)]);
  const server: ChildProcess = spawn('quarterdeckd', [], {
    cwd: home,
    env: { ...env, ...Object.fromEntries(variables) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(server, 'exit').then(([code]) => code as number | null);
  let log = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  const run: Installation['run'] = (argv, input) => runHere(argv, input, { env, cwd: home });
  return {
    url: `http://127.0.0.1:${port}`,
    syslogPort,
    run,
    quarterdeck: (args, input) => run(['quarterdeck', ...args], input),
    serverLog: () => log,
    stop: () => {
      server.kill('SIGTERM');
      return ended;
    },
  };
}

async function withServer(served: Served, use: (served: Served) => Promise<void>): Promise<void> {
  try {
    await use(served);
  } finally {
    check((await served.stop()) === 0, 'the server stops');
  }
}

function newHome(base: string, name: string): string {
  const home = join(base, name);
  mkdirSync(home);
  return home;
}

/** The test `npm`. */
export async function testNpm(): Promise<void> {
  needPrograms('npm', 'nginx');
  const packages = tarballs('server', 'cli', 'agent');
  if (packages.length === 0) throw new Skip('release/ is empty; run pnpm release:pack');
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-npm-'));
  try {
    const startMs = performance.now();
    const install = [
      'npm',
      'install',
      '--global',
      '--prefix',
      join(base, 'prefix'),
      '--no-audit',
      '--no-fund',
      ...packages,
    ];
    const node = `${dirname(process.execPath)}:${process.env['PATH']}`;
    succeed((argv) => runHere(argv, '', { env: { ...OUTSIDE, PATH: node }, cwd: base }), install);
    check(true, `npm install --global: ${secondsSince(startMs)}`);
    const home = newHome(base, 'home');
    const { status, stdout } = runHere(['quarterdeck-agent', '--version'], '', { env: cleanEnv(base, home) });
    check(status === 0, `quarterdeck-agent --version: ${stdout.trim()}`);
    await withServer(await serve(base, home), checkFirstError);
    check(true, `from nothing to the first error with npm: ${secondsSince(startMs)}`);

    const old = newHome(base, 'old');
    mkdirSync(join(old, 'data'), { mode: 0o700 });
    await restoreFixture(RELEASED, join(old, 'data'), undefined);
    await withServer(await serve(base, old, KEEP_ALL), checkReleasedData);
  } finally {
    rmSync(base, { recursive: true });
  }
}
