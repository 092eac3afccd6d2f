// Reads around the list: counts over time, facets, and for the selected group its lines and the changes before it.
import type { ErrlogChanges, ErrlogFacets, ErrlogHistogram, Line, Page } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import {
  type ErrlogFilter,
  errlogFacets,
  errlogHistogram,
  errorGroups,
  FILTERED_GROUPS_MAX,
  groupsOf,
} from '@quarterdeck/views/errlog';
import { groupFilter, withChange } from '@quarterdeck/views/filters';
import { lineQuery, listLines } from '@quarterdeck/views/lines';
import { useQuery, useRowQuery } from '@quarterdeck/views/react';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { type ChartWindow, endsOf, rangeBounds } from '@quarterdeck/views/times';
import { useCallback, useRef } from 'react';
import { useDashboard } from '../../context/dashboard.ts';

/** Interval between reads, milliseconds. */
const EVERY_MS = 15_000;
const CHANGES_EVERY_MS = 30_000;
/** Lines of an entry that tell which fields differ. */
const ENTRY_LINES = 50;

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
  const { client, online, range, now } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal): Promise<ErrlogFacets> => {
      const query = { ...filter, ...rangeBounds(range, Math.floor(now() / 1000)) };
      const all = errlogFacets(client, query, signal);
      const without = (...names: (keyof ErrlogFilter)[]): Promise<ErrlogFacets> => {
        if (names.every((name) => filter[name] === undefined)) return all;
        return errlogFacets(
          client,
          withChange(query, Object.fromEntries(names.map((name) => [name, undefined]))),
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
    [client, filter, range, now],
  );
  const { query } = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  return hasData(query) ? query.data : undefined;
}

/** The newest lines of the selected entry, within the range of time. */
export function useEntryLines(entry: ErrlogEntry | undefined, active: boolean): Query<readonly Line[]> {
  const { client, range, now } = useDashboard();
  // New counts of the entry begin no read.
  const wanted = useRef(entry);
  wanted.current = entry;
  const id = entry?.id;
  const read = useCallback(
    async (signal: AbortSignal) => {
      if (wanted.current === undefined) return [];
      const groups = await groupsOf(client, wanted.current, { signal, most: FILTERED_GROUPS_MAX });
      const filter = groupFilter(groups.map((group) => group.id));
      const query = lineQuery(filter, range, Math.floor(now() / 1000));
      return (await listLines(client, { ...query, limit: ENTRY_LINES }, signal)).data;
    },
    [client, range, now],
  );
  return useRowQuery(id, read, { active, everyMs: EVERY_MS });
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

/** The groups of the selected error on all of its sources; undefined for an entry of one source. */
export function useErrorGroups(entry: ErrlogEntry | undefined, active: boolean): Page<ErrlogEntry> | undefined {
  const { client, range, now } = useDashboard();
  const { id, fingerprint, level = 0, app_id: app, sources = 1 } = entry ?? {};
  const read = useCallback(
    (signal: AbortSignal) => {
      const error = {
        level,
        ...(fingerprint === undefined ? {} : { fingerprint }),
        ...(app === undefined ? {} : { app_id: app }),
      };
      return errorGroups(client, error, rangeBounds(range, now() / 1000), { signal });
    },
    [client, fingerprint, level, app, range, now],
  );
  const query = useRowQuery(id, read, {
    active: active && sources > 1 && fingerprint !== undefined,
    everyMs: EVERY_MS,
  });
  return hasData(query) ? query.data : undefined;
}
