// A batch on PostgreSQL: set by set, because each statement is a round trip.
import { type SqlTx, statement } from '@quarterdeck/core/db';
import { numberArray, textArray } from '../../sql/arrays.ts';
import type { GroupLines } from '../segments/segment.ts';
import { errorKey, type GroupKey } from '../tables/group-key.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { magnitudeOf } from '../tables/group-state.ts';
import { ADOPT, ANY_UNNAMED, unnamedKeys } from './adoption.ts';
import {
  type GroupBatch,
  groupLinesOf,
  KNOWN,
  type Known,
  type Recorder,
  type Repeat,
  SET_STATE,
  type Unnamed,
} from './batch.ts';
import { rateIsOver } from './mute-rate.ts';
import { type Allowance, joinSurplus } from './new-group-limit.ts';

const set = (columns: string) => `jsonb_to_recordset($1::jsonb) AS g(${columns})`;
const KEY = 'i int, src int, app_id int, level int, fingerprint text';
const KEYS = `unnest($1::int[], $2::int[], $3::int[], $4::text[]) WITH ORDINALITY
  AS g(src, app_id, level, fingerprint, place)`;
const SEEN = 'log text, count int8, magnitude int, first_seen int8, log_time int8';
const SAME = 'e.fingerprint = g.fingerprint AND e.level = g.level AND e.app_id = g.app_id';
/**
 * SQL of the first row of `errlog e` with the key of `g`. Only the index of fingerprints has the rows in this order:
 * before the first statistics PostgreSQL believes that any index of some of the columns finds a single row.
 */
const firstWith = (key: string, columns: string) => {
  const row = (alias: string) => `(${key.replaceAll(/\w+/g, `${alias}.$&`)})`;
  return `(SELECT ${columns} FROM errlog e WHERE ${row('e')} >= ${row('g')} AND ${row('e')} <= ${row('g')}
    ORDER BY e.fingerprint, e.level, e.app_id, e.src LIMIT 1)`;
};
const FIND_SET = statement(
  {
    sqlite: '',
    postgresql: `SELECT (g.place - 1)::int AS i, e.* FROM ${KEYS}
      CROSS JOIN LATERAL ${firstWith('fingerprint, level, app_id, src', KNOWN)} e`,
  },
  { plannedEachTime: true },
);
const ELSEWHERE_SET = statement(
  {
    sqlite: '',
    postgresql: `SELECT (g.place - 1)::int AS i FROM ${KEYS}
      CROSS JOIN LATERAL ${firstWith('fingerprint, level, app_id', '1')} e`,
  },
  { plannedEachTime: true },
);
const INSERT_SET = statement({
  sqlite: '',
  postgresql: `INSERT INTO errlog
      (src, node_type, app_id, level, fingerprint, service, log, count, magnitude, first_seen, log_time, arrived, state_since)
    SELECT src, node_type, app_id, level, fingerprint, service, log, count, magnitude, first_seen, log_time, now, now
    FROM ${set(`${KEY}, node_type int, service text, ${SEEN}, now int8`)}
    ORDER BY i RETURNING id, src, app_id, level, fingerprint`,
});
const REPEAT_SET = statement({
  sqlite: '',
  postgresql: `UPDATE errlog e SET count = e.count + g.count, magnitude = g.magnitude,
    first_seen = least(e.first_seen, g.first_seen),
    log = CASE WHEN g.log_time >= e.log_time THEN g.log ELSE e.log END,
    text_stale = e.text_stale OR g.log_time >= e.log_time,
    log_time = greatest(e.log_time, g.log_time)
    FROM ${set(`id int8, ${SEEN}`)} WHERE e.id = g.id`,
});
const FIND_UNNAMED_SET = statement({
  sqlite: '',
  postgresql: `SELECT g.i, e.fingerprint, e.src, ${KNOWN} FROM ${set(KEY)}
    JOIN errlog e ON ${SAME} AND e.src = g.src AND e.service IS NULL`,
});
const IS_ANYWHERE = statement(
  'SELECT 1 AS found FROM errlog WHERE fingerprint = ? AND level = ? AND app_id = ? LIMIT 1',
);

const groupKey = (group: GroupKey) => `${group.src},${errorKey(group)}`;

/** Stores the groups of a batch and returns their lines by group. */
export async function storeSets(
  tx: SqlTx,
  groups: readonly GroupBatch[],
  recorder: Recorder,
  allowance: Allowance,
): Promise<GroupLines[]> {
  await lockGroups(tx, 'postgresql');
  const lines: GroupLines[] = [];
  const left = await storeKnown(tx, groups, recorder, lines);
  const fresh: GroupBatch[] = [];
  const surplus: GroupBatch[] = [];
  for (const group of left) (allowance.take(group.sender) ? fresh : surplus).push(group);
  if (surplus.length > 0) fresh.push(...(await storeKnown(tx, joinSurplus(surplus), recorder, lines)));
  if (fresh.length > 0) lines.push(...(await insertSet(tx, fresh, recorder)));
  return lines;
}

/** Stores the lines of groups that exist, and adds them to `lines`. Returns the other groups. */
async function storeKnown(
  tx: SqlTx,
  groups: readonly GroupBatch[],
  recorder: Recorder,
  lines: GroupLines[],
): Promise<GroupBatch[]> {
  const { sql } = tx;
  const known = byIndex(await sql.all<Row>(FIND_SET, ...keysOf(groups)));
  await adoptSet(tx, groups, recorder, known);
  const repeats: Repeat[] = [];
  for (const [i, group] of groups.entries()) {
    const before = known.get(i);
    if (before === undefined) continue;
    lines.push(groupLinesOf(before.id, group));
    const rateOver = await rateIsOver(sql, { known: before, ...group });
    repeats.push(recorder.repeated(before, group, rateOver));
  }
  if (repeats.length > 0) await updateSet(tx, repeats, recorder.nowS);
  return groups.filter((_, i) => !known.has(i));
}

type Row = Known & { readonly i: number };

const byIndex = (rows: readonly Row[]): Map<number, Known> => new Map(rows.map((row) => [row.i, row]));

/** Gives groups without a service to new lines, and adds them to `known`. */
async function adoptSet(
  { sql }: SqlTx,
  groups: readonly GroupBatch[],
  recorder: Recorder,
  known: Map<number, Known>,
): Promise<void> {
  if (known.size === groups.length || (await sql.get(ANY_UNNAMED)) === undefined) return;
  const keys = groups.flatMap((group, i) => {
    if (known.has(i)) return [];
    return unnamedKeys(group).map(({ appId, ...key }) => ({ i, ...key, app_id: appId }));
  });
  const adopted = new Set<number>();
  for (const row of await sql.all<Unnamed & { i: number; fingerprint: string }>(
    FIND_UNNAMED_SET,
    JSON.stringify(keys),
  )) {
    // Several services may have sent the error in this batch: the first takes the group.
    if (known.has(row.i) || adopted.has(row.id)) continue;
    adopted.add(row.id);
    const group = groups[row.i] as GroupBatch;
    const { level, appId } = group;
    const isAnywhere = async (print: string) => (await sql.get(IS_ANYWHERE, print, level, appId)) !== undefined;
    const isCounted = await isAnywhere(group.fingerprint);
    await sql.run(ADOPT, group.fingerprint, group.service, group.src, row.id);
    recorder.adopted(row, group, { isLeft: await isAnywhere(row.fingerprint), isCounted });
    known.set(row.i, row);
  }
}

async function updateSet({ sql }: SqlTx, repeats: readonly Repeat[], nowS: number): Promise<void> {
  const rows = toJson(repeats, ({ known: { id, count }, group }) => ({ id, ...seenOf(group, count) }));
  await sql.run(REPEAT_SET, rows);
  for (const { known, state } of repeats) {
    if (state !== known.state) await sql.run(SET_STATE, state, nowS, known.id);
  }
}

async function insertSet({ sql }: SqlTx, fresh: readonly GroupBatch[], recorder: Recorder): Promise<GroupLines[]> {
  const elsewhere = await sql.all<{ i: number }>(ELSEWHERE_SET, ...keysOf(fresh));
  const kinds = new Set(elsewhere.map(({ i }) => errorKey(fresh[i] as GroupBatch)));
  const byKey = new Map(fresh.map((group) => [groupKey(group), group]));
  const rows = await sql.all<{ id: number; src: number; app_id: number; level: number; fingerprint: string }>(
    INSERT_SET,
    toJson(fresh, (group, i) => {
      const { nodeType, service } = group;
      return { ...keyOf(group, i), node_type: nodeType, service, ...seenOf(group, 0), now: recorder.nowS };
    }),
  );
  return rows.map(({ id, app_id, ...row }) => {
    const group = byKey.get(groupKey({ ...row, appId: app_id }));
    if (group === undefined) throw new Error('an insert returned a row that was not inserted');
    recorder.created(id, group, !kinds.has(errorKey(group)));
    kinds.add(errorKey(group));
    return groupLinesOf(id, group);
  });
}

/** Returns the values of {@link KEYS}. */
const keysOf = (groups: readonly GroupKey[]): string[] => [
  numberArray(groups.map(({ src }) => src)),
  numberArray(groups.map(({ appId }) => appId)),
  numberArray(groups.map(({ level }) => level)),
  textArray(groups.map(({ fingerprint }) => fingerprint)),
];

/** Returns a list as the one parameter of a statement. */
const toJson = <Item>(list: readonly Item[], row: (item: Item, i: number) => object): string =>
  JSON.stringify(list.map(row));

const keyOf = ({ src, appId, level, fingerprint }: GroupKey, i: number) => ({
  i,
  src,
  app_id: appId,
  level,
  fingerprint,
});

/** The values that an occurrence changes; `before` is the count without it. */
const seenOf = ({ log, count, firstSeen, logTime }: GroupBatch, before: number) => ({
  log,
  count,
  magnitude: magnitudeOf(before + count),
  first_seen: firstSeen,
  log_time: logTime,
});
