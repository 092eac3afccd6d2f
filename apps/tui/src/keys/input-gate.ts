// Passes keys on one render at a time.

/** Passes items to `take`. Items that arrive before `later` has called back wait and then go together. */
export function oneAtATime<T>(
  later: (run: () => void) => void,
  take: (items: readonly T[]) => void,
): (items: readonly T[]) => void {
  let waiting: T[] = [];
  let isBusy = false;
  const next = (): void => {
    isBusy = waiting.length > 0;
    if (!isBusy) return;
    const items = waiting;
    waiting = [];
    take(items);
    later(next);
  };
  return (items) => {
    waiting.push(...items);
    if (!isBusy) next();
  };
}
