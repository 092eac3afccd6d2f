// `pnpm bench:vitals`: the time in which an agent reads the vitals of this host, and the bytes that a minute of a host
// takes on each database.
import { createVitals } from '../apps/agent/src/facts/vitals.ts';
import { findDisks, MOUNTINFO } from '../apps/agent/src/watch/disk.ts';
import { createHourPacker } from '../apps/server/src/features/vitals/finished-hours.ts';
import { createVitalsWriter } from '../apps/server/src/features/vitals/vitals-writer.ts';
import { type Database, openDatabase, statement } from '../packages/core/src/db/open/index.ts';
import { startPostgres } from '../packages/core/test/postgres.ts';
import { quantile } from './load.ts';
import { newFolder } from './processes.ts';
import { count } from './report.ts';

const READINGS = 2_000;
const HOSTS = 100;
/** Hours that are stored, and those before the measurement: the space of the first ones is used again. */
const HOURS = { warmUp: 4, all: 16 };
const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const GIB = 1024 ** 3;
const WANTED = { readMs: 1, bytes: 40 };

/** Reads the vitals of this host many times. */
async function measureReading(): Promise<void> {
  const { signal } = new AbortController();
  const read = createVitals({
    findDisks: () => findDisks(MOUNTINFO, signal),
    monotonicMs: () => performance.now(),
  });
  for (let i = 0; i < READINGS / 10; i += 1) await read();
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < READINGS; i += 1) {
    const startMs = performance.now();
    await read();
    times.push(performance.now() - startMs);
  }
  const { user, system } = process.cpuUsage(before);
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  const disks = Object.keys((await read()).disk ?? {}).length;
  console.log(
    `reading: p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms, ` +
      `${count((user + system) / READINGS)} us of processor time, disks: ${disks}; wanted: ${WANTED.readMs} ms`,
  );
}

const AGENT = statement(
  `INSERT INTO agent (node_id, hostname, secret_hash, interval_s, last_reported_ms, created_ms, modified_ms)
   VALUES (?, ?, ?, 30, 0, 0, 0) RETURNING id`,
);

/** Vitals of a busy host with four disks, which change each minute. */
const vitalsOf = (host: number, minute: number) => ({
  cpu: (host + minute * 7) % 100,
  memory: 60 + (minute % 30),
  swap: 12.9,
  load: [((host + minute) % 160) / 10, 9.4, 7.77],
  cores: 16,
  uptime: 9_000_000 + minute * 60,
  fds: 21_000 + minute,
  tcp: 4_000 + (minute % 300),
  disk: Object.fromEntries(
    ['/', '/var', '/var/log', '/srv/data'].map((path, i) => [
      path,
      { used: 300 * GIB + host * (i + 1) + minute * 4096, free: 600 * GIB - host * (i + 1) - minute * 4096 },
    ]),
  ),
});

/** Stores the vitals of hosts by the minute and prints what the later hours have added. */
async function measureSpace(name: string, db: Database, sizeOf: () => Promise<number>, vacuum: () => Promise<void>) {
  const ids = await db.write(async ({ sql }) => {
    const added: number[] = [];
    for (let i = 0; i < HOSTS; i += 1) {
      const row = await sql.get<{ id: number }>(AGENT, `node-${i}`, `gw-${i}`, Buffer.from(`secret ${i}`));
      added.push(row?.id ?? 0);
    }
    return added;
  });
  const writer = createVitalsWriter();
  const packFinishedHour = createHourPacker(db);
  const startMs = Math.floor(Date.now() / (HOUR_MINUTES * MINUTE_MS)) * HOUR_MINUTES * MINUTE_MS;
  let before = 0;
  for (let hour = 0; hour < HOURS.all; hour += 1) {
    if (hour === HOURS.warmUp) before = await sizeOf();
    for (let at = 0; at < HOUR_MINUTES; at += 1) {
      const minute = hour * HOUR_MINUTES + at;
      const noted = ids.map((agentId, host) => ({
        agentId,
        ms: startMs + minute * MINUTE_MS,
        vitals: vitalsOf(host, minute),
      }));
      await db.write((tx) => writer.add(tx, noted));
      writer.kept(noted);
      // Autovacuum comes about as often to a table whose rows all change each minute.
      if (at % 10 === 9) await vacuum();
      await packFinishedHour(startMs + minute * MINUTE_MS, () => false);
    }
  }
  const bytes = ((await sizeOf()) - before) / ((HOURS.all - HOURS.warmUp) * HOUR_MINUTES * HOSTS);
  console.log(`space, ${name}: ${bytes.toFixed(1)} bytes a minute and host; wanted: ${WANTED.bytes}`);
}

interface Size {
  readonly bytes: number;
}

await measureReading();
const dataDir = newFolder();
const sqlite = await openDatabase({ kind: 'sqlite', dataDir });
const postgres = await startPostgres();
const postgresql = await openDatabase({ kind: 'postgresql', url: await postgres.createDatabase() });
try {
  const pages = statement(
    `SELECT (p.page_count - f.freelist_count) * s.page_size AS bytes
     FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`,
  );
  const relation = statement("SELECT pg_total_relation_size('agent_vitals') AS bytes");
  const sizeIn = (db: Database, text: typeof pages) => async () =>
    Number((await db.read.sql.get<Size>(text))?.bytes ?? 0);
  await measureSpace('SQLite', sqlite, sizeIn(sqlite, pages), async () => undefined);
  const vacuum = async () => void (await postgresql.read.sql.run(statement('VACUUM agent_vitals')));
  await measureSpace('PostgreSQL', postgresql, sizeIn(postgresql, relation), vacuum);
} finally {
  await sqlite.close();
  await postgresql.close();
  await postgres.stop();
}
