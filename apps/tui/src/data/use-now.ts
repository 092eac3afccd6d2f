// The time, for what shows how long ago something was.
import { useEffect, useState } from 'react';

/** The present moment, renewed every so often while `active`. */
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
