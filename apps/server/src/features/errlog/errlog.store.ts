// Writes of the error log: a batch of grouped lines in one transaction. The same steps on both databases: row by row
// on SQLite, where a prepared statement costs a microsecond, and set by set on PostgreSQL, where a round trip does not.
import { type Dialect, type Door, statement } from '@quarterdeck/core/db';
import { applyRank, RankChanges } from './errlog.rank.ts';

/** One occurrence, or several equal ones of the same second. */
export interface Occurrence {
  readonly time: number;
  readonly reqId: string;
  readonly count: number;
  readonly log: string;
}

/** The lines of a batch that belong to one group. */
export interface GroupBatch {
  readonly src: number;
  readonly nodeType: number;
  readonly appId: number;
  readonly level: number;
  readonly fingerprint: string;
  /** Sum of the occurrences. */
  count: number;
  /** Unix seconds of the earliest and of the latest occurrence. */
  firstSeen: number;
  logTime: number;
  /** Text of the latest occurrence. */
  log: string;
  readonly occurrences: Occurrence[];
}

/** Which groups a batch made, and which it repeated. */
export interface StoredBatch {
  readonly created: number[];
  readonly repeated: number[];
}

/** Stores a batch. Either all of it is durable when the surrounding write resolves, or nothing. */
export async function storeBatch(tx: Door, dialect: Dialect, groups: readonly GroupBatch[]): Promise<StoredBatch> {
  const rank = new RankChanges();
  const stored = await (dialect === 'sqlite' ? storeRows(tx, groups, rank) : storeSets(tx, groups, rank));
  await applyRank(tx, dialect, rank);
  return stored;
}

const FIND = statement(
  'SELECT id, log_time FROM errlog WHERE src = ? AND app_id = ? AND level = ? AND fingerprint = ?',
);
const INSERT_GROUP = statement(
  `INSERT INTO errlog (src, node_type, app_id, level, fingerprint, log, count, first_seen, log_time)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
);
// Leaves `log_time` alone, and with it every index: the usual case in a burst, where the second stays the same.
const REPEAT_SAME_SECOND = statement(
  'UPDATE errlog SET count = count + ?, first_seen = min(first_seen, ?), log = ? WHERE id = ?',
);
const REPEAT_LATER = statement(
  'UPDATE errlog SET count = count + ?, first_seen = min(first_seen, ?), log = ?, log_time = ? WHERE id = ?',
);
// Lines that arrive late count, but the newest text stays.
const REPEAT_EARLIER = statement('UPDATE errlog SET count = count + ?, first_seen = min(first_seen, ?) WHERE id = ?');
const INSERT_OCCURRENCE = statement(
  'INSERT INTO errlog_event (errlog_id, time, req_id, count, log) VALUES (?, ?, ?, ?, ?)',
);

async function storeRows(tx: Door, groups: readonly GroupBatch[], rank: RankChanges): Promise<StoredBatch> {
  const { sql } = tx;
  const created: number[] = [];
  const repeated: number[] = [];
  for (const group of groups) {
    const { src, appId, level, fingerprint, count, firstSeen, logTime, log } = group;
    const known = await sql.get<{ id: number; log_time: number }>(FIND, src, appId, level, fingerprint);
    let id: number;
    if (known === undefined) {
      const row = await sql.get<{ id: number }>(
        INSERT_GROUP,
        ...[src, group.nodeType, appId, level, fingerprint, log, count, firstSeen, logTime],
      );
      if (row === undefined) throw new Error('an insert returned no id');
      id = row.id;
      created.push(id);
      rank.add(src, level, logTime);
    } else {
      id = known.id;
      repeated.push(id);
      if (logTime < known.log_time) await sql.run(REPEAT_EARLIER, count, firstSeen, id);
      else if (logTime === known.log_time) await sql.run(REPEAT_SAME_SECOND, count, firstSeen, log, id);
      else {
        await sql.run(REPEAT_LATER, count, firstSeen, log, logTime, id);
        rank.move(src, level, known.log_time, logTime);
      }
    }
    for (const { time, reqId, count: times, log: text } of group.occurrences) {
      await sql.run(INSERT_OCCURRENCE, id, time, reqId, times, text);
    }
  }
  return { created, repeated };
}

// Batches of several servers would lock the same groups and buckets in different orders. One at a time, they cannot.
const LOCK = statement({ sqlite: '', postgresql: 'SELECT pg_advisory_xact_lock(7080, 2)' });
const SET = `jsonb_to_recordset($1::jsonb) AS g(i int, id int8, src int, node_type int, app_id int, level int,
  fingerprint text, log text, count int8, first_seen int8, log_time int8)`;
const FIND_SET = statement({
  sqlite: '',
  postgresql: `SELECT g.i, e.id, e.log_time FROM ${SET} JOIN errlog e ON e.src = g.src AND e.app_id = g.app_id
    AND e.level = g.level AND e.fingerprint = g.fingerprint`,
});
const INSERT_SET = statement({
  sqlite: '',
  postgresql: `INSERT INTO errlog (src, node_type, app_id, level, fingerprint, log, count, first_seen, log_time)
    SELECT src, node_type, app_id, level, fingerprint, log, count, first_seen, log_time FROM ${SET} ORDER BY i
    RETURNING id, src, app_id, level, fingerprint`,
});
const REPEAT_SET = statement({
  sqlite: '',
  postgresql: `UPDATE errlog e SET count = e.count + g.count, first_seen = least(e.first_seen, g.first_seen),
    log = CASE WHEN g.log_time >= e.log_time THEN g.log ELSE e.log END, log_time = greatest(e.log_time, g.log_time)
    FROM ${SET} WHERE e.id = g.id`,
});
const INSERT_OCCURRENCES = statement({
  sqlite: '',
  postgresql: `INSERT INTO errlog_event (errlog_id, time, req_id, count, log)
    SELECT errlog_id, time, req_id, count, log
    FROM jsonb_to_recordset($1::jsonb) AS o(errlog_id int8, time int8, req_id text, count int8, log text)`,
});

const identity = (src: number, appId: number, level: number, fingerprint: string) =>
  `${src},${appId},${level},${fingerprint}`;

async function storeSets(tx: Door, groups: readonly GroupBatch[], rank: RankChanges): Promise<StoredBatch> {
  const { sql } = tx;
  await sql.all(LOCK);
  const row = (group: GroupBatch, i: number, id: number | null) => ({
    i,
    id,
    src: group.src,
    node_type: group.nodeType,
    app_id: group.appId,
    level: group.level,
    fingerprint: group.fingerprint,
    log: group.log,
    count: group.count,
    first_seen: group.firstSeen,
    log_time: group.logTime,
  });
  const found = await sql.all<{ i: number; id: number; log_time: number }>(
    FIND_SET,
    JSON.stringify(groups.map((group, i) => ({ ...row(group, i, null), log: '' }))),
  );
  const known = new Map(found.map(({ i, id, log_time }) => [i, { id, log_time }]));
  const ids = new Map<GroupBatch, number>();
  const fresh = groups.filter((_, i) => !known.has(i));
  const repeats = groups.flatMap((group, i) => {
    const before = known.get(i);
    if (before === undefined) return [];
    ids.set(group, before.id);
    if (group.logTime > before.log_time) rank.move(group.src, group.level, before.log_time, group.logTime);
    return [row(group, i, before.id)];
  });
  if (repeats.length > 0) await sql.run(REPEAT_SET, JSON.stringify(repeats));
  const created: number[] = [];
  if (fresh.length > 0) {
    const byIdentity = new Map(fresh.map((g) => [identity(g.src, g.appId, g.level, g.fingerprint), g]));
    const rows = await sql.all<{ id: number; src: number; app_id: number; level: number; fingerprint: string }>(
      INSERT_SET,
      JSON.stringify(fresh.map((group, i) => row(group, i, null))),
    );
    for (const { id, src, app_id, level, fingerprint } of rows) {
      const group = byIdentity.get(identity(src, app_id, level, fingerprint));
      if (group === undefined) throw new Error('an insert returned a row that was not inserted');
      ids.set(group, id);
      created.push(id);
      rank.add(src, level, group.logTime);
    }
  }
  const occurrences = groups.flatMap((group) =>
    group.occurrences.map(({ time, reqId, count, log }) => ({
      errlog_id: ids.get(group),
      time,
      req_id: reqId,
      count,
      log,
    })),
  );
  await sql.run(INSERT_OCCURRENCES, JSON.stringify(occurrences));
  return { created, repeated: repeats.map(({ id }) => id ?? 0) };
}
