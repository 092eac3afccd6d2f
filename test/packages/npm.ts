// Installs the programs with npm into an empty prefix, and goes from nothing to the first error of nginx. The
// dependencies come from the npm registry of this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OUTSIDE, tarballs } from '../../scripts/release/release-folder.ts';
import { freePort } from '../free-port.ts';
import { check, needPrograms, Skip, secondsSince } from './check.ts';
import { checkFirstError } from './first-error.ts';
import { type Installation, runHere, succeed, variablesOf } from './installation.ts';

/** A server that was started with `quarterdeckd`. */
interface Served extends Installation {
  stop(): Promise<number | null>;
}

async function serve(home: string, env: NodeJS.ProcessEnv): Promise<Served> {
  const [port, syslogPort] = [await freePort(), await freePort()];
  const server: ChildProcess = spawn('quarterdeckd', [], {
    cwd: home,
    env: { ...env, ...variablesOf({ port, syslog_port: syslogPort }) },
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
    isRunning: () => server.exitCode === null && server.signalCode === null,
    stop: () => {
      server.kill('SIGTERM');
      return ended;
    },
  };
}

export async function testNpm(): Promise<void> {
  needPrograms('npm', 'nginx');
  const packages = tarballs('server', 'cli', 'agent');
  if (packages.length === 0) throw new Skip('release/ is empty; run pnpm release:pack');
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-npm-'));
  try {
    const startMs = performance.now();
    const node = dirname(process.execPath);
    const prefix = join(base, 'prefix');
    const install = ['npm', 'install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', ...packages];
    const path = `${node}:${process.env['PATH']}`;
    succeed((argv) => runHere(argv, '', { env: { ...OUTSIDE, PATH: path }, cwd: base }), install);
    check(true, `npm install --global: ${secondsSince(startMs)}`);
    const home = join(base, 'home');
    mkdirSync(home);
    // The environment of a new user.
    const env = {
      PATH: `${prefix}/bin:${node}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
      HOME: home,
      QUARTERDECK_KEYRING: 'off',
    };
    const { status, stdout } = runHere(['quarterdeck-agent', '--version'], '', { env });
    check(status === 0, `quarterdeck-agent --version: ${stdout.trim()}`);
    const server = await serve(home, env);
    try {
      await checkFirstError(server);
    } finally {
      check((await server.stop()) === 0, 'the server stops');
    }
    check(true, `from nothing to the first error with npm: ${secondsSince(startMs)}`);
  } finally {
    rmSync(base, { recursive: true });
  }
}
