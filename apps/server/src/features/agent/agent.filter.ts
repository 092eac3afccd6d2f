// What a list of agents is narrowed to, as SQL.
import type { AgentFilter } from '@quarterdeck/core';
import type { Dialect, SqlValue } from '@quarterdeck/core/db';
import { among } from '../../sql/among.ts';
import { likePattern, likeText } from '../../sql/like.ts';
import { Where } from '../../sql/where.ts';
import { CLONED_SQL, ONLINE_SQL, STATE_SQL, stateParams } from './agent.state.ts';
import type { Moment } from './listening-window.ts';

/** What keeps deleted ones out of a list. */
export const PRESENT = 'NOT a.is_deleted';

/** What `q` looks into, of `agent a`. */
const SEARCHED = ['a.hostname', 'a.node_id', 'a.ip', 'a.note'];

/** The whole of a filter, of `agent a`. */
export function agentWhere(dialect: Dialect, filter: AgentFilter, moment: Moment): Where {
  const where = new Where();
  if (!filter.include_deleted && filter.state?.includes('deleted') !== true) where.and(PRESENT);
  is(where, ONLINE_SQL, filter.online, moment.nowMs);
  if (filter.state !== undefined) {
    where.and(`${STATE_SQL} IN (${filter.state.map((state) => `'${state}'`).join(', ')})`, ...stateParams(moment));
  }
  is(where, 'a.bad_kernel', filter.bad_kernel);
  is(where, 'a.maintenance', filter.maintenance);
  is(where, CLONED_SQL, filter.cloned, moment.nowMs);
  where.andIf('a.env = ?', filter.env).andIf('a.kernel = ?', filter.kernel);
  for (const { name, value } of filter.label ?? []) {
    const named = 'SELECT agent_id FROM agent_label WHERE name = ?';
    if (value === undefined) where.and(among(dialect, 'a.id', named), name);
    else where.and(among(dialect, 'a.id', `${named} AND value = ?`), name, value);
  }
  if (filter.q !== undefined) {
    const labels = `SELECT agent_id FROM agent_label WHERE ${likeText(dialect, "(name || '=' || value)")}`;
    const places = [...SEARCHED.map((column) => likeText(dialect, column)), among(dialect, 'a.id', labels)];
    where.and(`(${places.join(' OR ')})`, ...places.map(() => likePattern(filter.q ?? '')));
  }
  return where;
}

/** Narrows to what a condition says yes to, or no; to nothing where it is not asked for. */
function is(where: Where, condition: string, wanted: boolean | undefined, ...values: SqlValue[]): void {
  if (wanted !== undefined) where.and(wanted ? condition : `NOT ${condition}`, ...values);
}
