// A batch on PostgreSQL: set by set, because each statement is a round trip. Batches of several servers run at the same
// time: they find and insert groups side by side, and update them one after the other (decision 063).
import type { SqlTx, SqlValue } from '@quarterdeck/core/db';
import { numberArray, onPostgres, textArray } from '@quarterdeck/core/sql';
import { firstWith } from '../tables/fingerprint-index.ts';
import { errorKey, type GroupKey } from '../tables/group-key.ts';
import { magnitudeOf } from '../tables/group-state.ts';
import { ANY_SOURCE } from '../tables/totals.ts';
import { firstState, type GroupBatch, KNOWN, type Known, newGroupOf, type Recorder, type Repeat } from './batch.ts';
import type { NewGroup } from './fresh-segment.ts';
import { rateIsOver } from './mute-rate.ts';
import { type Allowance, joinSurplus } from './new-group-limit.ts';

/** A set `g` of rows: column -> type. Its arrays are the first parameters; `place` counts the rows from 1. */
const set = (columns: Readonly<Record<string, string>>) => {
  const arrays = Object.values(columns).map((type, i) => `$${i + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS g(${Object.keys(columns).join(', ')}, place)`;
};
/** A set of unknown size: it is read row by row, and the rows of a table are looked up in its order. */
const orderedSet = (columns: Readonly<Record<string, string>>) =>
  set(columns).replaceAll(/\$\d+::\w+\[\]/g, '(SELECT $&)');
const onSets = (text: string) => onPostgres(text, { plannedEachTime: true });

const KEY = { src: 'int', app_id: 'int', level: 'int', fingerprint: 'text' };
const SEEN = { log: 'text', count: 'int8', first_seen: 'int8', log_time: 'int8' };
const NEW = { ...SEEN, magnitude: 'int', node_type: 'int', service: 'text', now: 'int8', state: 'text', until: 'text' };
const INDEX = '(g.place - 1)::int AS i';

const FIND_SET = onSets(`SELECT ${INDEX}, e.* FROM ${set(KEY)}
  CROSS JOIN LATERAL ${firstWith('group', KNOWN, 'LIMIT 1')} e`);
const FIND_IDS = onSets(`SELECT ${INDEX}, ${KNOWN} FROM ${set({ id: 'int8' })} JOIN errlog e ON e.id = g.id`);
// Ids rise in the order of the set, and rows are inserted in the order of their keys. A group that another server has
// inserted meanwhile is left out.
const INSERT_SET = onSets(`INSERT INTO errlog
    (id, src, node_type, app_id, level, fingerprint, service, log, count, magnitude, first_seen, log_time, arrived,
      state_since, state, until)
  SELECT id, src, node_type, app_id, level, fingerprint, service, log, count, magnitude, first_seen, log_time, now, now,
    state, until
  FROM (SELECT nextval('errlog_id_seq') AS id, g.* FROM ${set({ ...KEY, ...NEW })}) g
  ORDER BY fingerprint, level, app_id, src
  ON CONFLICT (fingerprint, level, app_id, src) DO NOTHING RETURNING id, src, app_id, level, fingerprint`);
// The magnitude is that of `magnitudeOf`.
const COUNT = 'e.count + g.count';
const REPEAT_SET = onSets(`UPDATE errlog e SET count = ${COUNT},
    magnitude = CASE WHEN ${COUNT} < 8 THEN ${COUNT} ELSE floor(8 * (ln((${COUNT})::float8) / ln(2::float8) - 2)) END,
    first_seen = least(e.first_seen, g.first_seen),
    log = CASE WHEN g.log_time >= e.log_time THEN g.log ELSE e.log END,
    text_stale = e.text_stale OR g.log_time >= e.log_time,
    log_time = greatest(e.log_time, g.log_time)
  FROM ${orderedSet({ id: 'int8', ...SEEN })} WHERE e.id = g.id`);
const STATE_SET = onSets(`UPDATE errlog e
  SET state = g.state, state_since = g.since, until = '', until_time = 0, until_count = 0
  FROM ${set({ id: 'int8', state: 'text', since: 'int8' })} WHERE e.id = g.id`);
/** Place of a row in its set, from 0. */
interface Place {
  readonly i: number;
}

/** Counts the errors of new groups, `n` of them with each, that no other group has. */
const COUNT_FIRST = onSets(`INSERT INTO errlog_total (src, app_id, level, service, state, n)
  SELECT ${ANY_SOURCE}, g.app_id, g.level, g.service, '', count(*)
  FROM ${set({ app_id: 'int', level: 'int', fingerprint: 'text', service: 'text', n: 'int' })}
  WHERE NOT EXISTS ${firstWith('error', '1', 'LIMIT 1 OFFSET g.n')} GROUP BY g.app_id, g.level, g.service
  ON CONFLICT (src, app_id, level, service, state) DO UPDATE SET n = errlog_total.n + excluded.n`);

const groupKey = (group: GroupKey) => `${group.src},${errorKey(group)}`;

/** The groups of a batch as they are stored. */
export interface StoredSets {
  /** Lines by group. */
  readonly content: NewGroup[];
  /** New groups. Their errors are not counted yet. */
  readonly created: GroupBatch[];
  /** Groups that a batch only adds to. */
  readonly repeats: Repeat[];
  /** Groups whose state depends on their count, or on what other batches store. */
  readonly undecided: (readonly [group: GroupBatch, id: number])[];
}

/** Finds the groups of a batch and inserts the new ones. The caller shares the lock of the groups. */
export async function storeSets(
  tx: SqlTx,
  groups: readonly GroupBatch[],
  recorder: Recorder,
  allowance: Allowance,
): Promise<StoredSets> {
  const stored: StoredSets = { content: [], created: [], repeats: [], undecided: [] };
  const find = (some: readonly GroupBatch[]) => findKnown(tx, some, recorder, stored);
  const left = await find(groups);
  const fresh: GroupBatch[] = [];
  const surplus: GroupBatch[] = [];
  for (const group of left) (allowance.take(group.sender) ? fresh : surplus).push(group);
  if (surplus.length > 0) fresh.push(...(await find(joinSurplus(surplus))));
  if (fresh.length === 0) return stored;
  const insertedElsewhere = await insertSet(tx, fresh, recorder, stored);
  if (insertedElsewhere.length === 0) return stored;
  const lost = await find(insertedElsewhere);
  if (lost.length > 0) throw new Error('a group vanished');
  return stored;
}

/** Tells whether {@link decideStates} has something to do. */
export const hasUndecided = ({ undecided }: StoredSets): boolean => undecided.length > 0;

/** Decides states by what all earlier batches stored. No other batch may commit from now on until this one does. */
export async function decideStates(
  { sql }: SqlTx,
  { repeats, undecided }: StoredSets,
  recorder: Recorder,
): Promise<void> {
  for (const { i, ...known } of await sql.all<Known & Place>(FIND_IDS, numberArray(undecided.map(([, id]) => id)))) {
    const [group] = undecided[i] as (typeof undecided)[number];
    const rateOver = await rateIsOver(sql, { known, logTime: group.logTime, lines: group.lines }, recorder.lines);
    repeats.push(recorder.repeated(known, group, rateOver));
  }
}

/** Counts the errors of new groups that no other group has. No other batch may commit until this one does. */
export async function countFirst({ sql }: SqlTx, { created }: StoredSets): Promise<void> {
  const errors = [...Map.groupBy(created, errorKey).values()] as [GroupBatch, ...GroupBatch[]][];
  if (errors.length === 0) return;
  await sql.run(
    COUNT_FIRST,
    numberArray(errors.map(([{ appId }]) => appId)),
    numberArray(errors.map(([{ level }]) => level)),
    textArray(errors.map(([{ fingerprint }]) => fingerprint)),
    textArray(errors.map(([{ service }]) => service)),
    numberArray(errors.map(({ length }) => length)),
  );
}

/** Updates the groups of a batch that existed before. */
export async function updateSets({ sql }: SqlTx, { repeats }: StoredSets, nowS: number): Promise<void> {
  if (repeats.length === 0) return;
  // The order of most indexes of groups: their new entries are neighbours, which takes half the time.
  const sorted = [...repeats].sort((a, b) => a.group.logTime - b.group.logTime || a.known.id - b.known.id);
  const changed = repeats.filter(({ known, state }) => state !== known.state);
  await Promise.all([
    sql.run(REPEAT_SET, numberArray(sorted.map(({ known }) => known.id)), ...seenOf(sorted.map(({ group }) => group))),
    changed.length > 0 &&
      sql.run(
        STATE_SET,
        numberArray(changed.map(({ known }) => known.id)),
        textArray(changed.map(({ state }) => state)),
        numberArray(changed.map(() => nowS)),
      ),
  ]);
}

/** Finds the groups that exist. Returns the others. */
async function findKnown(
  { sql }: SqlTx,
  groups: readonly GroupBatch[],
  recorder: Recorder,
  { content, repeats, undecided }: StoredSets,
): Promise<GroupBatch[]> {
  const sorted = [...groups].sort(byKey);
  const rows = await sql.all<Known & Place>(FIND_SET, ...keysOf(sorted));
  const known = new Map<GroupBatch, Known>(rows.map(({ i, ...row }) => [sorted[i] as GroupBatch, row]));
  for (const [group, before] of known) {
    content.push(newGroupOf(before.id, group));
    // Batches never change the other states.
    if (before.state === 'resolved' || before.state === 'muted') undecided.push([group, before.id]);
    else repeats.push(recorder.repeated(before, group, false));
  }
  return groups.filter((group) => !known.has(group));
}

/** The order of the index: neighbours share its pages. */
function byKey(a: GroupKey, b: GroupKey): number {
  if (a.fingerprint !== b.fingerprint) return a.fingerprint < b.fingerprint ? -1 : 1;
  return a.level - b.level || a.appId - b.appId || a.src - b.src;
}

/** Inserts groups. Returns those that another server has inserted meanwhile. */
async function insertSet(
  { sql }: SqlTx,
  fresh: readonly GroupBatch[],
  recorder: Recorder,
  { content, created }: StoredSets,
): Promise<GroupBatch[]> {
  const left = new Map(fresh.map((group) => [groupKey(group), group]));
  const rows = await sql.all<{ id: number; src: number; app_id: number; level: number; fingerprint: string }>(
    INSERT_SET,
    ...keysOf(fresh),
    ...seenOf(fresh),
    numberArray(fresh.map(({ count }) => magnitudeOf(count))),
    numberArray(fresh.map(({ nodeType }) => nodeType)),
    textArray(fresh.map(({ service }) => service)),
    numberArray(fresh.map(() => recorder.nowS)),
    textArray(fresh.map((group) => firstState(group).state)),
    textArray(fresh.map((group) => firstState(group).until)),
  );
  for (const { id, app_id: appId, ...row } of rows.sort((a, b) => a.id - b.id)) {
    const key = groupKey({ ...row, appId });
    const group = left.get(key);
    if (group === undefined) throw new Error('an insert returned a row that was not inserted');
    left.delete(key);
    created.push(group);
    recorder.created(id, group);
    content.push(newGroupOf(id, group));
  }
  return [...left.values()];
}

/** Returns the arrays of {@link KEY}. */
const keysOf = (groups: readonly GroupKey[]): SqlValue[] => [
  numberArray(groups.map(({ src }) => src)),
  numberArray(groups.map(({ appId }) => appId)),
  numberArray(groups.map(({ level }) => level)),
  textArray(groups.map(({ fingerprint }) => fingerprint)),
];

/** Returns the arrays of {@link SEEN}, the values that occurrences change. */
const seenOf = (groups: readonly GroupBatch[]): SqlValue[] => [
  textArray(groups.map(({ log }) => log)),
  numberArray(groups.map(({ count }) => count)),
  numberArray(groups.map(({ firstSeen }) => firstSeen)),
  numberArray(groups.map(({ logTime }) => logTime)),
];
