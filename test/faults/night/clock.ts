// A clock that runs faster than the real one, the same in several processes.

/** Parameters of the clock, in Unix milliseconds of the real clock and of the fast one. */
export interface ClockSettings {
  readonly realMs: number;
  readonly epochMs: number;
  readonly speed: number;
}

/** Returns the time of the fast clock in Unix milliseconds. */
export const fastNow =
  ({ realMs, epochMs, speed }: ClockSettings) =>
  (): number =>
    epochMs + (Date.now() - realMs) * speed;
