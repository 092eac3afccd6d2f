// The world of a user of a release: folders outside of the repository, npm, and a server from its tarball.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OUTSIDE } from './release-folder.ts';

/** Password of the first user. */
export const PASSWORD = 'a password of the release check';

/** Puts a Node first in the path, where the programs look for one. */
export const withNode = (folder: string) => ({ ...OUTSIDE, PATH: `${folder}:${process.env['PATH']}` });

const failures: string[] = [];
/** Prints a result, and remembers a failure for the exit code. */
export function check(ok: boolean, what: string): void {
  console.log(`${ok ? 'ok  ' : 'FAIL'}  ${what}`);
  if (!ok) failures.push(what);
}

/** Installs packages with npm into a folder, as a user would. */
export function npmInstall(folder: string, packages: readonly string[]): void {
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages];
  execFileSync('npm', args, { cwd: folder, env: OUTSIDE });
}

/** Installs packages into a new folder below `base`. */
export function install(base: string, name: string, packages: readonly string[]): string {
  const folder = join(base, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}\n');
  npmInstall(folder, packages);
  return folder;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export interface Served {
  readonly url: string;
  stop(): Promise<number | null>;
}

/** Starts a server with a program, on a Node, and resolves when it is ready. */
export async function serve(
  program: string,
  node: string,
  dataDir: string,
  settings: NodeJS.ProcessEnv = {},
): Promise<Served> {
  const port = await freePort();
  const child = spawn(program, [], {
    env: {
      ...withNode(node),
      QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
      QUARTERDECK_DATA_DIR: dataDir,
      QUARTERDECK_PORT: String(port),
      QUARTERDECK_SYSLOG_PORT: 'off',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('"ready"')) resolve();
    });
    ended.then((code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Runs checks in a new folder outside of the repository, and sets the exit code. */
export async function runOutside(main: (base: string) => Promise<void>): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-release-check-'));
  try {
    await main(base);
  } finally {
    rmSync(base, { recursive: true });
  }
  process.exitCode = failures.length === 0 ? 0 : 1;
}
