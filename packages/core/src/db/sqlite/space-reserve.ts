// A part of the disk kept back, so that a full disk still leaves room for what is small and must go on: logins,
// revocations, retention. Given up when the disk is full, taken again when there is space.
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const megabyte = 1024 * 1024;
/** Enough for the write-ahead log (4 MB before it is copied) and as much growth of the file itself, twice. */
const mostBytes = 16 * megabyte;
/** A small disk keeps its space for its data. */
const share = 1 / 8;
const retryMs = 1000;

export class SpaceReserve {
  readonly #file: string;
  #bytes: number;
  #exhausted = false;
  #neededBytes = 0;
  #askedMs = 0;

  constructor(file: string) {
    this.#file = file;
    this.#bytes = statSync(file, { throwIfNoEntry: false })?.size ?? this.#take();
  }

  /** False from when the disk was found full until there is space to spare; looks for that at most once a second. */
  get hasSpace(): boolean {
    const nowMs = performance.now();
    if (this.#exhausted && nowMs - this.#askedMs >= retryMs) {
      this.#askedMs = nowMs;
      if (this.#freeBytes() >= this.#neededBytes) {
        this.#exhausted = false;
        this.#bytes = this.#take();
      }
    }
    return !this.#exhausted;
  }

  /** Called when the disk is full: gives up what was kept. False when there was nothing left to give. */
  release(): boolean {
    const bytes = this.#bytes;
    if (!this.#exhausted) {
      this.#exhausted = true;
      // More than what is given up here, or that would be taken for new space.
      this.#neededBytes = Math.max(2 * bytes, 2 * megabyte);
    }
    this.#askedMs = performance.now();
    this.#bytes = 0;
    if (bytes > 0) rmSync(this.#file, { force: true });
    return bytes > 0;
  }

  #freeBytes(): number {
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#file));
      return bavail * bsize;
    } catch {
      return 0;
    }
  }

  /** Returns how much could be kept back. */
  #take(): number {
    const bytes = Math.min(mostBytes, Math.floor((this.#freeBytes() * share) / megabyte) * megabyte);
    if (bytes === 0) return 0;
    try {
      this.#fill(bytes);
      return bytes;
    } catch {
      rmSync(this.#file, { force: true });
      return 0;
    }
  }

  #fill(bytes: number): void {
    // Zeros would take no space on a file system that compresses.
    const block = randomFillSync(Buffer.alloc(megabyte));
    const descriptor = openSync(this.#file, 'w', 0o600);
    try {
      for (let left = bytes; left > 0; left -= block.length) writeSync(descriptor, block);
    } finally {
      closeSync(descriptor);
    }
  }
}
