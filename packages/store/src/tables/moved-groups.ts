// Groups that were merged into others: stored lines keep the ids of the former ones (decision 090).
import { type Sql, statement } from '@quarterdeck/core/db';
import type { Filter } from '@quarterdeck/core/filter';

const ALL = statement('SELECT former_id, errlog_id FROM errlog_moved');
const ONE = statement('SELECT errlog_id FROM errlog_moved WHERE former_id = ?', { isShort: true });

/** Id of a former group -> id of the group that it is in now. */
export type MovedGroups = ReadonlyMap<number, number>;

export const NONE_MOVED: MovedGroups = new Map();

export async function readMoved(sql: Sql): Promise<MovedGroups> {
  const rows = await sql.all<{ former_id: number; errlog_id: number }>(ALL);
  return rows.length === 0 ? NONE_MOVED : new Map(rows.map((row) => [row.former_id, row.errlog_id]));
}

/** The group that a group was merged into; undefined where it was not. */
export const movedTo = async (sql: Sql, id: number): Promise<number | undefined> =>
  (await sql.get<{ errlog_id: number }>(ONE, id))?.errlog_id;

/** Ids of groups as they are now. */
export async function currentIds(sql: Sql, ids: readonly number[]): Promise<number[]> {
  const moved = await readMoved(sql);
  return moved.size === 0 ? [...ids] : [...new Set(ids.map((id) => moved.get(id) ?? id))];
}

/** A filter whose terms about merged groups name the present ones. */
export function withCurrentGroups(filter: Filter, moved: MovedGroups): Filter {
  if (moved.size === 0) return filter;
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { ...filter, terms: filter.terms.map((term) => withCurrentGroups(term, moved)) };
    case 'not':
      return { ...filter, term: withCurrentGroups(filter.term, moved) };
    case 'field': {
      const { field, test } = filter;
      if (field !== 'group' || test.op !== 'equals') return filter;
      const values = test.values.map((value) => String(moved.get(Number(value)) ?? value));
      return { ...filter, test: { ...test, values } };
    }
    default:
      return filter;
  }
}
