// Sources of error logs, by name.
import type { Client, ErrlogSource } from '@quarterdeck/sdk';

/** Maximum length of a search text on the server. */
const SEARCH_MAX = 200;
/** Maximum number of sources to read: `web-1` is part of many other names. */
const PAGE_MAX = 10_000;

/** Sorts sources by their number of groups, the largest first. */
export const sortByCount = (sources: readonly ErrlogSource[]): readonly ErrlogSource[] =>
  sources.toSorted((a, b) => b.groups - a.groups);

/** Returns the sources with exactly this name, the busiest first. */
export async function findSourcesByName(
  client: Client,
  name: string,
  signal?: AbortSignal,
): Promise<readonly ErrlogSource[]> {
  const query = { q: name.slice(0, SEARCH_MAX), page_size: PAGE_MAX };
  const { data } = await client.errlog.sources({ query }, signal === undefined ? {} : { signal });
  return sortByCount(data.filter((source) => source.name === name));
}
