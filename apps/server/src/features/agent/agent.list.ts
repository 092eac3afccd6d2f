// Pages of the list of agents.
import type { Agent, AgentFilter, AgentSort, Page, Slice } from '@quarterdeck/core';
import type { Database, Dialect, Sql } from '@quarterdeck/core/db';
import { among } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import type { Where } from '../../sql/where.ts';
import { JsonPage } from '../json-page.ts';
import { agentWhere, PRESENT } from './agent.filter.ts';
import { countAgents, placeAt } from './agent.place.ts';
import type { Shape } from './agent.rows.ts';
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
  const { filter, sort, slice, moment } = query;
  const where = agentWhere(dialect, filter, moment);
  const counted = isOfPresent(where) ? await countAgents(read.sql) : undefined;
  const count = counted === undefined ? await countMatches(read.sql, where) : counted.all - counted.deleted;
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const place =
    isIndexed(sort) && counted !== undefined
      ? await placeAt(read.sql, isDescending(sort), slice.offset, counted)
      : undefined;
  if (place !== undefined) {
    const isFrom = `(a.created_ms, a.id) ${isDescending(sort) ? '<=' : '>='} (?, ?)`;
    where.and(isFrom, place.created_ms, place.id);
  }
  const order = orderBy(dialect, sort);
  const page = `${where.text} ${order} LIMIT ? OFFSET ?`;
  // What has to be put in order is the ids alone, and not all that is shown.
  const tail = isIndexed(sort) ? page : ` WHERE ${among(dialect, 'a.id', `SELECT a.id FROM agent a${page}`)} ${order}`;
  const values = [...where.values, slice.limit, place === undefined ? slice.offset : 0];
  return new JsonPage(await texts.read(query, tail, ...values), count);
}

/** Whether there is an index in an order. */
const isIndexed = (sort: AgentSort) => sort === 'created' || sort === '-created';

const isOfPresent = (where: Where) => where.parts.length === 1 && where.parts[0] === PRESENT;

/** How many agents a condition on `agent a` matches. */
async function countMatches(sql: Sql, where: Where): Promise<number> {
  const count = cached(`SELECT count(*) AS n FROM agent a${where.text}`);
  return (await sql.get<{ n: number }>(count, ...where.values))?.n ?? 0;
}
