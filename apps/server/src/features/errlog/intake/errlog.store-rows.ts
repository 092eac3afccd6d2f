// A batch into SQLite: row by row, each a prepared statement of a microsecond or two.
import { type SqlValue, type Statement, type SyncSql, statement } from '@quarterdeck/core/db';
import { rateIsOverNow } from '../upkeep/errlog.rate.ts';
import { magnitudeOf } from '../upkeep/errlog.state.ts';
import { type GroupBatch, KNOWN, type Known, kindKey, type Recorder, type Repeat, SET_STATE } from './errlog.batch.ts';
import { packOccurrences } from './occurrence-chunk.ts';

const FIND = statement(
  `SELECT ${KNOWN} FROM errlog e
   WHERE e.fingerprint = ? AND e.level = ? AND e.app_id = ? AND e.src = ?`,
);
const ELSEWHERE = statement('SELECT 1 AS found FROM errlog WHERE fingerprint = ? AND level = ? AND app_id = ? LIMIT 1');

/** Inserts of some rows, and of one. */
interface Inserts {
  readonly some: Statement;
  readonly one: Statement;
  /** Values of a row. */
  readonly width: number;
}

/** Rows of one statement: a third of what a row costs is the statement around it. */
const ROWS_AT_ONCE = 20;

/**
 * OR FAIL: to take back its own rows where it fails, a statement of many would copy each page before it writes there. A
 * failure takes back the whole write, and these rows with it.
 */
function insertsInto(table: string, columns: readonly string[]): Inserts {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const insert = (n: number) =>
    statement(`INSERT OR FAIL INTO ${table} (${columns.join(', ')}) VALUES ${Array(n).fill(row).join(', ')}`);
  return { some: insert(ROWS_AT_ONCE), one: insert(1), width: columns.length };
}

const GROUPS = insertsInto('errlog', [
  ...['src', 'node_type', 'app_id', 'level', 'fingerprint', 'log', 'count', 'magnitude'],
  ...['first_seen', 'log_time', 'arrived', 'state_since'],
]);
const CHUNKS = insertsInto('errlog_chunk', ['errlog_id', 'from_time', 'to_time', 'n', 'data']);

/** What an update of a group touches, beside its count. SQLite writes each index of a column that is named anew. */
const LATER = 1;
const EARLIEST = 2;
const TEXT = 4;
const STALE = 8;
const MAGNITUDE = 16;

/** One statement per combination; the values follow in the same order, the id last. */
const UPDATES: readonly Statement[] = Array.from({ length: 32 }, (_, mask) => {
  const parts = [
    'count = count + ?',
    mask & LATER ? 'log_time = ?' : '',
    mask & EARLIEST ? 'first_seen = ?' : '',
    mask & TEXT ? 'log = ?' : '',
    mask & STALE ? 'text_stale = TRUE' : '',
    mask & MAGNITUDE ? 'magnitude = ?' : '',
  ];
  return statement(`UPDATE errlog SET ${parts.filter((part) => part !== '').join(', ')} WHERE id = ?`);
});

/** Stores the groups of a batch. */
export function storeRows(sql: SyncSql, groups: readonly GroupBatch[], recorder: Recorder): void {
  const fresh: GroupBatch[] = [];
  const kinds = new Set<string>();
  const chunks: SqlValue[] = [];
  for (const group of groups) {
    const { src, appId, level, fingerprint } = group;
    const known = sql.get<Known>(FIND, fingerprint, level, appId, src);
    if (known !== undefined) {
      const rateOver = rateIsOverNow(sql, { known, ...group });
      updateRow(sql, recorder.repeated(known, group, rateOver), recorder.nowS);
      chunks.push(...chunkOf(known.id, group));
    } else {
      fresh.push(group);
      if (sql.get(ELSEWHERE, fingerprint, level, appId) !== undefined) kinds.add(kindKey(group));
    }
  }
  const ids = insertRows(
    sql,
    GROUPS,
    fresh.flatMap((group) => groupValues(group, recorder.nowS)),
  );
  for (const [i, group] of fresh.entries()) {
    const id = ids[i] as number;
    const key = kindKey(group);
    recorder.created(id, group, !kinds.has(key));
    kinds.add(key);
    chunks.push(...chunkOf(id, group));
  }
  insertRows(sql, CHUNKS, chunks);
}

const groupValues = (group: GroupBatch, nowS: number): SqlValue[] => {
  const { src, nodeType, appId, level, fingerprint, log, count, firstSeen, logTime } = group;
  return [src, nodeType, appId, level, fingerprint, log, count, magnitudeOf(count), firstSeen, logTime, nowS, nowS];
};

const chunkOf = (id: number, { firstSeen, logTime, occurrences }: GroupBatch): SqlValue[] => [
  ...[id, firstSeen, logTime, occurrences.length],
  packOccurrences(occurrences, firstSeen),
];

/** Inserts rows, all values one after another; their ids. */
function insertRows(sql: SyncSql, { some, one, width }: Inserts, values: readonly SqlValue[]): number[] {
  const ids: number[] = [];
  for (let from = 0; from < values.length; ) {
    const rows = values.length - from >= ROWS_AT_ONCE * width ? ROWS_AT_ONCE : 1;
    const to = from + rows * width;
    const last = Number(sql.run(rows === 1 ? one : some, ...values.slice(from, to)).lastInsertRowid);
    // Nobody else writes meanwhile, and each id is one more than the one before.
    for (let id = last - rows + 1; id <= last; id += 1) ids.push(id);
    from = to;
  }
  return ids;
}

function updateRow(sql: SyncSql, { known, group, state }: Repeat, nowS: number): void {
  const values: (string | number)[] = [group.count];
  let mask = 0;
  const touch = (bit: number, ...value: (string | number)[]) => {
    mask |= bit;
    values.push(...value);
  };
  if (group.logTime > known.log_time) touch(LATER, group.logTime);
  if (group.firstSeen < known.first_seen) touch(EARLIEST, group.firstSeen);
  // Lines that arrive late count, but the newest text stays.
  if (group.logTime >= known.log_time) {
    touch(TEXT, group.log);
    if (!known.text_stale) touch(STALE);
  }
  const magnitude = magnitudeOf(known.count + group.count);
  if (magnitude !== magnitudeOf(known.count)) touch(MAGNITUDE, magnitude);
  sql.run(UPDATES[mask] as Statement, ...values, known.id);
  if (state !== known.state) sql.run(SET_STATE, state, nowS, known.id);
}
