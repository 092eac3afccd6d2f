// Reads around the list: counts over time, facets, and for the selected group occurrences and changes before it.
import type { ErrlogChanges, ErrlogFacets, ErrlogHistogram, ErrlogOccurrence } from '@quarterdeck/core';
import { useCallback } from 'react';
import { useDashboard } from '../../data/dashboard.ts';
import { type ErrlogFilter, errlogFacets, errlogHistogram, errlogOccurrences } from '../../data/errlog.ts';
import { withChange } from '../../data/filter.ts';
import { hasData, type Query } from '../../data/query.ts';
import { useQuery } from '../../data/use-query.ts';
import { useRowQuery } from '../../data/use-row-query.ts';
import { type ChartWindow, endsOf } from './chart-window.ts';

/** Interval between reads, milliseconds. */
const EVERY_MS = 15_000;
const CHANGES_EVERY_MS = 30_000;

/** Occurrences over time; undefined before the first answer. */
export function useHistogram(
  filter: ErrlogFilter,
  window: ChartWindow,
  buckets: number,
  active: boolean,
): ErrlogHistogram | undefined {
  const { client, online, now } = useDashboard();
  const read = useCallback(
    (signal: AbortSignal) =>
      errlogHistogram(client, filter, { ...endsOf(window, Math.floor(now() / 1000)), buckets }, signal),
    [client, filter, window, buckets, now],
  );
  const { query } = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  return hasData(query) ? query.data : undefined;
}

/** Values with counts, each facet counted without its own choice; undefined before the first answer. */
export function useFacets(filter: ErrlogFilter, active: boolean): ErrlogFacets | undefined {
  const { client, online } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal): Promise<ErrlogFacets> => {
      const all = errlogFacets(client, filter, signal);
      const without = (...names: (keyof ErrlogFilter)[]): Promise<ErrlogFacets> => {
        if (names.every((name) => filter[name] === undefined)) return all;
        return errlogFacets(
          client,
          withChange(filter, Object.fromEntries(names.map((name) => [name, undefined]))),
          signal,
        );
      };
      const [facets, { levels }, { states }, { sources }, { apps }] = await Promise.all([
        all,
        without('level', 'level_max'),
        without('state'),
        without('src'),
        without('app_id'),
      ]);
      return { ...facets, levels, states, sources, apps };
    },
    [client, filter],
  );
  const { query } = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  return hasData(query) ? query.data : undefined;
}

const NONE: readonly ErrlogOccurrence[] = [];

/** The latest occurrences of the selected group. */
export function useOccurrences(id: number | undefined, active: boolean): readonly ErrlogOccurrence[] {
  const { client } = useDashboard();
  const read = useCallback((signal: AbortSignal) => errlogOccurrences(client, id ?? 0, signal), [client, id]);
  const query = useRowQuery(id, read, { active });
  return hasData(query) ? query.data : NONE;
}

/** The changes before the selected group. */
export function useChanges(id: number | undefined, active: boolean): Query<ErrlogChanges> {
  const { client } = useDashboard();
  const read = useCallback(
    (signal: AbortSignal) => client.errlog.changes({ params: { id: id ?? 0 }, query: {} }, { signal }),
    [client, id],
  );
  return useRowQuery(id, read, { active, everyMs: CHANGES_EVERY_MS });
}
