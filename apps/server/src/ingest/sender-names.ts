// Limits the number of new senders. A UDP sender can write any address and any name into each datagram, and each name
// would become a permanent source.

import type { Sender } from './line-queue.ts';
import { RateLimitedReport } from './rate-limited-report.ts';

/** The sender under which messages of further senders are stored. */
export const OTHER_SENDER: Sender = { address: '', hostname: 'other' };

const HOUR_S = 3600;
/** Maximum number of known names. The oldest are removed and count as new again. */
const MAX_KNOWN = 50_000;

export interface SenderNamesOptions {
  /** Maximum number of new names in an hour, which begins with the first new name. */
  newPerHour?: number;
  /** Is called with the number of messages under {@link OTHER_SENDER}: at once, then at most every ten seconds. */
  onOther: (messages: number) => void;
}

/** Admits known names, and a limited number of new ones an hour. */
export class SenderNames {
  readonly #newPerHour: number;
  readonly #report: RateLimitedReport;
  readonly #known = new Set<string>();
  #hourFrom = Number.NEGATIVE_INFINITY;
  #newInHour = 0;

  constructor({ newPerHour = 10_000, onOther }: SenderNamesOptions) {
    this.#newPerHour = newPerHour;
    this.#report = new RateLimitedReport(onOther);
  }

  /** Number of messages under {@link OTHER_SENDER}. */
  get others(): number {
    return this.#report.total;
  }

  /**
   * Returns the sender under which a message is stored.
   *
   * @param now Unix seconds
   */
  admit(address: string, hostname: string, now: number): Sender {
    const name = hostname || address;
    if (this.#known.has(name)) return { address, hostname };
    if (now - this.#hourFrom >= HOUR_S) {
      this.#hourFrom = now;
      this.#newInHour = 0;
    }
    if (this.#newInHour >= this.#newPerHour) {
      this.#report.count();
      return OTHER_SENDER;
    }
    this.#newInHour += 1;
    if (this.#known.size >= MAX_KNOWN) this.#removeOldest();
    this.#known.add(name);
    return { address, hostname };
  }

  close(): void {
    this.#report.close();
  }

  #removeOldest(): void {
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }
}
