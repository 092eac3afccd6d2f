// Pages of the list of agents.
import type { Agent, AgentFilter, AgentSort, Page, Slice } from '@quarterdeck/core';
import { type Database, type Dialect, type Sql, statement } from '@quarterdeck/core/db';
import { among } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import type { Where } from '../../sql/where.ts';
import { agentWhere, PRESENT } from './agent.filter.ts';
import { readAgents, type Shape } from './agent.rows.ts';

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

/** A page of agents, and the number of all that match. */
export async function listAgents({ dialect, read: { sql } }: Database, query: ListQuery): Promise<Page<Agent>> {
  const { filter, sort, slice, moment, detail } = query;
  const where = agentWhere(dialect, filter, moment);
  const count = await countAgents(sql, where);
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const order = orderBy(dialect, sort);
  const page = `${where.text} ${order} LIMIT ? OFFSET ?`;
  // Without an index, sorting ids alone is cheaper than sorting whole rows.
  const tail = isIndexed(sort) ? page : ` WHERE ${among(dialect, 'a.id', `SELECT a.id FROM agent a${page}`)} ${order}`;
  const data = await readAgents(sql, { detail, moment }, tail, ...where.values, slice.limit, slice.offset);
  return { data, meta: { count } };
}

/** Whether there is an index in an order. */
const isIndexed = (sort: AgentSort) => sort === 'created' || sort === '-created';

// Both counts are of an index. Counting rows that are not deleted takes thirty times as long: 0.25 ms of 10,000.
const COUNT_PRESENT = statement(
  'SELECT (SELECT count(*) FROM agent) - (SELECT count(*) FROM agent WHERE deleted_ms > 0) AS n',
);

/** The number of agents that match a condition on `agent a`. */
async function countAgents(sql: Sql, { parts, text, values }: Where): Promise<number> {
  const isPresent = parts.length === 1 && parts[0] === PRESENT;
  const count = isPresent ? COUNT_PRESENT : cached(`SELECT count(*) AS n FROM agent a${text}`);
  return (await sql.get<{ n: number }>(count, ...values))?.n ?? 0;
}
