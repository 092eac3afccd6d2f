// Limits the number of new names of hosts or services. Senders write these names, and each one becomes a permanent
// source or a group of its own.
import { RateLimitedReport } from './rate-limited-report.ts';

/** The name under which lines with further names are stored. */
export const OTHER_NAME = 'other';

const HOUR_S = 3600;
/** Maximum number of known names. The oldest are removed and count as new again. */
export const MAX_KNOWN = 50_000;

export interface SenderNamesOptions {
  /** Maximum number of new names of one peer in an hour, which begins with the first new name of any peer. */
  newPerHour?: number;
  /** The same for all peers together: a datagram can forge its address, so an address does not prove a peer. */
  newPerHourInAll?: number;
  /** Is called with the number of lines under {@link OTHER_NAME}: at once, then at most every ten seconds. */
  onOther: (lines: number) => void;
}

/** Admits known names, and a limited number of new ones of each peer an hour. An instance has names of one kind. */
export class SenderNames {
  readonly #newPerHour: number;
  readonly #newPerHourInAll: number;
  readonly #report: RateLimitedReport;
  readonly #known = new Set<string>();
  /** Number of new names in this hour by peer. */
  readonly #newOf = new Map<string, number>();
  #newInAll = 0;
  #hourFrom = Number.NEGATIVE_INFINITY;

  constructor({ newPerHour = 1_000, newPerHourInAll = 10_000, onOther }: SenderNamesOptions) {
    this.#newPerHour = newPerHour;
    this.#newPerHourInAll = newPerHourInAll;
    this.#report = new RateLimitedReport(onOther);
  }

  /** Number of lines under {@link OTHER_NAME}. */
  get others(): number {
    return this.#report.total;
  }

  /**
   * Returns the name under which a line is stored: its own, or {@link OTHER_NAME}.
   *
   * @param peer identity that the sender cannot choose freely: an address, or a credential
   * @param now Unix seconds
   * @param lines number of lines with this name
   */
  admit(peer: string, name: string, now: number, lines = 1): string {
    if (this.#known.has(name)) return name;
    if (now - this.#hourFrom >= HOUR_S) {
      this.#hourFrom = now;
      this.#newInAll = 0;
      this.#newOf.clear();
    }
    const newOfPeer = this.#newOf.get(peer) ?? 0;
    if (newOfPeer >= this.#newPerHour || this.#newInAll >= this.#newPerHourInAll) {
      this.#report.count(lines);
      return OTHER_NAME;
    }
    this.#newOf.set(peer, newOfPeer + 1);
    this.#newInAll += 1;
    this.#add(name);
    return name;
  }

  /** Makes names known that were admitted before, the oldest first. */
  know(names: Iterable<string>): void {
    for (const name of names) this.#add(name);
  }

  close(): void {
    this.#report.close();
  }

  #add(name: string): void {
    this.#known.add(name);
    if (this.#known.size <= MAX_KNOWN) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }
}
