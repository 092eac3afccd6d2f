// Faults of a server and of what it stands on: each with what is promised.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  fixtureVersions,
  knownAnswers,
  knownSecrets,
  restoreFixture,
} from '../../../apps/server/test/fixtures/fixture.ts';
import { fileOf, sameAddress, spawnServer, startServer } from '../built-server.ts';
import { limitMs } from '../promised-time.ts';
import { pgbouncer, postgresCrashes, postgresHangs, standby } from './postgres-cases.ts';
import { isComplete, longest, onlyOf, type SteadyLoad, startLoad, summary, within } from './steady-load.ts';
import { type Fault, PAUSE_MS, REFUSALS, underLoad, untilGood, untilRefused, WRITERS } from './under-load.ts';

/** Time after which a second server runs for good. */
const PATIENCE_MS = 300_000;

const locked: Fault = {
  name: 'locked',
  promise: 'another process locks the database: the event loop stalls 250 ms at most, writes get 503 within a second',
  database: 'sqlite',
  run: (place, seconds) =>
    underLoad(place, async (server, load) => {
      const Sqlite = createRequire(new URL('../../../packages/core/package.json', import.meta.url))('better-sqlite3');
      const other = new Sqlite(fileOf(server)) as { exec(sql: string): void; close(): void };
      const fromMs = performance.now();
      other.exec('BEGIN IMMEDIATE');
      await delay(seconds * 1_000);
      await untilRefused(load, fromMs);
      other.exec('ROLLBACK');
      const toMs = performance.now();
      other.close();
      const backMs = await untilGood(load, toMs, ['write']);
      const writes = within(load.answers, ['write'], fromMs + 100, toMs);
      // A write that outlasts the lock may succeed.
      const refused = writes.filter(({ atMs, ms }) => atMs + ms < toMs);
      const reads = within(load.answers, ['read'], fromMs, toMs);
      const health = within(load.answers, ['health'], fromMs, toMs);
      return [
        [
          refused.length > 0 && onlyOf(refused, [503]) && onlyOf(writes, REFUSALS) && longest(writes) <= limitMs(1_500),
          `writes: ${summary(writes)}`,
        ],
        [onlyOf(reads, [200]), `reads: ${summary(reads)}`],
        [onlyOf(health, [200]) && longest(health) <= limitMs(250), `health: ${summary(health)}`],
        [backMs <= limitMs(3_000), `writes succeed ${backMs.toFixed(0)} ms after the lock`],
      ];
    }),
};

const DISK_MB = 96;
const full: Fault = {
  name: 'full',
  promise: 'the disk is full: no false success, reads and sign-ins succeed, writes succeed within 5 s of space',
  database: 'sqlite',
  missing: () => (process.getuid?.() === 0 ? undefined : 'only root may mount a small disk'),
  async run({ dataDir }, seconds) {
    mkdirSync(dataDir, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'quarterdeck-fault', dataDir]);
    } catch {
      return [[true, 'left out: no disk can be mounted here']];
    }
    const filler = join(dataDir, 'filler');
    try {
      return await underLoad({ dataDir: join(dataDir, 'data') }, async (_, load) => {
        fill(filler);
        await delay(1_000);
        const fromMs = performance.now();
        await delay(seconds * 1_000);
        await untilRefused(load, fromMs);
        const toMs = performance.now();
        rmSync(filler);
        const backMs = await untilGood(load, performance.now(), ['write']);
        const writes = within(load.answers, ['write'], fromMs, toMs);
        const others = within(load.answers, ['read', 'sign-in', 'health'], fromMs, toMs - 1_000);
        return [
          [onlyOf(writes, REFUSALS) && writes.some(({ outcome }) => outcome === 503), `writes: ${summary(writes)}`],
          [onlyOf(others, [200]), `reads and sign-ins: ${summary(others)}`],
          [backMs <= limitMs(5_000), `writes succeed ${backMs.toFixed(0)} ms after there is space`],
        ];
      });
    } finally {
      execFileSync('umount', ['-l', dataDir]);
    }
  },
};

/** Fills a disk to its last block. */
function fill(path: string): void {
  for (const size of [1024 * 1024, 4096]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

const second: Fault = {
  name: 'second',
  promise: 'a second server on the same SQLite folder is refused within 2 s, and the first one does not notice',
  database: 'sqlite',
  run: (place) =>
    underLoad(place, async (_, load) => {
      const fromMs = performance.now();
      const other = await spawnServer(place);
      const exited = new Promise<number | null>((resolve) => other.child.once('exit', resolve));
      const code = await Promise.race([exited, delay(PATIENCE_MS, 0, { ref: false })]);
      const tookMs = performance.now() - fromMs;
      if (other.isRunning()) await other.end('SIGKILL');
      const answers = within(load.answers, ['read', 'write'], fromMs, performance.now());
      return [
        [
          code !== 0 && tookMs <= limitMs(2_000),
          `refused with ${code} after ${tookMs.toFixed(0)} ms: ${other.log().trim()}`,
        ],
        [onlyOf(answers, [200]), `the first one: ${summary(answers)}`],
      ];
    }),
};

const stop: Fault = {
  name: 'stop',
  promise: 'SIGTERM under load: no request in flight fails, exit 0 within 10 s, nothing acknowledged is lost',
  async run(place, seconds) {
    const findings: (readonly [kept: boolean, text: string])[] = [];
    let server = await startServer(place);
    for (let round = 0; round < Math.max(2, seconds / 2); round += 1) {
      const load = await startLoad(server, { writers: WRITERS, pauseMs: 0 });
      await delay(700);
      const fromMs = performance.now();
      const code = await server.end('SIGTERM');
      const tookMs = performance.now() - fromMs;
      await load.stop();
      const cut = load.answers.filter(({ outcome }) => typeof outcome === 'string' && outcome !== 'ECONNREFUSED');
      findings.push(
        [code === 0 && tookMs <= limitMs(10_000), `exit ${code} after ${tookMs.toFixed(0)} ms`],
        [
          cut.length === 0,
          `requests cut off: ${cut.length} of ${load.answers.length}${cut[0] ? `, ${cut[0].outcome}` : ''}`,
        ],
      );
      server = await startServer(place, sameAddress(server));
      findings.push(await isComplete(load));
    }
    await server.end('SIGTERM');
    return findings;
  },
};

const upgrade: Fault = {
  name: 'upgrade',
  promise: 'the first start on data of each released version, under load: nothing old and nothing acknowledged is lost',
  async run({ dataDir, databaseUrl }, seconds) {
    const findings: (readonly [kept: boolean, text: string])[] = [];
    const dialect = databaseUrl === undefined ? 'sqlite' : 'postgresql';
    for (const version of fixtureVersions()) {
      const place = { dataDir: join(dataDir, version), databaseUrl };
      mkdirSync(place.dataDir, { recursive: true });
      await restoreFixture(version, place.dataDir, databaseUrl);
      const { password } = knownSecrets(version, dialect).users.admin;
      const server = await spawnServer(place, { QUARTERDECK_ADMIN_PASSWORD: password });
      // From the moment at which the port is open.
      const load = await untilSignedIn(() => startLoad(server, { writers: WRITERS, pauseMs: PAUSE_MS }));
      await delay(seconds * 1_000);
      await load.stop();
      const groups = knownAnswers(version, dialect).groups;
      const known = groups.reduce((sum, { count }) => sum + count, 0);
      const now = await load.total();
      const { acknowledged, open } = load.counts();
      const added = now - known;
      findings.push(
        [onlyOf(load.answers, REFUSALS), `from ${version}: ${summary(load.answers)}`],
        [added >= acknowledged && added <= acknowledged + open, `${known} occurrences before, ${now} now`],
        await isComplete(load),
        [(await server.end('SIGTERM')) === 0, 'stopped'],
      );
    }
    return findings;
  },
};

/** Repeats a start of clients until the server lets its administrator in. */
async function untilSignedIn(start: () => Promise<SteadyLoad>): Promise<SteadyLoad> {
  for (;;) {
    try {
      return await start();
    } catch {
      await delay(5);
    }
  }
}

export const FAULTS: readonly Fault[] = [
  ...[locked, full, second, stop, upgrade],
  ...[postgresHangs, postgresCrashes, standby, pgbouncer],
];
