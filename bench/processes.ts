// Starts the programs under test and reads their resource use.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Program {
  readonly url: string;
  /** Milliseconds from its start to its first successful answer. */
  readonly readyMs: number;
  /** Resident memory in MB. */
  memoryMb(): number;
  /** Processor time since its start in microseconds, its own and the kernel's for it. */
  cpuUs(): number;
  /** Processor time of the processes of its database in microseconds, where it has some. */
  readonly databaseCpuUs?: () => number;
  stop(): Promise<void>;
}

// A failed bench must leave nothing behind.
const children = new Set<ChildProcess>();
const folders: string[] = [];
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder that is removed when the bench ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-bench-'));
  folders.push(folder);
  return folder;
}

/** Resident memory in MB, and its parts. */
export interface Memory {
  readonly all: number;
  /** Memory of the program itself. */
  readonly anonymous: number;
  /** Mapped files, mostly the runtime; the page cache decides how much of them counts. */
  readonly files: number;
}

function memory(child: ChildProcess): Memory {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const mb = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { all: mb('VmRSS'), anonymous: mb('RssAnon'), files: mb('RssFile') };
}

const TICK_US = 10_000;

/** Processor times of a process, and of its children that have ended, in microseconds. */
export function processTimes(pid: number | 'self' | undefined): { readonly ownUs: number; readonly endedUs: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may contain anything. The 3rd field and the following come after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const us = (user: number, system: number) => (Number(fields[user]) + Number(fields[system])) * TICK_US;
  return { ownUs: us(11, 12), endedUs: us(13, 14) };
}

/** Processor time of processes in microseconds, with their ended children. A process that has ended adds nothing. */
export function cpuUsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      const { ownUs, endedUs } = processTimes(pid);
      return sum + ownUs + endedUs;
    } catch {
      return sum;
    }
  }, 0);
}

/** Reads the resource use of a running child. */
const watch = (child: ChildProcess) => ({
  memoryMb: () => memory(child).all,
  memory: () => memory(child),
  cpuUs: () => processTimes(child.pid).ownUs,
  stop: () => stop(child),
});

async function stop(child: ChildProcess): Promise<void> {
  children.delete(child);
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Password of the administrator of every server started here. */
export const ADMIN_PASSWORD = 'bench password of no value';

/** Program of the server; BENCH_SERVER names another one. */
const SERVER = process.env['BENCH_SERVER'] ?? `${root}apps/server/bin/quarterdeckd`;

/** Starts the built server as `pnpm start` does, on a data folder or on PostgreSQL, optionally with more settings. */
export async function startServer(
  dataDir: string,
  databaseUrl?: string,
  settings: Record<string, string> = {},
): Promise<Program> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(SERVER, [], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      QUARTERDECK_PORT: String(port),
      QUARTERDECK_DATA_DIR: dataDir,
      QUARTERDECK_SYSLOG_PORT: 'off',
      QUARTERDECK_ADMIN_PASSWORD: ADMIN_PASSWORD,
      QUARTERDECK_LOG_LEVEL: 'warn',
      QUARTERDECK_NEW_GROUPS_PER_MINUTE: '1000000',
      ...(databaseUrl === undefined ? {} : { QUARTERDECK_DATABASE_URL: databaseUrl }),
      ...settings,
    },
  });
  children.add(child);
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error('the server did not start');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const readyMs = Math.round(performance.now() - startedAt);
  return { url, readyMs, ...watch(child) };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** The command of the bundled agent, which is what hosts run, with these flags of node. */
export const builtAgent = (...flags: readonly string[]): readonly string[] => [
  process.execPath,
  ...flags,
  `${root}apps/agent/dist/quarterdeck-agent.mjs`,
];

/** Starts an agent by its command. */
export function startAgent([program = '', ...args]: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.add(child);
  return watch(child);
}

/** Starts bare Express with a constant body for each size. */
export const startBareExpress = (sizes: readonly number[]): Promise<Program> =>
  startBare('bare-express.ts', sizes.map(String));

/** Starts plain `node:http` with one statement on PostgreSQL for each path. */
export const startBarePg = (url: string, statements: Readonly<Record<string, string>>): Promise<Program> =>
  startBare('bare-pg.ts', [url, JSON.stringify(statements)]);

/** Starts a script of this folder that prints its port. */
async function startBare(script: string, args: readonly string[]): Promise<Program> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [`${root}bench/${script}`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  children.add(child);
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const readyMs = Math.round(performance.now() - startedAt);
  return { url: `http://127.0.0.1:${port}`, readyMs, ...watch(child) };
}
