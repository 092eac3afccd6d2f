// The entries of a log as rows.
import { useMemo, useSyncExternalStore } from 'react';
import type { Log, LogEntry } from '../../data/log.ts';

/** The entries, newest first. */
export function useLogRows<T>({ subscribe, entries }: Log<T>): readonly LogEntry<T>[] {
  const all = useSyncExternalStore(subscribe, entries);
  return useMemo(() => all.toReversed(), [all]);
}
