// Faults of PostgreSQL: it hangs, crashes, is replaced by its standby, or its pooler restarts.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../../../packages/core/test/postgres.ts';
import { findInstalled } from '../../../packages/core/test/postgres-programs.ts';
import { addressOfBoth, runSql, startStandby } from '../../../packages/core/test/postgres-standby.ts';
import { type Server, spawnServer, untilReady } from '../built-server.ts';
import { limitMs } from '../promised-time.ts';
import { type Pooler, startPooler } from './pooler.ts';
import { during, longest, onlyOf, type SteadyLoad, summary, type What, within } from './steady-load.ts';
import { type Fault, type Findings, nameWhen, REFUSALS, underLoad, untilGood } from './under-load.ts';

const USES = ['read', 'write', 'sign-in'] as const satisfies readonly What[];
/** A sign-in takes a second where others use the processor; `afterwards` has them. */
const AT_ONCE = ['read', 'write'] as const satisfies readonly What[];

/** Answers while PostgreSQL was away, from one moment to another. */
function meanwhile(load: SteadyLoad, fromMs: number, toMs: number): Findings {
  const answers = during(load.answers, USES, fromMs, toMs);
  const ready = during(load.answers, ['ready'], fromMs, toMs);
  const health = during(load.answers, ['health'], fromMs, toMs);
  return [
    [
      onlyOf(answers, REFUSALS) && nameWhen(answers) && longest(answers) <= limitMs(5_000),
      `meanwhile: ${summary(answers)}`,
    ],
    [onlyOf(ready, [200, 503]) && longest(ready) <= limitMs(5_000), `readiness: ${summary(ready)}`],
    [onlyOf(health, [200]) && longest(health) <= limitMs(1_000), `health: ${summary(health)}`],
  ];
}

/** Answers from now on, for three seconds. */
async function afterwards(server: Server, load: SteadyLoad): Promise<Findings> {
  await untilReady(server);
  const fromMs = performance.now();
  await delay(3_000);
  const answers = within(load.answers, USES, fromMs, performance.now());
  return [[onlyOf(answers, [200]) && answers.length > 0, `afterwards: ${summary(answers)}`]];
}

/** Compares the answers while PostgreSQL was away, from a moment until now, and those after its return. */
async function back(server: Server, load: SteadyLoad, fromMs: number): Promise<Findings> {
  const toMs = performance.now();
  const backMs = await untilGood(load, toMs, AT_ONCE);
  await delay(Math.max(0, toMs + 3_000 - performance.now()));
  return [
    ...meanwhile(load, fromMs, toMs),
    [backMs <= limitMs(3_000), `reads and writes succeed ${backMs.toFixed(0)} ms after its return`],
    ...(await afterwards(server, load)),
  ];
}

/** Lets PostgreSQL be away by signals, and reports the answers meanwhile. */
const away = (
  name: string,
  promise: string,
  go: (pids: readonly number[], seconds: number) => Promise<void>,
): Fault => ({
  name,
  promise,
  database: 'postgresql',
  run: (place, seconds) =>
    underLoad(
      place,
      async (server, load) => {
        const fromMs = performance.now();
        await go(place.postgres?.processes() ?? [], seconds);
        await place.postgres?.untilReady();
        return await back(server, load, fromMs);
      },
      true,
    ),
});

const HANG_MIN_S = 8;
const signalAll = (pids: readonly number[], signal: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
};

export const postgresHangs = away(
  'postgres-hangs',
  'PostgreSQL hangs: every answer within 5 s, 503 with Retry-After, all good within 3 s of its return, nothing lost',
  async (pids, seconds) => {
    signalAll(pids, 'SIGSTOP');
    // Longer than any answer may take.
    await delay(Math.max(seconds, HANG_MIN_S) * 1_000);
    signalAll(pids, 'SIGCONT');
  },
);

export const postgresCrashes = away(
  'postgres-crashes',
  'PostgreSQL crashes and recovers: every answer within 5 s, 503, all good within 3 s of its return, nothing lost',
  async (pids) => {
    signalAll(pids.slice(-1), 'SIGKILL');
    await delay(500);
  },
);

/** Ends of a primary. */
const ENDS = {
  'cut off from its standby, then killed': async (pids: readonly number[], standbyUrl: string) => {
    await runSql(standbyUrl, "ALTER SYSTEM SET primary_conninfo = ''");
    await runSql(standbyUrl, 'SELECT pg_reload_conf()');
    await delay(1_000);
    signalAll(pids, 'SIGKILL');
  },
  killed: async (pids: readonly number[]) => signalAll(pids, 'SIGKILL'),
  'hanging for good': async (pids: readonly number[]) => signalAll(pids, 'SIGSTOP'),
};
const SHORT_S = 5;

export const standby: Fault = {
  name: 'standby',
  promise: 'the standby is promoted under load: nothing acknowledged is lost, all good within 10 s',
  database: 'postgresql',
  missing: () => (findInstalled() === undefined ? 'PostgreSQL is not installed' : undefined),
  async run({ dataDir }, seconds) {
    const findings: (readonly [kept: boolean, text: string])[] = [];
    const ends = Object.entries(ENDS).slice(0, seconds < SHORT_S ? 1 : undefined);
    for (const [how, end] of ends) {
      const found = await promote(`${dataDir}-${findings.length}`, end);
      findings.push(...found.map(([kept, text]) => [kept, `primary ${how}: ${text}`] as const));
    }
    return findings;
  },
};

/** Replaces a primary by its synchronous standby. */
async function promote(dataDir: string, end: (typeof ENDS)[keyof typeof ENDS]): Promise<Findings> {
  const installed = findInstalled();
  if (installed === undefined) throw new Error('PostgreSQL is not installed.');
  const primary = await startPostgres([], undefined, installed);
  const [postmaster] = primary.processes();
  try {
    const url = await primary.createDatabase();
    const replacement = await startStandby(url, installed, true);
    try {
      return await underLoad(
        { dataDir, databaseUrl: addressOfBoth(url, replacement.url) },
        async (server, load) => {
          const fromMs = performance.now();
          await end(primary.processes(), replacement.url);
          const gone = performance.now();
          await replacement.promote();
          const backMs = await untilGood(load, gone, AT_ONCE);
          const found = meanwhile(load, fromMs, gone + backMs);
          await delay(3_000);
          return [
            ...found,
            [backMs <= limitMs(10_000), `reads and writes succeed ${backMs.toFixed(0)} ms after its end`],
            ...(await afterwards(server, load)),
          ];
        },
        true,
      );
    } finally {
      await replacement.stop();
    }
  } finally {
    signalAll(existsSync(`/proc/${postmaster}`) ? primary.processes() : [], 'SIGKILL');
    await primary.stop();
  }
}

export const pgbouncer: Fault = {
  name: 'pgbouncer',
  promise: 'pgbouncer restarts under load: nothing acknowledged is lost; its transaction mode is refused',
  database: 'postgresql',
  missing: () => (spawnSync('which', ['pgbouncer']).status === 0 ? undefined : 'pgbouncer is not installed'),
  async run({ dataDir, databaseUrl = '' }, seconds) {
    const pooler = await startPooler(databaseUrl, 'session');
    try {
      const found = await underLoad(
        { dataDir, databaseUrl: pooler.url },
        (server, load) => restart(server, load, pooler, seconds, databaseUrl),
        true,
      );
      return [...found, await refusesTransactions(dataDir, databaseUrl)];
    } finally {
      await pooler.stop();
    }
  },
};

async function restart(
  server: Server,
  load: SteadyLoad,
  pooler: Pooler,
  seconds: number,
  url: string,
): Promise<Findings> {
  const fromMs = performance.now();
  await pooler.end();
  await delay((seconds * 1_000) / 2);
  await pooler.start();
  const found = await back(server, load, fromMs);
  const listening = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'";
  return [...found, [(await runSql(url, listening)).rowCount === 1, 'the server listens for events again']];
}

async function refusesTransactions(dataDir: string, url: string): Promise<readonly [kept: boolean, text: string]> {
  const pooler = await startPooler(url, 'transaction');
  try {
    const server = await spawnServer({ dataDir, databaseUrl: pooler.url });
    const why = await untilReady(server).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    if (server.isRunning()) await server.end('SIGKILL');
    return [why.includes('set its pool_mode to session'), `transaction mode: ${why.trim().split('\n').at(-1)}`];
  } finally {
    await pooler.stop();
  }
}
