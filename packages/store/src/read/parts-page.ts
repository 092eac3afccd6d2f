// Pages in the order of levels or of source names. The lists of the levels or sources follow one another, each newest
// first: no index has these orders, but every index of time has one of its parts.
import type { ErrlogFilter } from '@quarterdeck/core';
import type { ErrlogPage, ListQuery, PartSort } from '../tables/columns.ts';
import { errlogFacets } from './facets.ts';
import type { GroupReader } from './line-search.ts';

/** The groups of one level or source. */
interface Part {
  readonly filter: ErrlogFilter;
  /** Their number; undefined where they are not all counted, and there may be none. */
  readonly count: number | undefined;
}

function compareNames({ name: a }: { readonly name: string }, { name: b }: { readonly name: string }): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the parts of a list in their order. */
async function partsOf(reader: GroupReader, filter: ErrlogFilter, sort: PartSort): Promise<Part[]> {
  const facetsOf = (one: ErrlogFilter) => errlogFacets(reader, one, Number.MAX_SAFE_INTEGER);
  let { levels, sources, partial } = await facetsOf(filter);
  // A search that ends at some of its groups does not tell the levels and sources of the others.
  if (partial)
    ({ levels, sources } = await facetsOf({ ...filter, q: undefined, req_id: undefined, filter: undefined }));
  const partOf = (own: Partial<ErrlogFilter>, count: number): Part => ({
    filter: { ...filter, ...own },
    count: partial ? undefined : count,
  });
  const byName = sources.toSorted((a, b) => compareNames(a, b) || a.src - b.src);
  const parts = sort.endsWith('level')
    ? levels.map(({ level, count }) => partOf({ level, level_max: undefined }, count))
    : byName.map(({ src, count }) => partOf({ src }, count));
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
    let { count } = part;
    if (count === undefined || offset < count) {
      const page = await list({ ...byTime, filter: part.filter, slice: { offset, limit } });
      data.push(...page.data);
      count ??= page.meta.count;
    }
    offset = Math.max(0, offset - count);
  }
  return { data, meta };
}
