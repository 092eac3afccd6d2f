// Limits one write: it takes as long as it has groups, and others wait for it.
import type { Dialect } from '@quarterdeck/core/db';

/** Time that a write may take, milliseconds. Its limit is 4,500 ms, and the next one may meet a slower disk. */
const WRITE_MS = 1000;
const FIRST_ERRORS = 6_000;
/** Below this number a write has few groups for the time of its round trips, which tells nothing about its pace. */
const FEWEST_ERRORS = 500;
// SQLite has one writer: sign-ins and changes of states wait for a batch. On PostgreSQL an error that many lines of a
// large write share is one update, of 50 us.
const MOST_ERRORS = { sqlite: 6_000, postgresql: 24_000 } as const;

/** Most different errors of one write, by the pace of those before. */
export class WriteSize {
  readonly #most: number;
  readonly #now: () => number;
  #errors = FIRST_ERRORS;

  /** `now` is a clock that only rises, milliseconds. */
  constructor(dialect: Dialect, now: () => number = () => performance.now()) {
    this.#most = MOST_ERRORS[dialect];
    this.#now = now;
  }

  /** Most different errors of the next write. */
  get errors(): number {
    return this.#errors;
  }

  /** Runs a write of so many different errors, and adapts to its time. Rejects as the write does. */
  async measure(errors: number, write: () => Promise<void>): Promise<void> {
    const startedAtMs = this.#now();
    let most = this.#errors;
    try {
      await write();
      most *= 2;
    } finally {
      const fitting = (errors * WRITE_MS) / Math.max(this.#now() - startedAtMs, 1);
      if (errors >= FEWEST_ERRORS) this.#errors = Math.round(clamp(fitting, FEWEST_ERRORS, Math.min(most, this.#most)));
    }
  }
}

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(value, most));
