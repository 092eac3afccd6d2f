// Pages of the list of agents.
import type { Agent, AgentFilter, AgentSort, Page, Slice } from '@quarterdeck/core';
import { type Database, type Dialect, type Sql, type SqlValue, statement } from '@quarterdeck/core/db';
import { cached } from '../../sql/cached.ts';
import type { Where } from '../../sql/where.ts';
import { JsonPage } from '../json-page.ts';
import { agentWhere, PRESENT } from './agent.filter.ts';
import { agentsByIds, readAgents, type Shape } from './agent.rows.ts';
import type { AgentTexts } from './agent.texts.ts';

/** What a list is asked for. */
export interface ListQuery extends Shape {
  readonly filter: AgentFilter;
  readonly sort: AgentSort;
  readonly slice: Slice;
}

/** Columns of `agent a` by the name of their order. Texts are ordered alike on both databases, whatever the locale. */
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

/** A page of agents, and how many there are. */
export async function listAgents(db: Database, texts: AgentTexts, query: ListQuery): Promise<Page<Agent>> {
  const { dialect, read } = db;
  const { filter, sort, slice, detail, moment } = query;
  const where = agentWhere(dialect, filter, moment);
  const count = await countAgents(read.sql, where);
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const place = isIndexed(sort) && isOfPresent(where) ? await placeAt(read.sql, sort, slice.offset, count) : undefined;
  if (place !== undefined) where.also(`(a.created_ms, a.id) ${isDescending(sort) ? '<=' : '>='} (?, ?)`, ...place);
  const order = `${where.text} ${orderBy(dialect, sort)} LIMIT ? OFFSET ?`;
  const values = [...where.values, slice.limit, place === undefined ? slice.offset : 0];
  if (detail !== 1) return new JsonPage(await texts.read(moment, order, ...values), count);
  if (isIndexed(sort)) {
    return { data: await readAgents(read.sql, { detail, moment }, order, ...values), meta: { count } };
  }
  // What has to be put in order is the ids alone, and not all that is shown.
  const ids = await read.sql.all<{ id: number }>(cached(`SELECT a.id FROM agent a${order}`), ...values);
  const agents = await agentsByIds(
    read.sql,
    dialect,
    ids.map(({ id }) => id),
    { detail, moment },
  );
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  return { data: ids.flatMap(({ id }) => byId.get(id) ?? []), meta: { count } };
}

/** Whether there is an index in an order. */
const isIndexed = (sort: AgentSort) => sort === 'created' || sort === '-created';

/** Up to here a page is found as quickly by leaving out what comes before it. */
const NEAR = 200;

// In an index alone. A condition on the rows would read every one that comes before the place.
const placeFrom = (direction: 'ASC' | 'DESC') =>
  statement(
    `SELECT created_ms, id FROM agent WHERE id NOT IN (SELECT id FROM agent WHERE deleted_ms > 0)
       ORDER BY created_ms ${direction}, id ${direction} LIMIT 1 OFFSET ?`,
  );
const OLDEST_FIRST = placeFrom('ASC');
const NEWEST_FIRST = placeFrom('DESC');

/**
 * Where a page far back in the list of all present agents begins, counted from the nearer end; undefined where it is not
 * far, or agents came or went meanwhile.
 */
async function placeAt(sql: Sql, sort: AgentSort, offset: number, count: number): Promise<SqlValue[] | undefined> {
  if (offset <= NEAR) return undefined;
  const isNearEnd = offset > count / 2;
  const from = isDescending(sort) === isNearEnd ? OLDEST_FIRST : NEWEST_FIRST;
  const skipped = isNearEnd ? count - 1 - offset : offset;
  const place = await sql.get<{ created_ms: number; id: number }>(from, skipped);
  return place === undefined ? undefined : [place.created_ms, place.id];
}

const isOfPresent = (where: Where) => where.parts.length === 1 && where.parts[0] === PRESENT;

// All less the deleted: both are counted in an index, where a condition would be checked row by row.
const COUNT_PRESENT = statement(
  'SELECT (SELECT count(*) FROM agent) - (SELECT count(*) FROM agent WHERE deleted_ms > 0) AS n',
);

/** How many agents a condition on `agent a` matches. */
async function countAgents(sql: Sql, where: Where): Promise<number> {
  const counted = isOfPresent(where) ? COUNT_PRESENT : cached(`SELECT count(*) AS n FROM agent a${where.text}`);
  return (await sql.get<{ n: number }>(counted, ...where.values))?.n ?? 0;
}
