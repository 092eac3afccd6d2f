import { describe, expect, it } from 'vitest';
import { createVigil } from './agent.vigil.ts';

const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;

/** A vigil over clocks that the test moves. */
function watch() {
  const clock = { wall: START_MS, monotonic: 50, awake: 7_000 };
  const vigil = createVigil(
    () => clock.wall,
    () => clock.monotonic,
    () => clock.awake,
  );
  return {
    vigil,
    clock,
    /** Time passes, with a look at the agents each second. */
    pass(ms: number, drift = 1) {
      for (let passed = 0; passed < ms; passed += 1_000) {
        clock.wall += 1_000 * drift;
        clock.monotonic += 1_000;
        clock.awake += 1_000;
        vigil.moment();
        vigil.kept();
      }
    },
  };
}

describe('a vigil', () => {
  it('goes on from when the server began, while time passes, and while the clock is slewed', () => {
    const { vigil, clock, pass } = watch();
    expect(vigil.moment()).toEqual({ nowMs: START_MS, sinceMs: START_MS });
    pass(HOUR_MS);
    pass(HOUR_MS, 1.001);
    expect(vigil.moment()).toEqual({ nowMs: clock.wall, sinceMs: START_MS });
  });

  it.each([HOUR_MS, -HOUR_MS, 24 * HOUR_MS, 3_000, -3_000])(
    'begins anew where the clock is set by %i ms, at the first look',
    (stepMs) => {
      const { vigil, clock, pass } = watch();
      pass(HOUR_MS);
      clock.wall += stepMs;
      const sinceMs = clock.wall;
      expect(vigil.moment()).toEqual({ nowMs: sinceMs, sinceMs });
      pass(HOUR_MS);
      expect(vigil.moment().sinceMs).toBe(sinceMs);
    },
  );

  it('begins anew where the process stood still, and goes on doing so until the agents are looked at again', () => {
    const { vigil, clock, pass } = watch();
    pass(60_000);
    for (const name of ['wall', 'monotonic', 'awake'] as const) clock[name] += HOUR_MS;
    expect(vigil.moment().sinceMs).toBe(clock.wall);
    for (const name of ['wall', 'monotonic', 'awake'] as const) clock[name] += 1_000;
    expect(vigil.moment().sinceMs).toBe(clock.wall);
    vigil.kept();
    const sinceMs = clock.wall;
    pass(60_000);
    expect(vigil.moment().sinceMs).toBe(sinceMs);
  });

  it('begins anew where a report could not be stored', () => {
    const { vigil, clock, pass } = watch();
    pass(60_000);
    vigil.broken();
    const sinceMs = clock.wall;
    pass(60_000);
    expect(vigil.moment()).toEqual({ nowMs: clock.wall, sinceMs });
  });
});
