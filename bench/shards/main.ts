// `pnpm bench:shards`: divides the tables of error logs by the hash of the source, in a PostgreSQL of its own. Runs the
// feature flows against a server on it. Prints how many shards each statement has touched, by its plan.
import { chmodSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../../packages/core/test/postgres.ts';
import { makeCredentials } from '../api.ts';
import { built } from '../built.ts';
import { newFolder, startServer } from '../processes.ts';
import { distribute, SHARDS } from './distribute.ts';
import { FLOWS, prepare, type Scene } from './flows.ts';
import { type Executed, logging, PlanLog } from './plans.ts';

const { createClient } = await built('packages/sdk/dist/index.js');

/** Longer than jobs and announcements after a call wait. */
const SETTLE_MS = 1_500;
const IDLE_MS = 12_000;
const TEXT_WIDTH = 100;

/** Shards that a statement touched in one table, at least and at most. */
interface Touched {
  least: number;
  most: number;
}

/** Tables of a statement. */
interface Row {
  readonly tables: Map<string, Touched>;
  readonly inserted: Set<string>;
}

/** Sums up statements by their text. */
function summed(executed: readonly Executed[]): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const { text, shards, inserted } of executed) {
    if (shards.size === 0 && inserted.size === 0) continue;
    const row = rows.get(text) ?? { tables: new Map(), inserted: new Set() };
    rows.set(text, row);
    for (const [table, n] of shards) {
      const touched = row.tables.get(table) ?? { least: n, most: n };
      row.tables.set(table, { least: Math.min(touched.least, n), most: Math.max(touched.most, n) });
    }
    for (const table of inserted) row.inserted.add(table);
  }
  return rows;
}

const most = ({ tables }: Row) => Math.max(0, ...[...tables.values()].map((touched) => touched.most));

/** Kinds of statements, by what a PostgreSQL that distributes would do with them. */
const KINDS = {
  one: 'on one shard',
  row: 'row by row, each on one shard',
  id: 'by ids: on one shard if they named the source too',
  all: 'on all shards',
};
type Kind = keyof typeof KINDS;

/** Joins rows of a batch by their source. */
const BY_ROW = /\bsrc = (g\.src|\(j)/;
const BY_ID = /\bid = (\$|ANY|g\.id|p\.id)|errlog_id = (\$|ANY)/;

function kindOf(text: string, row: Row): Kind {
  if (row.tables.size === 0) return 'row';
  if (most(row) <= 1) return 'one';
  if (row.tables.has('ledger_gap')) return 'all';
  if (BY_ROW.test(text)) return 'row';
  return BY_ID.test(text) ? 'id' : 'all';
}

const numbers = (rows: ReadonlyMap<string, Row>) =>
  Object.entries(KINDS)
    .map(([kind, name]) => `${[...rows].filter(([text, row]) => kindOf(text, row) === kind).length} ${name}`)
    .join(', ');

function print(name: string, rows: ReadonlyMap<string, Row>): void {
  console.log(`\n${name}: ${rows.size} statements; ${numbers(rows)}`);
  for (const [text, row] of rows) {
    const parts = [...row.tables].map(([table, { least, most: n }]) => `${table} ${least === n ? n : `${least}-${n}`}`);
    for (const table of row.inserted) parts.push(`${table} by row`);
    console.log(`  ${kindOf(text, row).padEnd(4)} ${parts.join(', ')}\n       ${text.slice(0, TEXT_WIDTH)}`);
  }
}

const folder = newFolder();
const dataDir = newFolder();
// PostgreSQL runs under another account.
chmodSync(folder, 0o777);
const postgres = await startPostgres(logging(folder));
try {
  await postgres.untilReady();
  const url = await postgres.createDatabase();
  await (await startServer(dataDir, url)).stop();
  const others = await distribute(url);
  if (others.length > 0) console.log(`divided otherwise, and left as they are: ${others.join(', ')}`);
  const server = await startServer(dataDir, url);
  const { session } = await makeCredentials(server);
  const admin = createClient({ url: server.url, sessionToken: session });
  await prepare(admin);
  const { secret, id } = await admin.agent.register({ body: { node_id: 'one', hostname: 'gw-one.example.com' } });
  const agent = createClient({ url: server.url, apiToken: secret });
  await FLOWS[0]?.[1]({ admin, agent, group: 0, src: 0 });
  const [source] = (await admin.errlog.sources({ query: { agent_id: id } })).data;
  const [entry] = (await admin.errlog.list({ query: { src: source?.id ?? 0 } })).data;
  const scene: Scene = { admin, agent, group: entry?.id ?? 0, src: source?.id ?? 0 };
  const log = new PlanLog(folder);
  await delay(SETTLE_MS);
  log.next();
  await delay(IDLE_MS);
  const jobs = summed(log.next());
  console.log(`${SHARDS} shards; behind each table: how many of them a statement touched`);
  const all = new Map(jobs);
  for (const [name, run] of FLOWS) {
    await run(scene);
    await delay(100);
    const rows = summed(log.next());
    for (const text of jobs.keys()) rows.delete(text);
    print(name, rows);
    for (const [text, row] of rows) all.set(text, row);
    await delay(SETTLE_MS);
    for (const [text, row] of summed(log.next())) if (!all.has(text)) jobs.set(text, row);
  }
  print('jobs and announcements', jobs);
  for (const [text, row] of jobs) all.set(text, row);
  console.log(`\nall: ${all.size} statements; ${numbers(all)}`);
  await server.stop();
} finally {
  await postgres.stop();
}
