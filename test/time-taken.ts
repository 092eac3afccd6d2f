// Time of a part of a run: by the clock, and of the processors, for this process and the programs that have ended.
import { processTimes } from '../bench/processes.ts';

function usedUs(): number {
  const { ownUs, endedUs } = processTimes('self');
  return ownUs + endedUs;
}

/** Starts to measure; returns a function that tells the time since then, such as "12 s, 3 s of a processor". */
export function measureTime(): () => string {
  const [startMs, startUs] = [performance.now(), usedUs()];
  return () => {
    const seconds = (performance.now() - startMs) / 1_000;
    return `${seconds.toFixed(0)} s, ${((usedUs() - startUs) / 1e6).toFixed(0)} s of a processor`;
  };
}
