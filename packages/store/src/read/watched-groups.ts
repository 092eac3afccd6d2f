// Groups for rules of alerts: those among a few ids, and those that happened lately, with their occurrences.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database, Sql } from '@quarterdeck/core/db';
import { statement } from '@quarterdeck/core/db';
import { compileFilter, type FilterableLine } from '@quarterdeck/core/filter';
import { INT_MAX } from '@quarterdeck/core/plain';
import { cached, inJson, Where } from '@quarterdeck/core/sql';
import { filterWhere } from '../tables/filter.ts';
import { spanValues, sumOfMinutes } from '../tables/group-minutes.ts';
import { minuteOf } from '../tables/minutes.ts';
import { allFields } from '../tables/occurrence-fields.ts';
import { HOST } from '../tables/sources.ts';
import { type GroupReader, lineQueryOf } from './line-search.ts';
import { type Selection, selectGroups } from './selection.ts';

/** Groups of one statement. The event loop is free between two of them. */
const STEP = 500;
/** Groups that a search of lines returns at most. */
const SEARCH_MAX = 20_000;

/** A group, as rules see it. Times are Unix seconds. */
export interface WatchedGroup {
  readonly id: number;
  readonly src: number;
  /** Empty is none, or not known. */
  readonly service: string;
  readonly state: string;
  readonly firstSeen: number;
  /** Arrival of its first line; 0 is unknown. */
  readonly arrived: number;
  readonly logTime: number;
}

/** A group with its occurrences since a time. */
export interface CountedGroup extends WatchedGroup {
  readonly n: number;
}

const COLUMNS = `e.id, e.src, coalesce(e.service, '') AS service, e.state, e.first_seen AS "firstSeen",
  e.arrived, e.log_time AS "logTime"`;

/** Condition of the groups of a selection, whenever they happened last. */
const whereOf = ({ dialect }: Database, { groups }: Selection) =>
  filterWhere(dialect, { ...groups, end_time: undefined });

/** The groups among some ids that match a filter; of a condition on lines, a stored line or the newest text decides. */
export async function groupsAmong(
  reader: GroupReader,
  filter: string,
  ids: readonly number[],
): Promise<WatchedGroup[]> {
  const selection = await selectGroups(reader, { filter });
  const found: WatchedGroup[] = [];
  for (let at = 0; at < ids.length; at += STEP) {
    if (at > 0) await yieldToEventLoop();
    found.push(...(await amongStep(reader, selection, ids.slice(at, at + STEP))));
  }
  return found;
}

type TextRow = WatchedGroup & Pick<FilterableLine, 'level' | 'app_id' | 'log' | 'host' | 'source'>;

async function amongStep(
  reader: GroupReader,
  selection: Selection,
  ids: readonly number[],
): Promise<readonly WatchedGroup[]> {
  const { db, nowS, lines: lineReads, credential } = reader;
  const where = new Where().and(inJson(db.dialect, 'e.id'), JSON.stringify(ids)).merge(whereOf(db, selection));
  const read = <Row>(columns: string) =>
    db.read.sql.all<Row>(
      cached(`SELECT ${columns} FROM errlog e JOIN source s ON s.id = e.src${where.text} ORDER BY e.id`),
      ...where.values,
    );
  if (selection.lines === undefined) return read<WatchedGroup>(COLUMNS);
  const rows = await read<TextRow>(`${COLUMNS}, e.level, e.app_id, e.log, ${HOST} AS host, ${HOST} AS source`);
  const test = compileFilter(selection.lines, nowS);
  const others = rows.filter((row) => !test(lineOf(row)));
  if (others.length === 0) return rows;
  const query = {
    ...(await lineQueryOf(db, selection)),
    groups: others.map(({ id }) => id),
    startTime: Math.min(...others.map(({ firstSeen }) => firstSeen)),
  };
  const { ids: byLines } = await lineReads.groupIds(query, others.length, credential);
  const unmatched = new Set(query.groups.filter((id) => !byLines.includes(id)));
  return rows.filter(({ id }) => !unmatched.has(id));
}

/** The newest text of a group as a line. Its request id and the fields beside its text are not known. */
const lineOf = ({ id, logTime, ...row }: TextRow): FilterableLine => ({
  ...row,
  group: id,
  time: logTime,
  req_id: '',
  fields: () => allFields(undefined, row.log),
});

/** Narrows a read of recent groups. */
export interface RecentOptions {
  /** Occurrences in all that a group must exceed. */
  readonly over?: number;
  /** Time from which occurrences are counted, Unix seconds. */
  readonly countedS?: number;
}

/**
 * Groups of a filter that happened since a time, in portions, the latest first. The minute that the time cuts counts in
 * part. With a condition on lines, only lines that meet it count.
 */
export async function* recentGroups(
  reader: GroupReader,
  filter: string,
  sinceS: number,
  { over = 0, countedS = sinceS }: RecentOptions = {},
): AsyncGenerator<CountedGroup[]> {
  const { db } = reader;
  const selection = await selectGroups(reader, { filter });
  if (selection.lines !== undefined) {
    yield* bySearch(reader, selection, sinceS);
    return;
  }
  const where = whereOf(db, selection);
  if (over > 0) where.and('e.count > ?', over);
  const minute = minuteOf(countedS);
  const part = 1 - (countedS % 60) / 60;
  const sum = sumOfMinutes(db.dialect, 'e.id');
  const rest = `FROM errlog e WHERE e.log_time >= ? AND (e.log_time, e.id) < (?, ?)`;
  const narrowed = where.parts.map((condition) => ` AND ${condition}`).join('');
  const text = `SELECT ${COLUMNS}, ${sum} AS first, ${sum} AS later
    ${rest}${narrowed} ORDER BY e.log_time DESC, e.id DESC LIMIT ${STEP}`;
  let behind = [Number.MAX_SAFE_INTEGER, 0];
  for (;;) {
    const rows = await db.read.sql.all<WatchedGroup & { first: number; later: number }>(
      cached(text),
      ...[...spanValues(minute, minute + 1), ...spanValues(minute + 1, INT_MAX), sinceS, ...behind, ...where.values],
    );
    if (rows.length > 0) yield rows.map(({ first, later, ...group }) => ({ ...group, n: first * part + later }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < STEP) return;
    behind = [last.logTime, last.id];
    await yieldToEventLoop();
  }
}

async function* bySearch(
  { db, lines, credential }: GroupReader,
  selection: Selection,
  sinceS: number,
): AsyncGenerator<CountedGroup[]> {
  const query = await lineQueryOf(db, selection);
  const startTime = Math.max(query.startTime ?? 0, sinceS);
  const { groups, complete } = await lines.groups({ ...query, startTime }, SEARCH_MAX, credential);
  if (!complete && groups.length < SEARCH_MAX) throw new Error('The search of lines for a rule took too long.');
  for (let at = 0; at < groups.length; at += STEP) {
    const counts = new Map(groups.slice(at, at + STEP).map(({ id, count }) => [id, count]));
    const rows = await db.read.sql.all<WatchedGroup>(byId(db), JSON.stringify([...counts.keys()]));
    yield rows.map((group) => ({ ...group, n: counts.get(group.id) ?? 0 }));
    await yieldToEventLoop();
  }
}

const byId = ({ dialect }: Database) => cached(`SELECT ${COLUMNS} FROM errlog e WHERE ${inJson(dialect, 'e.id')}`);

const NEWEST = statement('SELECT coalesce(max(id), 0) AS id FROM errlog');

/** Id of the newest group. On PostgreSQL a smaller one may appear later, from a batch that commits behind it. */
export const newestId = async (sql: Sql): Promise<number> => (await sql.get<{ id: number }>(NEWEST))?.id ?? 0;

// A group that a person split off is not a new error.
const AFTER = statement(
  `SELECT id FROM errlog e WHERE id > ? AND NOT EXISTS
     (SELECT 1 FROM errlog_history h WHERE h.other_id = e.id AND h.action = 'split') ORDER BY id LIMIT ?`,
);

/** Ids of groups above an id, by rising id. */
export const idsAfter = async (sql: Sql, id: number, limit: number): Promise<number[]> =>
  (await sql.all<{ id: number }>(AFTER, id, limit)).map((row) => row.id);

/** A group that regressed. `since` is the time of it, Unix seconds. */
export interface Regressed {
  readonly id: number;
  readonly since: number;
}

const REGRESSED = statement(
  `SELECT id, state_since AS since FROM errlog WHERE state = 'regressed' AND state_since >= ?
   ORDER BY state_since, id LIMIT ?`,
);

/** Groups that regressed at a time or later, Unix seconds, oldest first. */
export const regressedSince = (sql: Sql, timeS: number, limit: number): Promise<Regressed[]> =>
  sql.all<Regressed>(REGRESSED, timeS, limit);

const FIRST_FROM = statement('SELECT id, arrived FROM errlog WHERE id >= ? ORDER BY id LIMIT 1');

/** Id before the first group that arrived at a time or later, Unix seconds. Groups have ids in the order of arrival. */
export async function idBefore(sql: Sql, timeS: number): Promise<number> {
  let low = 0;
  let high = (await newestId(sql)) + 1;
  while (low < high - 1) {
    const middle = Math.floor((low + high) / 2);
    const found = await sql.get<{ arrived: number }>(FIRST_FROM, middle);
    if (found === undefined || found.arrived >= timeS) high = middle;
    else low = middle;
  }
  return high - 1;
}
