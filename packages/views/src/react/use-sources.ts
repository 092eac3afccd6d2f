import { useCallback } from 'react';
import { hasData, type Query } from '../reads/query.ts';
import { readSource, readSources, type SourceRead, type SourceRow } from '../sources/ledger.ts';
import { useQuery } from './use-query.ts';
import { useRowQuery } from './use-row-query.ts';
import { useViews } from './views-context.ts';

const EVERY_MS = 30_000;
const NONE: readonly SourceRow[] = [];

/** Reads the sources with their traffic while `active`. */
export function useSources(active: boolean) {
  const { client, online, now } = useViews();
  const read = useCallback(
    (signal: AbortSignal) => readSources(client, Math.floor(now() / 1000), signal),
    [client, now],
  );
  const handle = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  const { query } = handle;
  return {
    ...handle,
    rows: hasData(query) ? query.data.rows : NONE,
    total: hasData(query) ? query.data.total : 0,
    isWhole: !hasData(query) || query.data.isWhole,
  };
}

/** Reads the ledger of the selected source in the shown range; in the last hour without one. */
export function useSourceRead(src: number | undefined, active: boolean): Query<SourceRead> {
  const { client, range, now } = useViews();
  const read = useCallback(
    (signal: AbortSignal) => readSource(client, src ?? 0, range, Math.floor(now() / 1000), signal),
    [client, src, range, now],
  );
  return useRowQuery(src, read, { active, everyMs: EVERY_MS });
}
