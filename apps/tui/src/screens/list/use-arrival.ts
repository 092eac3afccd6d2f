// Reacts to a visit with arguments: `:logs level=4 /timeout`.
import { useEffect, useEffectEvent } from 'react';
import type { Screen, Target } from '../../commands/navigation.ts';
import { useDashboard } from '../../context/dashboard.ts';

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
