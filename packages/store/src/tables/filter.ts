// Filters of a list as SQL.
import type { ErrlogFilter, ErrlogState } from '@quarterdeck/core';
import type { Dialect, SqlValue } from '@quarterdeck/core/db';
import { Where } from '@quarterdeck/core/sql';
import { errorCondition } from './fingerprint-index.ts';
import { ALL_SOURCES, type Scope, type ScopeFilter } from './totals.ts';

/** The part of a filter that groups decide. */
export type GroupFilter = Omit<ErrlogFilter, 'filter' | 'q' | 'req_id'> & {
  readonly condition?: GroupCondition | undefined;
};

/** Condition on columns that `errlog` and `errlog_total` share. {@link ROW} stands for the alias of the table. */
export interface GroupCondition {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** It is about `src` alone, which also the numbers by the minute have. */
  readonly onlySources?: boolean;
}

/** Placeholder of an alias in a {@link GroupCondition}. */
export const ROW = '<row>';

/** Adds a condition on a table with an alias. */
export const andCondition = (where: Where, condition: GroupCondition | undefined, alias: string): Where =>
  condition === undefined ? where : where.and(condition.text.replaceAll(ROW, alias), ...condition.values);

/** Tells whether a filter matches everything. */
export const isEmptyFilter = (filter: Partial<GroupFilter>): boolean =>
  Object.values(filter).every((value) => value === undefined);

/** The levels of a filter, both ends included; undefined for all. */
export function levelsOf({ level, level_max }: GroupFilter): { from: number; to: number } | undefined {
  if (level !== undefined) return { from: level, to: level_max === undefined ? level : Math.min(level, level_max) };
  return level_max === undefined ? undefined : { from: 0, to: level_max };
}

/** The part of a filter that scopes express. */
export const scopeFilter = (filter: GroupFilter): ScopeFilter => ({
  levels: levelsOf(filter),
  src: filter.src,
  nodeType: filter.node_type,
  nodeId: filter.node_id,
});

/** Condition of the groups of a scope. */
export const scopeWhere = ({ src, level }: Scope): Where =>
  new Where().andIf('e.src = ?', src === ALL_SOURCES ? undefined : src).and('e.level = ?', level);

/** Tells whether a filter has a span of time, which kept numbers do not know. */
export const isTimed = ({ start_time, end_time }: GroupFilter) => start_time !== undefined || end_time !== undefined;

/** A filter without its span of time. */
export const withoutTime = (filter: GroupFilter): GroupFilter => ({
  ...filter,
  start_time: undefined,
  end_time: undefined,
});

/** Tells whether scopes, a condition on sources and a span of time express a filter. */
export const isScoped = ({ app_id, service, state, fingerprint, condition }: GroupFilter) =>
  [app_id, service, state, fingerprint].every((value) => value === undefined) && condition?.onlySources !== false;

/** Tells whether the number of a filter's groups is kept. */
export const isCounted = (filter: GroupFilter) => !isTimed(filter) && filter.fingerprint === undefined;

const quoted = (states: readonly ErrlogState[]) => states.map((state) => `'${state}'`).join(', ');

/**
 * Condition of a node type. On SQLite by the source, which the index of the list has; PostgreSQL would look up every
 * group.
 */
const ofNodeType = (dialect: Dialect) =>
  dialect === 'sqlite' ? 'e.src IN (SELECT id FROM source WHERE node_type = ?)' : 'e.node_type = ?';

const OF_FINGERPRINT: Readonly<Record<Dialect, string>> = {
  sqlite: errorCondition('sqlite', 'e', { fingerprint: '?' }),
  postgresql: errorCondition('postgresql', 'e', { fingerprint: '?' }),
};

/** Condition of a filter. `states` replaces those of the filter. */
export function filterWhere(dialect: Dialect, filter: GroupFilter, states = filter.state): Where {
  const levels = levelsOf(filter);
  const where = new Where();
  if (states !== undefined) {
    where.and(`e.state IN (${quoted(states)})`);
    // The index leaves out ongoing groups. A query uses it only with the same condition.
    if (!states.includes('ongoing')) where.and("e.state <> 'ongoing'");
  }
  where
    .andIf(OF_FINGERPRINT[dialect], filter.fingerprint)
    .andIf('e.app_id = ?', filter.app_id)
    .andIf('e.service = ?', filter.service)
    .andIf('e.src = ?', filter.src);
  if (levels !== undefined && levels.from === levels.to) where.andIf('e.level = ?', levels.from);
  else where.andIf('e.level >= ?', levels?.from).andIf('e.level <= ?', levels?.to);
  return andCondition(where, filter.condition, 'e')
    .andIf(ofNodeType(dialect), filter.node_type)
    .andIf('e.src IN (SELECT id FROM source WHERE node_id = ?)', filter.node_id)
    .andIf('e.log_time >= ?', filter.start_time)
    .andIf('e.log_time <= ?', filter.end_time);
}

/**
 * Condition of the kept numbers that add up to a filter, see {@link isCounted}. `bySource` selects those of each
 * source.
 */
export function totalWhere(filter: GroupFilter, bySource = false): Where {
  const levels = levelsOf(filter);
  const isOfSources =
    filter.src !== undefined ||
    filter.node_type !== undefined ||
    filter.node_id !== undefined ||
    filter.condition !== undefined;
  const where = new Where();
  if (filter.src !== undefined) where.and('t.src = ?', filter.src);
  else where.and(isOfSources || bySource ? 't.src >= 0' : `t.src = ${ALL_SOURCES}`);
  where
    .andIf('t.app_id = ?', filter.app_id)
    .andIf('t.service = ?', filter.service)
    .andIf('t.level >= ?', levels?.from)
    .andIf('t.level <= ?', levels?.to);
  if (filter.state !== undefined) where.and(`t.state IN (${quoted(filter.state)})`);
  return andCondition(where, filter.condition, 't')
    .andIf('t.src IN (SELECT id FROM source WHERE node_type = ?)', filter.node_type)
    .andIf('t.src IN (SELECT id FROM source WHERE node_id = ?)', filter.node_id);
}
