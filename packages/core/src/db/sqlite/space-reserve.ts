// A file that reserves disk space, so that small writes (logins, revocations, retention) go on when the disk is full.
// It is removed when the disk is full, and created again when there is space.
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { diskLimits } from './disk-limits.ts';

const megabyte = 1024 * 1024;
/** Share of the free space, for small disks. */
const share = 1 / 8;
const retryMs = 1000;

export class SpaceReserve {
  readonly #file: string;
  readonly #mostBytes: number;
  #bytes: number;
  #exhausted = false;
  #neededBytes = 0;
  #askedMs = 0;

  constructor(file: string, mostBytes = diskLimits().reserveBytes) {
    this.#file = file;
    this.#mostBytes = mostBytes;
    const bytes = statSync(file, { throwIfNoEntry: false })?.size;
    this.#bytes = bytes === undefined || bytes > mostBytes ? this.#take() : bytes;
  }

  /** False from a full disk until there is free space again, which is checked at most once a second. */
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

  /** Frees the reserved space. Call it when the disk is full. Returns false when nothing was reserved. */
  release(): boolean {
    const bytes = this.#bytes;
    if (!this.#exhausted) {
      this.#exhausted = true;
      // More than the space freed here, which would otherwise count as new space.
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

  /** Reserves space; returns the number of bytes. */
  #take(): number {
    const bytes = Math.min(this.#mostBytes, Math.floor((this.#freeBytes() * share) / megabyte) * megabyte);
    if (bytes === 0) {
      rmSync(this.#file, { force: true });
      return 0;
    }
    try {
      this.#fill(bytes);
      return bytes;
    } catch {
      rmSync(this.#file, { force: true });
      return 0;
    }
  }

  #fill(bytes: number): void {
    // Zeros would take no space on a compressing file system.
    const block = randomFillSync(Buffer.alloc(megabyte));
    const descriptor = openSync(this.#file, 'w', 0o600);
    try {
      for (let left = bytes; left > 0; left -= block.length) writeSync(descriptor, block);
    } finally {
      closeSync(descriptor);
    }
  }
}
