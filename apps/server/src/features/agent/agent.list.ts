// Pages of the list of agents.
import type { Agent, AgentFilter, AgentSort, Page, Slice } from '@quarterdeck/core';
import { type Database, type Dialect, type Sql, statement } from '@quarterdeck/core/db';
import { cached, type Where } from '../errlog/read/errlog.filter.ts';
import { agentWhere, PRESENT } from './agent.filter.ts';
import type { AgentView } from './agent.repo.ts';
import { type Shape, selectAgents, toAgents } from './agent.rows.ts';

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

function orderBy(dialect: Dialect, sort: AgentSort): string {
  const descending = sort.startsWith('-');
  const order = ORDERS[descending ? sort.slice(1) : sort];
  const direction = descending ? 'DESC' : 'ASC';
  const collation = order?.text && dialect === 'postgresql' ? ' COLLATE "C"' : '';
  return `ORDER BY ${order?.column}${collation} ${direction}, a.id ${direction}`;
}

/** A page of agents, and how many there are. */
export async function listAgents(db: Database, query: ListQuery): Promise<Page<Agent>> {
  const { dialect, read } = db;
  const { filter, sort, slice, detail, moment } = query;
  const where = agentWhere(dialect, filter, moment);
  const count = await countAgents(read.sql, where);
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const order = orderBy(dialect, sort);
  // The rows of the page alone are read whole, and not all that are put in order.
  const page = `SELECT a.id FROM agent a${where.text} ${order} LIMIT ? OFFSET ?`;
  const text = `${selectAgents(detail, `(${page}) p JOIN agent a ON a.id = p.id`)} ${order}`;
  const rows = await read.sql.all<AgentView>(cached(text), ...where.values, slice.limit, slice.offset);
  return { data: await toAgents(read.sql, rows, { detail, moment }), meta: { count } };
}

// All less the deleted: both are counted in an index, where a condition would be checked row by row.
const COUNT_PRESENT = statement(
  'SELECT (SELECT count(*) FROM agent) - (SELECT count(*) FROM agent WHERE deleted_ms > 0) AS n',
);

/** How many agents a condition on `agent a` matches. */
async function countAgents(sql: Sql, where: Where): Promise<number> {
  const present = where.parts.length === 1 && where.parts[0] === PRESENT;
  const counted = present ? COUNT_PRESENT : cached(`SELECT count(*) AS n FROM agent a${where.text}`);
  return (await sql.get<{ n: number }>(counted, ...where.values))?.n ?? 0;
}
