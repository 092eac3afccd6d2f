// Partitions of the stored lines on PostgreSQL (decision 066). The bounds are ids of lines, which are in the order of
// arrival: every id belongs to a partition, and an id alone finds it. Writes here hold the table for some milliseconds.
import type { Dialect, Sql, Tx } from '@quarterdeck/core/db';
import { exclusiveLock, onPostgres, storeSetting } from '@quarterdeck/core/sql';
import { lockGroups } from '../tables/group-lock.ts';
import { recordRemovedLines } from '../tables/held-lines.ts';
import { LAST_ARRIVED, LINE_BYTES } from '../tables/segment-rows.ts';
import { CLOSED_SPANS, type ClosedSpan, readClosedSpans } from '../tables/segment-spans.ts';
import type { Removed } from './retention-slices.ts';

const DAY_S = 86_400;
/** Partitions of a full retention: more of them cost each query that has no bound of ids. */
const PARTITIONS = 30;

/** Days in a partition if lines are kept for `keptDays`; 0 is for ever. */
export const daysOfPartition = (keptDays: number): number =>
  keptDays === 0 ? PARTITIONS : Math.max(1, Math.ceil(keptDays / PARTITIONS));

/** A partition, from the id `from` to before the id `to`. */
interface Partition {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

const LIST = onPostgres(
  `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
   FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'errlog_segment'::regclass`,
);
const PACKING = exclusiveLock('packing');
const WAIT_FOR_PACKING = onPostgres(`SET LOCAL lock_timeout = '1s'`);
/** Others queue behind a lock that waits. The next round tries again. */
const WAIT_SHORTLY = onPostgres(`SET LOCAL lock_timeout = '100ms'`);
const LOCK = onPostgres('LOCK TABLE ONLY errlog_segment IN ACCESS EXCLUSIVE MODE');

/** Locks that a change of partitions needs. Throws kind `busy` where a reader holds the table for long. */
async function lockPartitions({ sql }: Tx): Promise<void> {
  await sql.run(WAIT_FOR_PACKING);
  // A packer holds the table while it waits for the lock of the groups.
  await sql.all(PACKING);
  await lockGroups({ sql }, 'postgresql');
  await sql.run(WAIT_SHORTLY);
  await sql.run(LOCK);
}

/** All partitions by rising ids. */
async function readPartitions(sql: Sql): Promise<Partition[]> {
  const rows = await sql.all<{ name: string; bounds: string }>(LIST);
  return rows.map(({ name, bounds }) => ({ name, ...parseBounds(bounds) })).sort((a, b) => a.from - b.from);
}

function parseBounds(text: string): Pick<Partition, 'from' | 'to'> {
  const [, from, to] = /^FOR VALUES FROM \('?(-?\w+)'?\) TO \('?(-?\w+)'?\)$/.exec(text) ?? [];
  return { from: Number(from === 'MINVALUE' ? -Infinity : from), to: Number(to === 'MAXVALUE' ? Infinity : to) };
}

function bound(id: number): string {
  if (id === Number.NEGATIVE_INFINITY) return 'MINVALUE';
  return id === Number.POSITIVE_INFINITY ? 'MAXVALUE' : `'${id}'`;
}
/** Ids of a partition as parameters of a statement. */
const idsOf = ({ from, to }: Partition) =>
  [Math.max(from, Number.MIN_SAFE_INTEGER), Math.min(to, Number.MAX_SAFE_INTEGER)] as const;

/** Migrations give the same parameters to the first partition. */
const PARAMETERS = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
  toast.autovacuum_vacuum_scale_factor = 0.02`;

const create = ({ name, from, to }: Partition) =>
  onPostgres(`CREATE TABLE ${name} PARTITION OF errlog_segment FOR VALUES FROM (${bound(from)}) TO (${bound(to)})
    WITH (${PARAMETERS})`);

const OPEN = onPostgres(
  `SELECT min(day) AS day, coalesce(max(last_id), 0)::int8 + 1 AS next, coalesce(max(to_time), 0)::int8 AS latest,
     (SELECT value::int8 FROM setting WHERE name = 'errlog_next_line') AS line
   FROM errlog_segment WHERE id >= $1 AND id <= $2`,
);

interface OpenPartition {
  /** Day of arrival of its first lines; null without lines. */
  readonly day: number | null;
  /** Id behind its last line. */
  readonly next: number;
  /** Latest time of its lines, Unix seconds. */
  readonly latest: number;
  /** Id of the next line. */
  readonly line: number;
}

/** Returns the partition for new lines if its first lines are from before a day, and the end of the first partition. */
async function findDue(sql: Sql, beforeDay: number) {
  const partitions = await readPartitions(sql);
  const [first, last] = [partitions[0], partitions.at(-1)];
  if (first === undefined || last === undefined) throw new Error('the table of lines has no partition');
  const open = await sql.get<OpenPartition>(OPEN, ...idsOf(last));
  return open?.day != null && open.day < beforeDay ? { ...last, ...open, firstEnd: first.to } : undefined;
}

/** Tells whether {@link closePartition} has something to do. */
export const isPartitionDue = async (sql: Sql, dialect: Dialect, beforeDay: number): Promise<boolean> =>
  dialect === 'postgresql' && (await findDue(sql, beforeDay)) !== undefined;

/**
 * Ends the partition for new lines if it has lines that arrived before a day, counted from 1970: later lines go to
 * another one. Throws kind `busy` where the table is in use.
 */
export async function closePartition(tx: Tx, beforeDay: number): Promise<void> {
  const { sql } = tx;
  await lockPartitions(tx);
  const due = await findDue(sql, beforeDay);
  if (due === undefined) return;
  const { name, from, next, line, latest, firstEnd } = due;
  const end = Math.max(next, line);
  await sql.run(onPostgres(`ALTER TABLE errlog_segment DETACH PARTITION ${name}`));
  await sql.run(
    onPostgres(
      `ALTER TABLE errlog_segment ATTACH PARTITION ${name} FOR VALUES FROM (${bound(from)}) TO (${bound(end)})`,
    ),
  );
  await sql.run(create({ name: `errlog_segment_from_${end}`, from: end, to: Number.POSITIVE_INFINITY }));
  const spans: ClosedSpan[] = (await readClosedSpans(sql)).filter(({ before }) => before >= firstEnd);
  spans.push({ before: end, latest });
  await storeSetting(tx, CLOSED_SPANS, JSON.stringify(spans));
}

/** Lines to be removed: all of a partition are from before a time, Unix seconds, or take no more than some bytes. */
export type Outdated = { readonly beforeS: number } | { readonly bytes: number };

const CONTENT = onPostgres(
  `SELECT count(*) AS segments, count(*) FILTER (WHERE to_time >= $3 AND day >= $4) AS young,
     coalesce(sum(n), 0)::int8 AS n, coalesce(max(${LAST_ARRIVED}), 0)::int8 AS last,
     coalesce(sum(${LINE_BYTES}), 0)::int8 AS bytes
   FROM errlog_segment WHERE id >= $1 AND id < $2`,
);

interface Content {
  readonly segments: number;
  readonly young: number;
  readonly n: number;
  readonly last: number;
  readonly bytes: number;
}

/** Reads the first partitions that hold nothing but outdated lines, without the one for new lines. */
async function findOutdated(sql: Sql, outdated: Outdated) {
  const beforeS = 'beforeS' in outdated ? outdated.beforeS : 0;
  const found: (Partition & Content)[] = [];
  let left = 'bytes' in outdated ? outdated.bytes : 0;
  for (const partition of (await readPartitions(sql)).slice(0, -1)) {
    const values = [...idsOf(partition), beforeS, Math.floor(beforeS / DAY_S)];
    const content = await sql.get<Content>(CONTENT, ...values);
    if (content === undefined) break;
    left -= content.bytes;
    if ('bytes' in outdated ? left < 0 : content.young > 0) break;
    found.push({ ...partition, ...content });
  }
  // One partition stays for ids below those that are left.
  return found.some(({ segments }, i) => segments > 0 || i > 0) ? found : [];
}

/** Tells whether {@link dropPartitions} has something to do. */
export const hasOutdated = async (sql: Sql, dialect: Dialect, outdated: Outdated): Promise<boolean> =>
  dialect === 'postgresql' && (await findOutdated(sql, outdated)).length > 0;

/**
 * Removes the partitions of the oldest lines, and gives their space back to the system. The counts of the groups do not
 * change. Throws kind `busy` where the table is in use.
 */
export async function dropPartitions(tx: Tx, outdated: Outdated): Promise<Removed> {
  const { sql } = tx;
  await lockPartitions(tx);
  const found = await findOutdated(sql, outdated);
  const last = found.at(-1);
  if (last === undefined) return { more: false, gone: 0 };
  await sql.run(onPostgres(`DROP TABLE ${found.map(({ name }) => name).join(', ')}`));
  await sql.run(create({ name: `errlog_segment_to_${last.to}`, from: Number.NEGATIVE_INFINITY, to: last.to }));
  const gone = found.reduce((sum, { n }) => sum + n, 0);
  if (gone > 0) await recordRemovedLines(tx, Math.max(...found.map((content) => content.last)) + 1);
  return { more: true, gone };
}
