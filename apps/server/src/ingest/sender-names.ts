// Who a message is from, for as many senders as there can reasonably be: whoever sends by UDP may write any address and
// any name into each datagram, and each would become a source for good.

import type { Sender } from './line-queue.ts';
import { OccasionalReport } from './occasional-report.ts';

/** Messages of senders beyond the bound are kept, under this one name. */
export const OTHER: Sender = { address: '', hostname: 'other' };

const HOUR_S = 3600;
/** Names that are remembered; those that have been silent longest are forgotten and count as new again. */
const MAX_REMEMBERED = 50_000;

export interface SenderNamesOptions {
  /** So many new names may turn up within an hour, from the first one on. */
  newPerHour?: number;
  /** Told how many messages were put under {@link OTHER}: at once, then at most every ten seconds. */
  onOther: (messages: number) => void;
}

/** Lets known names through, and so many new ones an hour. */
export class SenderNames {
  readonly #newPerHour: number;
  readonly #report: OccasionalReport;
  readonly #known = new Set<string>();
  #hourFrom = Number.NEGATIVE_INFINITY;
  #newInHour = 0;

  constructor({ newPerHour = 10_000, onOther }: SenderNamesOptions) {
    this.#newPerHour = newPerHour;
    this.#report = new OccasionalReport(onOther);
  }

  /** How many messages have been put under {@link OTHER}. */
  get others(): number {
    return this.#report.total;
  }

  /**
   * The sender under which a message is kept.
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
      return OTHER;
    }
    this.#newInHour += 1;
    if (this.#known.size >= MAX_REMEMBERED) this.#forgetOldest();
    this.#known.add(name);
    return { address, hostname };
  }

  close(): void {
    this.#report.close();
  }

  #forgetOldest(): void {
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }
}
