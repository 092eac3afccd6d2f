// Pages in the order of levels or of source names. The lists of the levels or sources follow one another, each newest
// first: no index has these orders, but every index of time has one of its parts.
import type { ErrlogFilter } from '@quarterdeck/core';
import type { ErrlogPage, ListQuery, PartSort } from '../tables/columns.ts';
import { errlogFacets } from './facets.ts';
import type { GroupReader } from './line-search.ts';

/** The groups of one level or source, and their number. */
interface Part {
  readonly filter: ErrlogFilter;
  readonly count: number;
}

function compareNames({ name: a }: { readonly name: string }, { name: b }: { readonly name: string }): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the parts of a list in their order. */
async function partsOf(reader: GroupReader, filter: ErrlogFilter, sort: PartSort): Promise<Part[]> {
  const { levels, sources } = await errlogFacets(reader, filter, Number.MAX_SAFE_INTEGER);
  const byName = sources.toSorted((a, b) => compareNames(a, b) || a.src - b.src);
  const parts = sort.endsWith('level')
    ? levels.map(({ level, count }) => ({ filter: { ...filter, level, level_max: undefined }, count }))
    : byName.map(({ src, count }) => ({ filter: { ...filter, src }, count }));
  return sort.startsWith('-') ? parts.reverse() : parts;
}

/** Returns a page of such an order; `list` reads the pages of its parts. */
export async function partsPage(
  reader: GroupReader,
  { sort, filter, slice, rollup, detail }: ListQuery<PartSort>,
  list: (query: ListQuery) => Promise<ErrlogPage>,
): Promise<ErrlogPage> {
  const byTime = { filter, sort: '-log_time', rollup, detail } as const;
  const [parts, { meta }] = await Promise.all([
    partsOf(reader, filter, sort),
    list({ ...byTime, slice: { offset: 0, limit: 0 } }),
  ]);
  const data: ErrlogPage['data'][number][] = [];
  let { offset } = slice;
  for (const part of parts) {
    const limit = slice.limit - data.length;
    if (limit === 0) break;
    if (offset < part.count)
      data.push(...(await list({ ...byTime, filter: part.filter, slice: { offset, limit } })).data);
    offset = Math.max(0, offset - part.count);
  }
  return { data, meta };
}
