// Some megabytes of the disk kept back, so that a full disk still leaves room for what is small and must go on: logins, revocations,
// retention. Given up when the disk is full, taken again when there is space.
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Enough for the write-ahead log (4 MB before it is copied) and as much growth of the file itself, twice. */
const reserveBytes = 16 * 1024 * 1024;
const retryMs = 1000;

export class SpaceReserve {
  readonly #file: string;
  #held: boolean;
  #triedMs: number;

  constructor(file: string) {
    this.#file = file;
    this.#held = this.#take();
    this.#triedMs = performance.now();
  }

  /** True while there is space to spare: bulk may be written. Looks for space again, at most once a second. */
  get held(): boolean {
    const nowMs = performance.now();
    if (!this.#held && nowMs - this.#triedMs >= retryMs) {
      this.#triedMs = nowMs;
      this.#held = this.#take();
    }
    return this.#held;
  }

  /** Gives the space up; false when that had been done before. */
  release(): boolean {
    if (!this.#held) return false;
    rmSync(this.#file, { force: true });
    this.#held = false;
    this.#triedMs = performance.now();
    return true;
  }

  #take(): boolean {
    if (statSync(this.#file, { throwIfNoEntry: false })?.size === reserveBytes) return true;
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#file));
      // As much again must be left, or the next write would ask for it back.
      if (bavail * bsize < 2 * reserveBytes) return false;
      this.#fill();
      return true;
    } catch {
      rmSync(this.#file, { force: true });
      return false;
    }
  }

  #fill(): void {
    // Zeros would take no space on a file system that compresses.
    const block = randomFillSync(Buffer.alloc(1024 * 1024));
    const descriptor = openSync(this.#file, 'w', 0o600);
    try {
      for (let written = 0; written < reserveBytes; written += block.length) writeSync(descriptor, block);
    } finally {
      closeSync(descriptor);
    }
  }
}
