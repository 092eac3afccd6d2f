import { describe, expect, it } from 'vitest';
import { createListeningWindow } from './listening-window.ts';

const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;

/** A listening window over clocks that the test moves. */
function watch() {
  const clock = { wall: START_MS, monotonic: 50, awake: 7_000 };
  const listeningWindow = createListeningWindow(
    () => clock.wall,
    () => clock.monotonic,
    () => clock.awake,
  );
  return {
    listeningWindow,
    clock,
    /** Lets time pass, with a sweep each second. */
    pass(ms: number, drift = 1) {
      for (let passed = 0; passed < ms; passed += 1_000) {
        clock.wall += 1_000 * drift;
        clock.monotonic += 1_000;
        clock.awake += 1_000;
        listeningWindow.moment();
        listeningWindow.kept();
      }
    },
  };
}

describe('a listening window', () => {
  it('starts with the server, and continues while the clock is slewed', () => {
    const { listeningWindow, clock, pass } = watch();
    expect(listeningWindow.moment()).toEqual({ nowMs: START_MS, sinceMs: START_MS });
    pass(HOUR_MS);
    pass(HOUR_MS, 1.001);
    expect(listeningWindow.moment()).toEqual({ nowMs: clock.wall, sinceMs: START_MS });
  });

  it.each([HOUR_MS, -HOUR_MS, 24 * HOUR_MS, 3_000, -3_000])(
    'starts again after the clock is set by %i ms, at the next sweep',
    (stepMs) => {
      const { listeningWindow, clock, pass } = watch();
      pass(HOUR_MS);
      clock.wall += stepMs;
      const sinceMs = clock.wall;
      expect(listeningWindow.moment()).toEqual({ nowMs: sinceMs, sinceMs });
      pass(HOUR_MS);
      expect(listeningWindow.moment().sinceMs).toBe(sinceMs);
    },
  );

  it('starts again after the process was suspended, until the next sweep', () => {
    const { listeningWindow, clock, pass } = watch();
    pass(60_000);
    for (const name of ['wall', 'monotonic', 'awake'] as const) clock[name] += HOUR_MS;
    expect(listeningWindow.moment().sinceMs).toBe(clock.wall);
    for (const name of ['wall', 'monotonic', 'awake'] as const) clock[name] += 1_000;
    expect(listeningWindow.moment().sinceMs).toBe(clock.wall);
    listeningWindow.kept();
    const sinceMs = clock.wall;
    pass(60_000);
    expect(listeningWindow.moment().sinceMs).toBe(sinceMs);
  });
});
