// The list of agents: filter, pages, ids and totals. Lists are read often and Prisma takes several times as long for
// a page, so these are prepared statements. Decision 030.
import { setImmediate as nextRound } from 'node:timers/promises';
import {
  AGENT_TOTALS_MAX,
  type Agent,
  type AgentFilter,
  type AgentSort,
  type AgentState,
  type AgentTotals,
  type Page,
  type Slice,
} from '@quarterdeck/core';
import { type Database, type Dialect, type Sql, type SqlValue, statement } from '@quarterdeck/core/db';
import { among, cached, inJson, Where } from '@quarterdeck/core/sql';
import { agentCondition, containsText } from './agent-filter.repo.ts';
import { readRows, type Shape, toAgents } from './records/agent.repo.ts';
import { CLONED_SQL, ONLINE_SQL, STATE_SQL, stateParams } from './records/agent-status.repo.ts';
import { FLEET_NOW, type Fleet } from './records/fleet-at.repo.ts';
import type { Moment } from './records/listening-window.ts';

const PRESENT = 'NOT a.is_deleted';

/** Agents that a query selects. */
interface Selection {
  readonly filter: AgentFilter;
  readonly moment: Moment;
  /** The fleet that is read; the present one where absent. */
  readonly fleet?: Fleet;
  /** Ids of the agents that the caller may see; undefined for all. */
  readonly seen?: ReadonlySet<number> | undefined;
  /** Place of the filter in the request, for refusals. */
  readonly place: 'query' | 'body.filter';
}

/** A filter as conditions on `agent a`. */
async function agentWhere(db: Database, { filter, moment, fleet = FLEET_NOW, seen, place }: Selection): Promise<Where> {
  const { dialect } = db;
  const where = new Where();
  if (seen !== undefined) where.and(inJson(dialect, 'a.id'), JSON.stringify([...seen]));
  const language =
    filter.filter === undefined
      ? undefined
      : await agentCondition(filter.filter, { db, moment, fleet, seen, path: `${place}.filter` });
  const namesDeleted = filter.state?.includes('deleted') === true || language?.namesDeleted === true;
  if (!filter.include_deleted && !namesDeleted) where.and(PRESENT);
  addFlag(where, ONLINE_SQL, filter.online, moment.nowMs);
  if (filter.state !== undefined) {
    where.and(`${STATE_SQL} IN (${filter.state.map((state) => `'${state}'`).join(', ')})`, ...stateParams(moment));
  }
  addFlag(where, 'a.bad_kernel', filter.bad_kernel);
  addFlag(where, 'a.maintenance', filter.maintenance);
  addFlag(where, CLONED_SQL, filter.cloned, moment.nowMs);
  where.andIf('a.env = ?', filter.env).andIf('a.kernel = ?', filter.kernel);
  for (const { name, value } of filter.label ?? []) {
    const named = 'SELECT agent_id FROM agent_label WHERE name = ?';
    if (value === undefined) where.and(among(dialect, 'a.id', named), name);
    else where.and(among(dialect, 'a.id', `${named} AND value = ?`), name, value);
  }
  if (filter.q !== undefined) {
    const { text, values } = containsText(dialect, filter.q);
    where.and(text, ...values);
  }
  if (language !== undefined) where.and(`(${language.text})`, ...language.values);
  return where;
}

/** Adds a condition or its negation; nothing where `wanted` is undefined. */
function addFlag(where: Where, condition: string, wanted: boolean | undefined, ...values: SqlValue[]): void {
  if (wanted !== undefined) where.and(wanted ? condition : `NOT ${condition}`, ...values);
}

/** A request for a page. */
interface ListQuery extends Shape, Selection {
  readonly sort: AgentSort;
  readonly slice: Slice;
}

/** Columns of `agent a` by order. Texts have the same order on both databases, in every locale. */
const ORDERS: Readonly<Record<string, { readonly column: string; readonly text?: true }>> = {
  created: { column: 'a.created_ms' },
  hostname: { column: 'a.hostname', text: true },
  last_reported: { column: 'a.last_reported_ms' },
  state_since: { column: 'a.state_since_ms' },
  kernel: { column: 'a.kernel', text: true },
  package: { column: 'a.package_version' },
};

const isDescending = (sort: AgentSort) => sort.startsWith('-');

function orderBy(dialect: Dialect, sort: AgentSort): string {
  const order = ORDERS[isDescending(sort) ? sort.slice(1) : sort];
  const direction = isDescending(sort) ? 'DESC' : 'ASC';
  const collation = order?.text && dialect === 'postgresql' ? ' COLLATE "C"' : '';
  return `ORDER BY ${order?.column}${collation} ${direction}, a.id ${direction}`;
}

/** A page of agents, and the number of all that match. */
export async function listAgents(db: Database, query: ListQuery): Promise<Page<Agent>> {
  const {
    dialect,
    read: { sql },
  } = db;
  const { sort, slice, fleet = FLEET_NOW } = query;
  const where = await agentWhere(db, query);
  const order = orderBy(dialect, sort);
  const page = `${where.text} ${order} LIMIT ? OFFSET ?`;
  const read = (tail: string) => readRows(sql, query, tail, ...where.values, slice.limit, slice.offset);
  if (fleet.past !== undefined && slice.limit > 0) {
    // The columns of an earlier fleet cost much: only those of the filter and the order are computed for all agents.
    const found = cached(`${fleet.clause}SELECT a.id, count(*) OVER () AS matched FROM agent a${page}`);
    const rows = await sql.all<{ id: number; matched: number }>(
      found,
      ...fleet.values,
      ...where.values,
      slice.limit,
      slice.offset,
    );
    const [first] = rows;
    if (first !== undefined) {
      const ids = JSON.stringify(rows.map(({ id }) => id));
      const own = await readRows(sql, query, `WHERE ${inJson(dialect, 'a.id')} ${order}`, ids);
      return { data: await toAgents(sql, query, own), meta: { count: first.matched } };
    }
  }
  const count = await countAgents(sql, where, fleet);
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const isFirstPage = isIndexed(sort) && slice.offset === 0;
  // Ids alone are cheaper to sort, and to pass: on PostgreSQL 20 ms instead of 100 for the end of 100,000 agents.
  const tail = isFirstPage ? page : ` WHERE ${among(dialect, 'a.id', `SELECT a.id FROM agent a${page}`)} ${order}`;
  return { data: await toAgents(sql, query, await read(tail)), meta: { count } };
}

/** Returns true if an index has this order. */
const isIndexed = (sort: AgentSort) => sort === 'created' || sort === '-created';

// Both counts read indexes alone. Counting the rows that are not deleted takes 30 times as long (0.25 ms for 10,000).
const COUNT_PRESENT = statement(
  'SELECT (SELECT count(*) FROM agent) - (SELECT count(*) FROM agent WHERE deleted_ms > 0) AS n',
);

/** The number of agents that match a condition on `agent a`. */
async function countAgents(sql: Sql, { parts, text, values }: Where, fleet: Fleet): Promise<number> {
  const isPresent = fleet.past === undefined && parts.length === 1 && parts[0] === PRESENT;
  const count = isPresent ? COUNT_PRESENT : cached(`${fleet.clause}SELECT count(*) AS n FROM agent a${text}`);
  return (await sql.get<{ n: number }>(count, ...fleet.values, ...values))?.n ?? 0;
}

/** Ids of the agents that match a filter, in order. */
export async function findAgentIds(db: Database, selection: Selection): Promise<number[]> {
  const where = await agentWhere(db, selection);
  const rows = await db.read.sql.all<{ id: number }>(
    cached(`SELECT id FROM agent a${where.text} ORDER BY id`),
    ...where.values,
  );
  return rows.map(({ id }) => id);
}

/** A group of agents that are equal in everything that is counted. Flags are 0 or 1. */
interface Kind {
  readonly n: number;
  readonly online: number;
  readonly bad_kernel: number;
  readonly maintenance: number;
  readonly cloned: number;
  readonly state: AgentState;
  readonly env: string;
  readonly kernel: string;
  readonly package_version: number;
  readonly system_name: string;
}

const flag = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`;
const KIND = `${flag(ONLINE_SQL)} AS online, ${flag(CLONED_SQL)} AS cloned, ${STATE_SQL} AS state, bad_kernel, maintenance, env,
  kernel, package_version, system_name`;

/** Counts agents by kind. One query gives all figures but the labels, so that they are of the same moment. */
export async function countTotals(db: Database, selection: Selection): Promise<AgentTotals> {
  const {
    dialect,
    read: { sql },
  } = db;
  const { moment, fleet = FLEET_NOW } = selection;
  const where = await agentWhere(db, selection);
  const kinds = await sql.all<Kind>(
    cached(
      `${fleet.clause}SELECT count(*) AS n, ${KIND} FROM agent a${where.text} GROUP BY 2, 3, 4, 5, 6, 7, 8, 9, 10`,
    ),
    ...fleet.values,
    moment.nowMs,
    moment.nowMs,
    ...stateParams(moment),
    ...where.values,
  );
  // Both queries take milliseconds for 10,000 agents: other requests run in between.
  await nextRound();
  const labels = await sql.all<Counted>(
    cached(
      `${fleet.clause}SELECT l.name || CASE WHEN l.value = '' THEN '' ELSE '=' || l.value END AS value, count(*) AS count
         FROM agent_label l WHERE ${among(dialect, 'l.agent_id', `SELECT a.id FROM agent a${where.text}`)}
         GROUP BY l.name, l.value ORDER BY count(*) DESC LIMIT ?`,
    ),
    ...fleet.values,
    ...where.values,
    AGENT_TOTALS_MAX,
  );
  const countWith = (flag: 'online' | 'bad_kernel' | 'maintenance' | 'cloned') =>
    kinds.reduce((sum, kind) => sum + (kind[flag] === 1 ? kind.n : 0), 0);
  return {
    count: kinds.reduce((sum, { n }) => sum + n, 0),
    online: countWith('online'),
    bad_kernel: countWith('bad_kernel'),
    maintenance: countWith('maintenance'),
    cloned: countWith('cloned'),
    states: countBy(kinds, ({ state }) => state).map(({ value, count }) => ({ state: value, count })),
    envs: countBy(kinds, ({ env }) => env),
    kernels: countBy(kinds, ({ kernel }) => kernel),
    packages: countBy(kinds, ({ package_version }) => String(package_version)),
    systems: countBy(kinds, ({ system_name }) => system_name),
    labels: labels.toSorted(compareCounts),
  };
}

interface Counted<Value extends string = string> {
  readonly value: Value;
  readonly count: number;
}

/** Orders by count, the largest first, then by value. */
function compareCounts(one: Counted, other: Counted): number {
  if (one.count !== other.count) return other.count - one.count;
  return one.value < other.value ? -1 : Number(one.value > other.value);
}

/** Counts the agents of each value, the most frequent first. */
function countBy<Value extends string>(kinds: readonly Kind[], kindOf: (kind: Kind) => Value): Counted<Value>[] {
  const counts = new Map<Value, number>();
  for (const kind of kinds) counts.set(kindOf(kind), (counts.get(kindOf(kind)) ?? 0) + kind.n);
  const found = [...counts].map(([value, count]) => ({ value, count }));
  return found.sort(compareCounts).slice(0, AGENT_TOTALS_MAX);
}
