// Runs the built server as `pnpm start` does, in its own folder and on its own ports, for scripts that attack it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, type PostgresServer, startPostgres } from '../../packages/core/test/postgres.ts';

const PASSWORD = randomUUID();
const SERVE = fileURLToPath(new URL('../../apps/server/bin/quarterdeckd', import.meta.url));

/** Databases that a script can run on. */
export const DATABASES = ['sqlite', 'postgresql'] as const;

/** A running server. */
export interface BuiltServer extends AsyncDisposable {
  readonly port: number;
  readonly syslogPort: number;
  /** A session token of the administrator. */
  readonly token: string;
  readonly memory: Memory;
  /** Milliseconds since the start for which the main thread ran, and for which it waited for a processor. */
  mainThreadMs(): { ran: number; queued: number };
}

/** Memory of a process in megabytes, as Linux counts it. */
export interface Memory {
  resident(): number;
  /** Maximum since the last call of `resetPeak`. */
  peak(): number;
  resetPeak(): void;
}

/**
 * Starts a server and signs in.
 *
 * @param build folder with `apps/server/dist`; `apps/server/bin/quarterdeckd` of that folder runs it
 */
export async function startBuiltServer(
  database: (typeof DATABASES)[number],
  build: string | undefined,
): Promise<BuiltServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-fault-'));
  const postgres = database === 'postgresql' ? await startPostgres() : undefined;
  const [port, syslogPort] = [await freePort(), await freePort()];
  const child = spawn(build === undefined ? SERVE : resolve(build, 'apps/server/bin/quarterdeckd'), [], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      QUARTERDECK_PORT: String(port),
      QUARTERDECK_SYSLOG_PORT: String(syslogPort),
      QUARTERDECK_DATA_DIR: dataDir,
      QUARTERDECK_DATABASE_URL: (await postgres?.createDatabase()) ?? '',
      QUARTERDECK_LOG_LEVEL: 'error',
      QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
    },
  });
  const dispose = () => stop(child, postgres, dataDir);
  try {
    await waitUntilReady(child, port);
    const token = await signIn(port);
    const mainThreadMs = () => mainThreadOf(child.pid);
    return { port, syslogPort, token, memory: memoryOf(child.pid), mainThreadMs, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function waitUntilReady(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('the server did not start');
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await delay(50);
  }
}

async function signIn(port: number): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password: PASSWORD });
  const answer = await fetch(`http://127.0.0.1:${port}/admin-api/user/login`, { method: 'POST', body });
  return ((await answer.json()) as { data: { token: string } }).data.token;
}

async function stop(child: ChildProcess, postgres: PostgresServer | undefined, dataDir: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function memoryOf(pid: number | undefined): Memory {
  const read = (name: string) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  };
  return {
    resident: () => read('VmRSS'),
    peak: () => read('VmHWM'),
    resetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
  };
}

function mainThreadOf(pid: number | undefined): { ran: number; queued: number } {
  const [ran, queued] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return { ran: Number(ran) / 1e6, queued: Number(queued) / 1e6 };
}
