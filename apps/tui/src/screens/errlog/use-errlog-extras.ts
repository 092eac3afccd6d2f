// What is read around the list: counts over time, what there is to choose from, occurrences of the selected group.
import type { ErrlogFacets, ErrlogHistogram, ErrlogOccurrence } from '@quarterdeck/core';
import { useCallback } from 'react';
import { useDashboard } from '../../data/dashboard.ts';
import { debounce } from '../../data/debounce.ts';
import { type ErrlogFilter, errlogFacets, errlogHistogram, errlogOccurrences } from '../../data/errlog.ts';
import { hasData } from '../../data/query.ts';
import { useQuery } from '../../data/use-query.ts';
import { type ChartWindow, endsOf } from './chart-window.ts';

/** Read again so often, milliseconds. */
const EVERY_MS = 15_000;

/** How often it happened; undefined before the first answer. */
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

/** What the groups consist of, each facet counted without its own choice; undefined before the first answer. */
export function useFacets(filter: ErrlogFilter, active: boolean): ErrlogFacets | undefined {
  const { client, online } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal): Promise<ErrlogFacets> => {
      const { level: _, level_max: __, ...noLevel } = filter;
      const { state: ___, ...noState } = filter;
      const { src: ____, ...noSource } = filter;
      const { app_id: _____, ...noApp } = filter;
      const ask = (isChosen: boolean, without: ErrlogFilter): Promise<ErrlogFacets> | undefined =>
        isChosen ? errlogFacets(client, without, signal) : undefined;
      const [all, levels, states, sources, apps] = await Promise.all([
        errlogFacets(client, filter, signal),
        ask(filter.level !== undefined || filter.level_max !== undefined, noLevel),
        ask(filter.state !== undefined, noState),
        ask(filter.src !== undefined, noSource),
        ask(filter.app_id !== undefined, noApp),
      ]);
      return {
        ...all,
        levels: (levels ?? all).levels,
        states: (states ?? all).states,
        sources: (sources ?? all).sources,
        apps: (apps ?? all).apps,
      };
    },
    [client, filter],
  );
  const { query } = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  return hasData(query) ? query.data : undefined;
}

/** Occurrences of one group. */
interface Occurrences {
  readonly id: number;
  readonly rows: readonly ErrlogOccurrence[];
}

const NONE: readonly ErrlogOccurrence[] = [];

/** The latest occurrences of the selected group, once the selection rests on it. */
export function useOccurrences(id: number | undefined, active: boolean): readonly ErrlogOccurrence[] {
  const { client, online } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal): Promise<Occurrences> => {
      if (id === undefined) return { id: 0, rows: NONE };
      await debounce(signal);
      return { id, rows: await errlogOccurrences(client, id, signal) };
    },
    [client, id],
  );
  const { query } = useQuery(read, { enabled: online && active && id !== undefined });
  // What is known of the row before is nothing about this one.
  return hasData(query) && query.data.id === id ? query.data.rows : NONE;
}
