// Reacts to a visit with arguments, `:logs level=4 /timeout`, and selects the row that it asks for.
import { useEffect, useEffectEvent, useState } from 'react';
import type { Screen, Target } from '../../commands/navigation.ts';
import type { List } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';

/**
 * Returns a function that asks for a row; its details open when the row is there. With `onMissing` the whole list is
 * searched for it, else only what the screen loads.
 */
export function useSelectById<T extends { readonly id: number }>(
  list: List<T>,
  onMissing?: () => void,
): (id: number | null) => void {
  const [wanted, setWanted] = useState<number | null>(null);
  const at = wanted === null ? -1 : list.ids.indexOf(wanted);
  useEffect(() => {
    if (at === -1) return;
    list.mover.to(list.extent.start + at);
    list.act({ type: 'detail', detail: 'open' });
    setWanted(null);
  }, [at, list]);
  const isLoaded = list.extent.length > 0;
  const search = useEffectEvent(async (id: number, signal: AbortSignal): Promise<void> => {
    if (onMissing === undefined || list.ids.includes(id)) return;
    const index = list.arrange(await list.readAll(() => undefined)).findIndex((row) => row.id === id);
    if (signal.aborted) return;
    // The row is selected by its id once it is loaded.
    if (index !== -1) list.mover.to(index);
    else {
      setWanted(null);
      onMissing();
    }
  });
  // Each wanted row is searched once
  useEffect(() => {
    if (wanted === null || !isLoaded) return;
    const left = new AbortController();
    search(wanted, left.signal).catch(() => setWanted(null));
    return () => left.abort();
  }, [wanted, isLoaded]);
  return setWanted;
}

/** Calls `arrive` once for each visit to the screen that asks for something there; leaving aborts the signal. */
export function useArrival(screen: Screen, arrive: (target: Target, signal: AbortSignal) => void): void {
  const { target, visits } = useDashboard().navigation;
  const run = useEffectEvent((signal: AbortSignal) => {
    const asks = target.args !== undefined || target.text !== undefined;
    if (target.screen === screen && asks) arrive(target, signal);
  });
  // Each visit has its own number
  useEffect(() => {
    const left = new AbortController();
    run(left.signal);
    return () => left.abort();
  }, [visits]);
}
