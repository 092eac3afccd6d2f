// A bounded log for screens that list messages or requests. Outside React.

/** An entry with its number and time. */
export type LogEntry<T> = T & { readonly id: number; readonly atMs: number };

/** The log, newest last. */
export interface Log<T> {
  readonly add: (entry: T) => void;
  readonly entries: () => readonly LogEntry<T>[];
  /** Returns the newest entry once: undefined if it was returned before. */
  readonly takeUnseen: () => LogEntry<T> | undefined;
  readonly clear: () => void;
  readonly subscribe: (watcher: () => void) => () => void;
}

/** Creates a log of at most `max` entries. */
export function createLog<T extends object>(now: () => number, kept: number): Log<T> {
  const watchers = new Set<() => void>();
  let entries: readonly LogEntry<T>[] = [];
  let lastId = 0;
  let seenId = 0;
  const setEntries = (next: readonly LogEntry<T>[]): void => {
    entries = next;
    for (const watcher of watchers) watcher();
  };
  return {
    add(entry) {
      lastId += 1;
      setEntries([...entries.slice(1 - kept), { ...entry, id: lastId, atMs: now() }]);
    },
    entries: () => entries,
    takeUnseen() {
      const newest = entries.at(-1);
      if (newest === undefined || newest.id <= seenId) return undefined;
      seenId = newest.id;
      return newest;
    },
    clear: () => setEntries([]),
    subscribe(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
