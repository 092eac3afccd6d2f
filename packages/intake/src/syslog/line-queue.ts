// A bounded queue of received lines until they are stored. Keeps the order of each sender, delivers batches, and never
// drops a line that can be stored.
import { AppError, ERRORS } from '@quarterdeck/core';
import { RateLimitedReport } from '../base/rate-limited-report.ts';
import type { SyslogLine } from './syslog-line.ts';

/** The sender of a batch: the address of the socket, and the name of the host, which is the address without a name. */
export interface Sender {
  address: string;
  hostname: string;
}

/** The sender of this server's own lines. No other sender has neither an address nor a name. */
export const SELF: Sender = { address: '', hostname: '' };

/** Stores a batch. After an error the queue retries the same batch, unless the error is not retryable. */
export type OnLines = (lines: SyslogLine[], sender: Sender) => void | Promise<void>;

/** The part of pino that this folder uses. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LineQueueOptions {
  onLines: OnLines;
  log: Log;
  /** Called after lines have left the queue. */
  onSpace?: () => void;
  /** Called for each discarded line, except those of {@link SELF}. */
  onRefused?: () => void;
  maxLines?: number;
  maxBytes?: number;
}

/** The lines of one sender. At most one of its batches is in flight, so its lines are stored in their order. */
interface SenderQueue {
  sender: Sender;
  lines: SyslogLine[];
  busy: boolean;
  /** The lines have waited long enough, or are enough for a batch: send as soon as possible. */
  due: boolean;
}

/** Number of lines that are sent without waiting for more. */
const BATCH_LINES = 500;
/** Maximum lines of a batch. Larger batches cost fewer writes: each write waits for the disk once. */
const MAX_BATCH_LINES = 2_000;
const GATHER_MS = 20;
const MAX_IN_FLIGHT = 16;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
/** Number of failing senders at which the store must be down, instead of their lines being invalid. */
const MAX_FAILING = 64;
/** Estimated bytes of a line besides its text. */
const LINE_OVERHEAD = 200;

/** A bounded queue of lines by sender. `add` always accepts a line: check `fill` first. */
export class LineQueue {
  readonly #options: LineQueueOptions;
  readonly #maxLines: number;
  readonly #maxBytes: number;
  readonly #queues = new Map<string, SenderQueue>();
  readonly #pauses = new Set<() => void>();
  #lines = 0;
  #bytes = 0;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #drained: (() => void) | undefined;
  #closed = false;
  readonly #failures: RateLimitedReport;
  #lastError: unknown;
  /** Lines stored and lines discarded since the start. */
  readonly counts = { stored: 0, refused: 0 };

  constructor(options: LineQueueOptions) {
    this.#options = options;
    this.#maxLines = options.maxLines ?? 20_000;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.#failures = new RateLimitedReport((failed, total) =>
      options.log.warn({ err: this.#lastError, failed, total, queued: this.#lines }, 'Retrying to store log lines'),
    );
  }

  /** Number of failed attempts to store a batch. */
  get retries(): number {
    return this.#failures.total;
  }

  /** Number of lines that wait or are being stored. */
  get size(): number {
    return this.#lines;
  }

  /** Number of lines that still fit; negative if too many were added. */
  get room(): number {
    return this.#maxLines - this.#lines;
  }

  /** Fill level from 0 (empty) to 1 (full), by lines or by memory, whichever is higher. */
  get fill(): number {
    return Math.max(this.#lines / this.#maxLines, this.#bytes / this.#maxBytes);
  }

  add(line: SyslogLine, address: string, hostname: string): void {
    const key = `${address} ${hostname}`;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = { sender: { address, hostname }, lines: [], busy: false, due: false };
      this.#queues.set(key, queue);
    }
    queue.lines.push(line);
    this.#lines += 1;
    this.#bytes += costOf(line);
    if (queue.lines.length >= BATCH_LINES) {
      queue.due = true;
      this.#send(queue, key);
    }
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** Stores the queued lines, waiting at most `timeoutMs`. Resolves with the number of lines that were not stored. */
  async close(timeoutMs: number): Promise<number> {
    const refusedBefore = this.counts.refused;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    for (const wake of this.#pauses) wake();
    this.#flush();
    if (this.#lines > 0) {
      const timer = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timer);
    }
    this.#closed = true;
    this.#failures.close();
    this.counts.refused += this.#lines;
    this.#queues.clear();
    for (const wake of this.#pauses) wake();
    return this.counts.refused - refusedBefore;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const queue of this.#queues.values()) queue.due = true;
    this.#sendDue();
  }

  #sendDue(): void {
    for (const [key, queue] of this.#queues) {
      if (!this.#mayStart()) break;
      this.#send(queue, key);
    }
  }

  #mayStart(): boolean {
    return this.#inFlight < MAX_IN_FLIGHT && this.#pauses.size < MAX_FAILING && !this.#closed;
  }

  #send(queue: SenderQueue, key: string): void {
    if (queue.busy || !queue.due || queue.lines.length === 0 || !this.#mayStart()) return;
    queue.busy = true;
    this.#inFlight += 1;
    const batch = queue.lines.length <= MAX_BATCH_LINES ? queue.lines : queue.lines.slice(0, MAX_BATCH_LINES);
    queue.lines = batch === queue.lines ? [] : queue.lines.slice(MAX_BATCH_LINES);
    queue.due = queue.lines.length >= BATCH_LINES || this.#drained !== undefined;
    void this.#deliver(batch, queue.sender).finally(() => this.#sent(queue, key, batch));
  }

  #sent(queue: SenderQueue, key: string, batch: SyslogLine[]): void {
    queue.busy = false;
    this.#inFlight -= 1;
    this.#lines -= batch.length;
    for (const line of batch) this.#bytes -= costOf(line);
    if (queue.lines.length > 0) {
      // Move it to the end of the map, so that a busy sender does not delay the others.
      this.#queues.delete(key);
      this.#queues.set(key, queue);
    } else if (this.#queues.get(key) === queue) this.#queues.delete(key);
    this.#sendDue();
    this.#options.onSpace?.();
    if (this.#lines === 0) this.#drained?.();
  }

  /** Never rejects. Halves a batch with a final error until the faulty line is alone. */
  async #deliver(lines: SyslogLine[], sender: Sender): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      try {
        await this.#options.onLines(lines, sender);
        this.counts.stored += lines.length;
        return;
      } catch (error) {
        if (isFinal(error)) {
          if (lines.length > 1) {
            const half = lines.length >> 1;
            await this.#deliver(lines.slice(0, half), sender);
            await this.#deliver(lines.slice(half), sender);
            return;
          }
          this.counts.refused += 1;
          this.#options.log.error({ err: error, sender }, 'Discarded a log line that can never be stored');
          if (sender.address !== '' || sender.hostname !== '') this.#options.onRefused?.();
          return;
        }
        this.#lastError = error;
        this.#failures.count();
      }
      await this.#pause(waitMs);
      if (this.#closed) return;
    }
  }

  /** Waits without counting as in flight, so that a failing sender does not delay the others. */
  async #pause(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#pauses.add(resolve);
    this.#inFlight -= 1;
    this.#sendDue();
    await promise;
    this.#inFlight += 1;
    this.#pauses.delete(resolve);
    clearTimeout(timer);
  }
}

function costOf(line: SyslogLine): number {
  return line.log.length + LINE_OVERHEAD;
}

/** True if a retry would fail again. An unclassified error counts as retryable. */
function isFinal(error: unknown): boolean {
  return error instanceof AppError && !ERRORS[error.code].retryable;
}
