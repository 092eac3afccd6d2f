// Holds received lines until they are stored: bounded, in order per sender, handed over in batches, never dropped here.
import { AppError, ERRORS } from '@quarterdeck/core';
import { OccasionalReport } from './occasional-report.ts';
import type { SyslogLine } from './syslog-line.ts';

/** Who sent a batch: the address of the socket and the name of the host, `''` when it has not said one. */
export interface Sender {
  address: string;
  hostname: string;
}

/** What this server itself has to say. Nobody else is without an address and a name. */
export const OWN: Sender = { address: '', hostname: '' };

/** Stores a batch. When it throws, the same batch comes again later, unless it is an error not to be retried. */
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
  /** Called whenever lines have left the queue. */
  onSpace?: () => void;
  /** Called for each line that is given up, except those of {@link OWN}. */
  onRefused?: () => void;
  maxLines?: number;
  maxBytes?: number;
}

/** The lines of one sender. At most one batch of it is under way, so its lines are stored in the order they came. */
interface Lane {
  sender: Sender;
  lines: SyslogLine[];
  busy: boolean;
  /** Gathered long enough, or enough of them: goes as soon as it may. */
  due: boolean;
}

/** So many lines go at once, without waiting for more. */
const BATCH_LINES = 500;
/** Of what has gathered meanwhile a batch takes up to this: each write waits for the disk once, whatever its size. */
const MAX_BATCH_LINES = 2_000;
const GATHER_MS = 20;
const MAX_UNDER_WAY = 16;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
/** So many senders waiting to be tried again mean that the store is down, not that their lines are at fault. */
const MAX_FAILING = 64;
/** What a line costs beside its text, roughly. */
const LINE_OVERHEAD = 200;

/** A bounded queue of lines, gathered per sender. `add` always takes a line: the caller asks `fill` before. */
export class LineQueue {
  readonly #options: LineQueueOptions;
  readonly #maxLines: number;
  readonly #maxBytes: number;
  readonly #lanes = new Map<string, Lane>();
  readonly #pauses = new Set<() => void>();
  #lines = 0;
  #bytes = 0;
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #drained: (() => void) | undefined;
  #closed = false;
  readonly #failures: OccasionalReport;
  #lastError: unknown;
  /** Lines stored and lines given up since the start. */
  readonly counts = { stored: 0, refused: 0 };

  constructor(options: LineQueueOptions) {
    this.#options = options;
    this.#maxLines = options.maxLines ?? 20_000;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.#failures = new OccasionalReport((failed, total) =>
      options.log.warn({ err: this.#lastError, failed, total, queued: this.#lines }, 'Storing log lines is retried'),
    );
  }

  /** How many attempts to store a batch have failed and were made again. */
  get retries(): number {
    return this.#failures.total;
  }

  /** How many lines wait or are being stored. */
  get size(): number {
    return this.#lines;
  }

  /** How many more lines fit. Below 0 when more were added than fit. */
  get room(): number {
    return this.#maxLines - this.#lines;
  }

  /** How full the queue is: 0 empty, 1 full. By lines or by memory, whichever is worse. */
  get fill(): number {
    return Math.max(this.#lines / this.#maxLines, this.#bytes / this.#maxBytes);
  }

  add(line: SyslogLine, address: string, hostname: string): void {
    const key = `${address} ${hostname}`;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { sender: { address, hostname }, lines: [], busy: false, due: false };
      this.#lanes.set(key, lane);
    }
    lane.lines.push(line);
    this.#lines += 1;
    this.#bytes += costOf(line);
    if (lane.lines.length >= BATCH_LINES) {
      lane.due = true;
      this.#send(lane, key);
    }
    this.#timer ??= setTimeout(() => this.#gathered(), GATHER_MS);
  }

  /** Hands over what is queued and waits for it, at most `timeoutMs`. Resolves with the number of lines not stored. */
  async close(timeoutMs: number): Promise<number> {
    const refusedBefore = this.counts.refused;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    for (const wake of this.#pauses) wake();
    this.#gathered();
    if (this.#lines > 0) {
      const timer = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timer);
    }
    this.#closed = true;
    this.#failures.close();
    this.counts.refused += this.#lines;
    this.#lanes.clear();
    for (const wake of this.#pauses) wake();
    return this.counts.refused - refusedBefore;
  }

  #gathered(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const lane of this.#lanes.values()) lane.due = true;
    this.#sendDue();
  }

  #sendDue(): void {
    for (const [key, lane] of this.#lanes) {
      if (!this.#mayStart()) break;
      this.#send(lane, key);
    }
  }

  #mayStart(): boolean {
    return this.#underWay < MAX_UNDER_WAY && this.#pauses.size < MAX_FAILING && !this.#closed;
  }

  #send(lane: Lane, key: string): void {
    if (lane.busy || !lane.due || lane.lines.length === 0 || !this.#mayStart()) return;
    lane.busy = true;
    this.#underWay += 1;
    const batch = lane.lines.length <= MAX_BATCH_LINES ? lane.lines : lane.lines.slice(0, MAX_BATCH_LINES);
    lane.lines = batch === lane.lines ? [] : lane.lines.slice(MAX_BATCH_LINES);
    lane.due = lane.lines.length >= BATCH_LINES || this.#drained !== undefined;
    void this.#deliver(batch, lane.sender).finally(() => this.#sent(lane, key, batch));
  }

  #sent(lane: Lane, key: string, batch: SyslogLine[]): void {
    lane.busy = false;
    this.#underWay -= 1;
    this.#lines -= batch.length;
    for (const line of batch) this.#bytes -= costOf(line);
    if (lane.lines.length > 0) {
      // To the end of the map: a sender that never stops must not keep the others waiting.
      this.#lanes.delete(key);
      this.#lanes.set(key, lane);
    } else if (this.#lanes.get(key) === lane) this.#lanes.delete(key);
    this.#sendDue();
    this.#options.onSpace?.();
    if (this.#lines === 0) this.#drained?.();
  }

  /** Never rejects. A batch refused for good is halved until the line that is to blame is alone. */
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
          this.#options.log.error({ err: error, sender }, 'A received log line could not be stored and is given up');
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

  /** Waits without taking one of the places under way, so that a sender that keeps failing holds up nobody else. */
  async #pause(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#pauses.add(resolve);
    this.#underWay -= 1;
    this.#sendDue();
    await promise;
    this.#underWay += 1;
    this.#pauses.delete(resolve);
    clearTimeout(timer);
  }
}

function costOf(line: SyslogLine): number {
  return line.log.length + LINE_OVERHEAD;
}

/** Whether the same batch would be refused again. Of an error that nobody has classified we cannot know: no. */
function isFinal(error: unknown): boolean {
  return error instanceof AppError && !ERRORS[error.code].retryable;
}
