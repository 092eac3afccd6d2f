import { useSyncExternalStore } from 'react';
import { fullTime, relativeTime } from '../words/format.ts';

/** Ages on the page change together, once in this time. Milliseconds. */
const TICK_MS = 10_000;

const watchers = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher);
  nowMs = Date.now();
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const one of watchers) one();
  }, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time, Unix milliseconds, as often as ages are shown anew. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs);

/** The age of a moment; its full time is the tooltip. */
export function RelativeTime({ ms }: { readonly ms: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(ms).toISOString()} title={fullTime(ms)}>
      {relativeTime(ms, now)}
    </time>
  );
}
