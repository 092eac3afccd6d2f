// Facets: numbers of groups by level, state, source, application and service. Uses kept numbers where there are any;
// otherwise counts groups up to a bound.
import type { ErrlogFacets, ErrlogFilter } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { CommitCache, cached, inJson } from '@quarterdeck/core/sql';
import { type GroupFilter, isCounted, totalWhere } from '../tables/filter.ts';
import { HOST, toNodeId } from '../tables/sources.ts';
import { needsSearch } from './find-groups.ts';
import { BY_KIND, type Counted, countKindsInSpan, KIND_COLUMNS, type Kinds } from './kinds-in-span.ts';
import type { GroupReader } from './line-search.ts';
import { newestGroups } from './newest-groups.ts';
import { type Selection, selectGroups } from './selection.ts';

/** Facets without the account of their span. */
type Facets = Omit<ErrlogFacets, 'meta'>;

/** Most groups that are counted one by one. */
const GROUPS_MAX = 100_000;

/** Caches counted facets until the next commit: dashboards that show the same share one run. */
const found = new CommitCache<Facets>(8);

/** Returns the facets of a filter; of sources, applications and services, the `top` largest. */
export async function errlogFacets(reader: GroupReader, filter: ErrlogFilter, top: number): Promise<Facets> {
  const { db } = reader;
  const selection = await selectGroups(reader, filter);
  const find = () => findFacets(reader, selection, top);
  if (selection.lines === undefined && isCounted(selection.groups)) return find();
  return found.get(db, JSON.stringify([selection, top]), find);
}

async function findFacets(reader: GroupReader, selection: Selection, top: number): Promise<Facets> {
  const { db } = reader;
  const { counts, partial } = await kindsOf(reader, selection);
  const sources = largest(counts, 'src', top);
  const known = await sourcesById(
    db,
    sources.map(({ value }) => value),
  );
  return {
    levels: largest(counts, 'level')
      .map(({ value: level, count }) => ({ level, count }))
      .sort((a, b) => a.level - b.level),
    states: largest(counts, 'state').map(({ value: state, count }) => ({ state, count })),
    sources: sources.flatMap(({ value: src, count }) => {
      const source = known.get(src);
      return source === undefined ? [] : { src, ...source, count };
    }),
    apps: largest(counts, 'app_id', top).map(({ value: app_id, count }) => ({ app_id, count })),
    services: largest(
      counts.filter(({ service }) => service !== ''),
      'service',
      top,
    ).map(({ value: service, count }) => ({ service, count })),
    ...(partial ? { partial } : {}),
  };
}

/** Returns the values of a column by the number of their groups, the largest first. */
function largest<C extends 'src' | 'app_id' | 'level' | 'service' | 'state'>(
  counts: readonly Counted[],
  column: C,
  top: number = Number.POSITIVE_INFINITY,
): { value: NonNullable<Counted[C]>; count: number }[] {
  const sums = new Map<NonNullable<Counted[C]>, number>();
  for (const row of counts) {
    const value = row[column];
    if (value !== undefined) sums.set(value, (sums.get(value) ?? 0) + row.n);
  }
  return [...sums]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, top);
}

async function kindsOf(reader: GroupReader, selection: Selection): Promise<Kinds> {
  const { db } = reader;
  const { groups } = selection;
  if (needsSearch(selection)) return kindsOfGroups(reader, selection);
  if (isCounted(groups)) return { counts: await keptCounts(db, groups), partial: false };
  return (await countKindsInSpan(db, groups, GROUPS_MAX)) ?? kindsOfGroups(reader, selection);
}

function keptCounts({ read: { sql } }: Database, filter: GroupFilter): Promise<Counted[]> {
  const where = totalWhere(filter, true);
  const text = `SELECT ${BY_KIND}, t.n FROM errlog_total t${where.text}`;
  return sql.all<Counted>(cached(text), ...where.values);
}

async function kindsOfGroups(reader: GroupReader, selection: Selection): Promise<Kinds> {
  const counts: Counted[] = [];
  const portions = newestGroups(reader, {
    selection,
    columns: KIND_COLUMNS,
    max: GROUPS_MAX,
  });
  for (;;) {
    const { done, value } = await portions.next();
    if (done === true) return { counts, partial: value };
    const text = `SELECT ${BY_KIND}, count(*) AS n FROM (${value.text}) t GROUP BY ${BY_KIND}`;
    counts.push(...(await reader.db.read.sql.all<Counted>(cached(text), ...value.values)));
  }
}

type Source = Pick<ErrlogFacets['sources'][number], 'name' | 'node_type' | 'node_id'>;

async function sourcesById({ dialect, read: { sql } }: Database, ids: readonly number[]): Promise<Map<number, Source>> {
  const text = `SELECT s.id, ${HOST} AS name, s.node_type, s.node_id FROM source s WHERE ${inJson(dialect, 's.id')}`;
  const rows = await sql.all<Source & { id: number; node_id: number }>(cached(text), JSON.stringify(ids));
  return new Map(rows.map(({ id, name, node_type, node_id }) => [id, { name, node_type, node_id: toNodeId(node_id) }]));
}
