// Collects lines into a batch in the form of the server's intake: NDJSON, one line each.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { BatchNumbers } from '@quarterdeck/core';
import type { ReadLine } from '../lines/wire-line.ts';

const LINES_MAX = 500;
const BYTES_MAX = 1024 * 1024;

/** A batch that no longer changes. */
export interface SealedBatch {
  /** `Idempotency-Key`: repetitions of the batch count once. */
  readonly key: string;
  readonly lines: number;
  /** Compressed NDJSON. Each repetition sends identical bytes. */
  readonly body: Buffer;
  /** Given by the spool; a batch of an earlier version has none. */
  readonly numbers?: BatchNumbers | undefined;
}

/** The same, before the spool gives it numbers. */
export interface CountedBatch extends SealedBatch {
  /** Of its lines, those without a known time, and without a known level. */
  readonly withoutTime: number;
  readonly withoutLevel: number;
}

/** At most 500 lines and 1 MiB before compression. */
export class Batch {
  readonly #lines: string[] = [];
  #bytes = 0;
  #withoutTime = 0;
  #withoutLevel = 0;

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Adds lines; false when they do not fit together. The first lines always fit. */
  add(...lines: readonly ReadLine[]): boolean {
    const before = this.#lines.length;
    let bytes = 0;
    for (const { line } of lines) {
      const text = `${JSON.stringify(line)}\n`;
      bytes += Buffer.byteLength(text);
      this.#lines.push(text);
    }
    if (before > 0 && (this.#lines.length > LINES_MAX || this.#bytes + bytes > BYTES_MAX)) {
      this.#lines.length = before;
      return false;
    }
    this.#bytes += bytes;
    for (const { lacksTime, lacksLevel } of lines) {
      if (lacksTime) this.#withoutTime += 1;
      if (lacksLevel) this.#withoutLevel += 1;
    }
    return true;
  }

  seal(): CountedBatch {
    return {
      key: randomUUID(),
      lines: this.#lines.length,
      withoutTime: this.#withoutTime,
      withoutLevel: this.#withoutLevel,
      body: gzipSync(this.#lines.join('')),
    };
  }
}
