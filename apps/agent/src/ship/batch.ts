// Collects lines into a batch in the form of the server's intake: NDJSON, one line each.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { BatchNumbers } from '@quarterdeck/core';
import type { WireLine } from '../lines/wire-line.ts';

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

/** At most 500 lines and 1 MiB before compression. */
export class Batch {
  readonly #lines: string[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Adds a line; false when it does not fit. The first line always fits. */
  add(line: WireLine): boolean {
    const text = `${JSON.stringify(line)}\n`;
    const bytes = Buffer.byteLength(text);
    if (!this.isEmpty && (this.#lines.length >= LINES_MAX || this.#bytes + bytes > BYTES_MAX)) return false;
    this.#lines.push(text);
    this.#bytes += bytes;
    return true;
  }

  seal(): SealedBatch {
    return { key: randomUUID(), lines: this.#lines.length, body: gzipSync(this.#lines.join('')) };
  }
}
