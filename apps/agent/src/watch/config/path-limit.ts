// Limits the reports of paths that change all the time, such as a counter in a configuration folder.

const PER_HOUR = 10;
const HOUR_MS = 3_600_000;

/** Counts the reports of each path, hour by hour. */
export class PathLimit {
  #counts = new Map<string, number>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  /** Counts a report; false where the path has had enough of them in this hour. */
  allows(path: string, nowMs: number): boolean {
    if (Math.abs(nowMs - this.#sinceMs) >= HOUR_MS) {
      this.#counts = new Map();
      this.#sinceMs = nowMs;
    }
    const count = (this.#counts.get(path) ?? 0) + 1;
    this.#counts.set(path, count);
    return count <= PER_HOUR;
  }
}
