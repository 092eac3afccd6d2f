// The current time, for components that show ages.
import { useEffect, useState } from 'react';

/** Returns the current time, updated in an interval while `active`. */
export function useNow(now: () => number, everyMs: number, active = true): number {
  const [at, setAt] = useState(now);
  useEffect(() => {
    if (!active) return;
    setAt(now());
    const timer = setInterval(() => setAt(now()), everyMs);
    return () => clearInterval(timer);
  }, [now, everyMs, active]);
  return at;
}
