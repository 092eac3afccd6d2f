// Who sends error logs, by name.
import type { ErrlogSource } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';

/** A text that the server searches for is no longer than this. */
const SEARCH_MAX = 200;
/** All that have the name as a part of theirs: `web-1` is in a hundred others. */
const PAGE_MAX = 10_000;

/** The sources first that have the most groups. */
export const sortByCount = (sources: readonly ErrlogSource[]): readonly ErrlogSource[] =>
  sources.toSorted((a, b) => b.groups - a.groups);

/** The sources with exactly this name, the busiest first. */
export async function sourcesNamed(
  client: Client,
  name: string,
  signal?: AbortSignal,
): Promise<readonly ErrlogSource[]> {
  const query = { q: name.slice(0, SEARCH_MAX), page_size: PAGE_MAX };
  const { data } = await client.errlog.sources({ query }, signal === undefined ? {} : { signal });
  return sortByCount(data.filter((source) => source.name === name));
}
