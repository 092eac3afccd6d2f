// A batch on PostgreSQL: set by set, because each statement is a round trip.
import { type SqlTx, statement } from '@quarterdeck/core/db';
import { errorKey, type GroupKey } from '../tables/group-key.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { magnitudeOf } from '../tables/group-state.ts';
import { type Occurrence, packOccurrences } from '../tables/occurrence-chunk.ts';
import { type GroupBatch, KNOWN, type Known, type Recorder, type Repeat, SET_STATE } from './batch.ts';
import { rateIsOver } from './mute-rate.ts';

const SET = `jsonb_to_recordset($1::jsonb) AS g(i int, id int8, src int, node_type int, app_id int, level int,
  fingerprint text, log text, count int8, magnitude int, first_seen int8, log_time int8, now int8)`;
const SAME = 'e.fingerprint = g.fingerprint AND e.level = g.level AND e.app_id = g.app_id';
const FIND_SET = statement({
  sqlite: '',
  postgresql: `SELECT g.i, ${KNOWN} FROM ${SET} JOIN errlog e ON ${SAME} AND e.src = g.src`,
});
const ELSEWHERE_SET = statement({
  sqlite: '',
  postgresql: `SELECT g.i FROM ${SET} WHERE EXISTS (SELECT 1 FROM errlog e WHERE ${SAME})`,
});
const INSERT_SET = statement({
  sqlite: '',
  postgresql: `INSERT INTO errlog
      (src, node_type, app_id, level, fingerprint, log, count, magnitude, first_seen, log_time, arrived, state_since)
    SELECT src, node_type, app_id, level, fingerprint, log, count, magnitude, first_seen, log_time, now, now FROM ${SET}
    ORDER BY i RETURNING id, src, app_id, level, fingerprint`,
});
const REPEAT_SET = statement({
  sqlite: '',
  postgresql: `UPDATE errlog e SET count = e.count + g.count, magnitude = g.magnitude,
    first_seen = least(e.first_seen, g.first_seen),
    log = CASE WHEN g.log_time >= e.log_time THEN g.log ELSE e.log END,
    text_stale = e.text_stale OR g.log_time >= e.log_time,
    log_time = greatest(e.log_time, g.log_time)
    FROM ${SET} WHERE e.id = g.id`,
});
const INSERT_CHUNKS = statement({
  sqlite: '',
  postgresql: `INSERT INTO errlog_chunk (errlog_id, from_time, to_time, n, data)
    SELECT errlog_id, from_time, to_time, n, data
    FROM jsonb_to_recordset($1::jsonb) AS c(errlog_id int8, from_time int8, to_time int8, n int, data text)`,
});

const groupKey = (group: GroupKey) => `${group.src},${errorKey(group)}`;

/** Stores the groups of a batch. */
export async function storeSets(tx: SqlTx, groups: readonly GroupBatch[], recorder: Recorder): Promise<void> {
  const { sql } = tx;
  await lockGroups(tx, 'postgresql');
  const found = await sql.all<Known & { i: number }>(
    FIND_SET,
    toSet(groups, () => ({ log: '' })),
  );
  const known = new Map(found.map((row) => [row.i, row]));
  const ids = new Map<GroupBatch, number>();
  const repeats: Repeat[] = [];
  for (const [i, group] of groups.entries()) {
    const before = known.get(i);
    if (before === undefined) continue;
    ids.set(group, before.id);
    const rateOver = await rateIsOver(sql, { known: before, ...group });
    repeats.push(recorder.repeated(before, group, rateOver));
  }
  if (repeats.length > 0) await updateSet(tx, repeats, recorder.nowS);
  const fresh = groups.filter((_, i) => !known.has(i));
  if (fresh.length > 0) await insertSet(tx, fresh, recorder, ids);
  for (const rows of chunkRows(groups, ids)) await sql.run(INSERT_CHUNKS, `[${rows.join()}]`);
}

/** Most occurrences of one row, and characters of one statement: JSON is made synchronously. */
const CHUNK_OCCURRENCES = 500;
const STATEMENT_CHARS = 512 * 1024;

/** Yields rows of occurrences as JSON, in portions of one statement. */
function* chunkRows(groups: readonly GroupBatch[], ids: ReadonlyMap<GroupBatch, number>): Generator<string[]> {
  let rows: string[] = [];
  let chars = 0;
  for (const group of groups) {
    for (let at = 0; at < group.occurrences.length; at += CHUNK_OCCURRENCES) {
      const row = chunkRow(ids.get(group), group.occurrences.slice(at, at + CHUNK_OCCURRENCES));
      rows.push(row);
      chars += row.length;
      if (chars < STATEMENT_CHARS) continue;
      yield rows;
      rows = [];
      chars = 0;
    }
  }
  if (rows.length > 0) yield rows;
}

function chunkRow(id: number | undefined, occurrences: readonly Occurrence[]): string {
  const times = occurrences.map(({ time }) => time);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const data = packOccurrences(occurrences, from);
  return JSON.stringify({ errlog_id: id, from_time: from, to_time: to, n: occurrences.length, data });
}

async function updateSet({ sql }: SqlTx, repeats: readonly Repeat[], nowS: number): Promise<void> {
  const byGroup = new Map(repeats.map((repeat) => [repeat.group, repeat.known]));
  const rows = toSet([...byGroup.keys()], (group) => {
    const known = byGroup.get(group);
    return { id: known?.id, magnitude: magnitudeOf((known?.count ?? 0) + group.count) };
  });
  await sql.run(REPEAT_SET, rows);
  for (const { known, state } of repeats) {
    if (state !== known.state) await sql.run(SET_STATE, state, nowS, known.id);
  }
}

async function insertSet(
  { sql }: SqlTx,
  fresh: readonly GroupBatch[],
  recorder: Recorder,
  ids: Map<GroupBatch, number>,
): Promise<void> {
  const elsewhere = await sql.all<{ i: number }>(
    ELSEWHERE_SET,
    toSet(fresh, () => ({ log: '' })),
  );
  const kinds = new Set(elsewhere.map(({ i }) => errorKey(fresh[i] as GroupBatch)));
  const byKey = new Map(fresh.map((group) => [groupKey(group), group]));
  const rows = await sql.all<{ id: number; src: number; app_id: number; level: number; fingerprint: string }>(
    INSERT_SET,
    toSet(fresh, () => ({ now: recorder.nowS })),
  );
  for (const { id, app_id, ...row } of rows) {
    const group = byKey.get(groupKey({ ...row, appId: app_id }));
    if (group === undefined) throw new Error('an insert returned a row that was not inserted');
    ids.set(group, id);
    recorder.created(id, group, !kinds.has(errorKey(group)));
    kinds.add(errorKey(group));
  }
}

/** Returns groups as the one parameter of a statement. */
function toSet(groups: readonly GroupBatch[], more: (group: GroupBatch) => Record<string, unknown>): string {
  return JSON.stringify(
    groups.map((group, i) => ({
      i,
      src: group.src,
      node_type: group.nodeType,
      app_id: group.appId,
      level: group.level,
      fingerprint: group.fingerprint,
      log: group.log,
      count: group.count,
      magnitude: magnitudeOf(group.count),
      first_seen: group.firstSeen,
      log_time: group.logTime,
      ...more(group),
    })),
  );
}
