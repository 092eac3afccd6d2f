// Measures the search for suspected causes: 10,000 agents with 1,000,000 changes, and an error on 5,000 of them, in
// this process.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import type { Database, SqlValue, Statement } from '../packages/core/src/db/open/index.ts';
import { built } from './built.ts';
import { randomFrom } from './lines.ts';
import { quantile } from './load.ts';
import { newFolder } from './processes.ts';
import { ms } from './report.ts';

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');
const { NewGroupLimit } = await built('packages/store/dist/write/new-group-limit.js');
const { storeBatch } = await built('packages/store/dist/write/store-batch.js');
const { SourceIds } = await built('packages/store/dist/tables/sources.js');
const { errlogStore } = await built('packages/store/dist/index.js');
const { findSuspects } = await built('apps/server/dist/features/suspects/suspects.js');

const AGENTS = 10_000;
const CHANGES = 1_000_000;
const AFFECTED = 5_000;
const DAY_S = 86_400;
const DAYS = 90;
/** Maximum seconds between the change of a host and the error on it. */
const ROLLOUT_S = 2 * 3_600;
const BATCH = 5_000;
const RUNS = 100;

const AGENT = statement(
  `INSERT INTO agent (node_id, hostname, secret_hash, interval_s, last_reported_ms, created_ms, modified_ms)
   VALUES (?, ?, ?, 30, ?, ?, ?)`,
);
const CHANGE = statement(
  'INSERT INTO agent_change (agent_id, time_ms, kind, field, before, after) VALUES (?, ?, ?, ?, ?, ?)',
);
const ERROR = {
  nodeType: 0,
  appId: 0,
  level: 3,
  fingerprint: 'changes bench',
  service: '',
  sender: '',
  log: 'it broke',
};
const unlimited = new NewGroupLimit(Number.POSITIVE_INFINITY).open(0);

type Row = readonly SqlValue[];

/**
 * Example fleet: everyday changes over months, and a kernel that reaches half of it, after which an error begins there.
 */
function* historyOf(random: () => number, nowS: number, onsets: readonly number[]): Generator<Row> {
  const kinds = [
    ['changed', 'package.version'],
    ['restarted', ''],
    ['rebooted', ''],
    ['offline', 'lost'],
    ['online', ''],
    ['changed', 'ip'],
  ] as const;
  const everyday = CHANGES - 4 * AFFECTED;
  for (let i = 0; i < everyday; i += 1) {
    const timeMs = (nowS - DAYS * DAY_S * (1 - i / everyday)) * 1_000;
    const [kind, field] = kinds[Math.floor(random() * kinds.length)] ?? kinds[0];
    const value = field === 'ip' ? `10.0.0.${i % 250}` : String(Math.floor(i / 20_000));
    yield [1 + Math.floor(random() * AGENTS), Math.floor(timeMs), kind, field, '', value];
  }
  for (const [i, onset] of onsets.entries()) {
    const timeMs = (onset - Math.floor(random() * 1_800)) * 1_000;
    yield [i + 1, timeMs, 'changed', 'system_version.kernel', '6.12.1', '6.12.9'];
    yield [i + 1, timeMs, 'changed', 'system_version.kernel_package', 'linux-image-6.12.1', 'linux-image-6.12.9'];
    yield [i + 1, timeMs, 'rebooted', '', '', ''];
    yield [i + 1, timeMs, 'online', '', '', ''];
  }
}

async function seedFleet(db: Database): Promise<number> {
  const random = randomFrom(7);
  const nowS = Math.floor(Date.now() / 1000);
  const inBatches = async (rows: Iterable<Row>, text: Statement) => {
    let batch: Row[] = [];
    const flush = () =>
      db.write(async (tx) => {
        for (const row of batch) await tx.sql.run(text, ...row);
      });
    for (const row of rows) {
      if (batch.push(row) < BATCH) continue;
      await flush();
      batch = [];
    }
    await flush();
  };
  const bornMs = (nowS - DAYS * DAY_S) * 1_000;
  const agents = Array.from({ length: AGENTS }, (_, i): Row => {
    return [`node-${i}`, `host-${i}`, Buffer.from(`secret ${i}`), nowS * 1_000, bornMs, bornMs];
  });
  await inBatches(agents, AGENT);
  const onsets = Array.from({ length: AFFECTED }, () => nowS - 3_600 - Math.floor(random() * ROLLOUT_S));
  await inBatches(historyOf(random, nowS, onsets), CHANGE);
  const senders = onsets.map((_, i) => {
    const agentId = i + 1;
    return { nodeType: 0, nodeId: -1, name: `agent ${agentId}`, address: '', agentId };
  });
  const { ids } = await db.write((tx) => new SourceIds().find(tx, senders, bornMs));
  const groups: Parameters<typeof storeBatch>[1][number][] = [];
  for (const [i, onset] of onsets.entries()) {
    const src = ids.get(senders[i] as (typeof senders)[number]) ?? 0;
    // Once a minute on each host; since half an hour ago ten times as often on every second one.
    const minutes = Array.from({ length: Math.floor((nowS - onset) / 60) }, (_, k) => onset + k * 60);
    const occurrences = minutes.map((time) => ({
      id: 0,
      time,
      reqId: '',
      count: i % 2 === 0 && time > nowS - 1_800 ? 10 : 1,
      log: ERROR.log,
    }));
    const count = occurrences.reduce((sum, one) => sum + one.count, 0);
    groups.push({ ...ERROR, src, count, firstSeen: onset, logTime: minutes.at(-1) ?? onset, occurrences });
  }
  for (let at = 0; at < groups.length; at += 500) {
    let lines = 0;
    const batch = groups.slice(at, at + 500).map((group) => ({
      ...group,
      occurrences: group.occurrences.map((one) => ({ ...one, id: lines++ })),
    }));
    await db.write((tx) => storeBatch(tx, batch, nowS, { allowance: unlimited }));
  }
  return (await db.read.sql.get<{ id: number }>(statement('SELECT max(id) AS id FROM errlog')))?.id ?? 0;
}

/** Prints the duration of the search, and for how long it blocks the event loop. */
export async function benchSuspects(url?: string): Promise<void> {
  const dataDir = newFolder();
  const db = await openDatabase(url === undefined ? { kind: 'sqlite', dataDir } : { kind: 'postgresql', url });
  try {
    const group = await errlogStore(db).group(await seedFleet(db), undefined);
    if (group === undefined) throw new Error('The error of the fleet is missing.');
    const times: number[] = [];
    const cpuBefore = process.cpuUsage();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    let answer: Awaited<ReturnType<typeof findSuspects>> | undefined;
    for (let i = 0; i < RUNS; i += 1) {
      const startedAt = performance.now();
      answer = await findSuspects(db, { group, within: 3_600, limit: 20, showsAgents: true }, Date.now());
      times.push(performance.now() - startedAt);
    }
    const cpu = process.cpuUsage(cpuBefore);
    const cpuMs = (cpu.user + cpu.system) / 1_000 / RUNS;
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    console.log(
      `\nSuspected causes of an error on ${AFFECTED} of ${AGENTS} agents with ${CHANGES} changes (${db.dialect}):`,
    );
    console.log(
      `  p50 ${ms(p50)}, p99 ${ms(p99)}, ${ms(cpuMs)} on a processor; blocks the event loop for at most ${ms(delay.max / 1e6)}; complete: ${answer?.complete}`,
    );
    for (const { kind, changes } of answer?.windows ?? [])
      console.log(`  ${kind}: ${changes[0]?.strength}, ${changes[0]?.explanation}`);
  } finally {
    await db.close();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await benchSuspects(process.argv[2]);
}
