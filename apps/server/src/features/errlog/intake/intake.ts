// Takes batches in and hands them to the writer: a thread on SQLite, this thread on PostgreSQL. Bytes in flight are
// limited; senders beyond that are asked to retry. Threads parse large and compressed bodies first.
import { AppError, type ErrlogReceipt, unixSeconds } from '@quarterdeck/core';
import { toDatabaseError } from '@quarterdeck/core/db';
import { RateLimitedReport } from '@quarterdeck/intake';
import type { ReceiptKey, StoredBatch } from '@quarterdeck/store';
import { type Batch, BatchWriter, type Written } from './batch-writer.ts';
import { readBody } from './body-lines.ts';
import { createBodyReader, ownBytes } from './body-reader.ts';
import { Gathering } from './gathering.ts';
import { type Incoming, type IncomingBody, smallBody } from './incoming.ts';
import type { IntakeAnswer, IntakeMessage } from './intake.worker.ts';
import { addCounts, type LineCounts, noLines } from './line-counts.ts';
import type { IntakeNeeds } from './needs.ts';
import { unpackOutcome } from './outcome.ts';
import { type PackedBatch, packBatch } from './packed-batch.ts';

/** Most bytes in flight to the database, some 100,000 lines. */
const IN_FLIGHT_MAX = 32 * 1024 * 1024;
/** Approximate memory of a parsed line besides its text, with the copy that is handed over. */
const LINE_OVERHEAD = 330;

/** Counts of the intake since the start. */
export interface IntakeStats {
  /** Durable lines. */
  readonly stored: number;
  /** Lines by level and outcome. */
  readonly lines: LineCounts;
  /** Writes of these lines. */
  readonly writes: number;
  /** Batches that wait for the database, and bytes of their lines. */
  readonly waiting: number;
  readonly inFlightBytes: number;
  /** Refused batches: too many bytes were waiting, or their source had reached its quota. */
  readonly turnedAway: number;
}

/** Takes batches in. */
export interface Intake {
  /**
   * Stores a batch. Resolves when it is durable, or with the earlier answer to the same receipt.
   *
   * @throws AppError `malformed_json`, `too_large`, `nothing_accepted` for an unreadable body, `idempotency_conflict`
   *   if the receipt was given for another body, `overloaded` if too much is in flight, `quota_exceeded` if a source
   *   has used up its quota
   */
  store(incoming: Incoming, receipt?: ReceiptKey): Promise<ErrlogReceipt>;
  /**
   * Parses a body: a small one here, a large one on a thread.
   *
   * @param hashed it came with a receipt
   * @throws AppError as {@link Intake.store}, for an unreadable body and if too many bodies wait
   */
  read(body: IncomingBody, hashed: boolean): Promise<PackedBatch>;
  stats(): IntakeStats;
  /** Ends the threads that parse. */
  close(): Promise<void>;
}

/** Writer of batches, in this thread or another. */
interface Store {
  take(batch: Batch): void;
  remove(ids: ReadonlySet<number>): void;
  write(): Promise<Written>;
}

interface Waiting {
  readonly bytes: number;
  readonly resolve: (answer: ErrlogReceipt) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates an intake. It calls `onStored` with every durable batch, and `onUnknown` when a write failed that may have
 * stored its batches nevertheless: their senders repeat them and get the stored answer.
 */
export function createIntake(deps: IntakeNeeds, onStored: (batch: StoredBatch) => void, onUnknown: () => void): Intake {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let inFlightBytes = 0;
  let running = false;
  const counts = noLines();
  let [writes, turnedAway] = [0, 0];
  const failAll = (error: unknown) => {
    for (const id of waiting.keys()) settle(id, ({ reject }) => reject(error));
  };
  const store = openStore(deps, failAll);
  const reader = createBodyReader(deps.log, (waitedMs) => deps.admission.isLate('lines', waitedMs));
  const gathering = new Gathering(() => reader.isReading);
  const others = new RateLimitedReport((lines, total) =>
    deps.log.warn({ lines, total }, 'log lines stored under the host or service "other": too many new names'),
  );

  function settle(id: number, how: (batch: Waiting) => void): void {
    const batch = waiting.get(id);
    if (batch === undefined) return;
    waiting.delete(id);
    inFlightBytes -= batch.bytes;
    how(batch);
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.size > 0) {
      await gathering.gathered();
      try {
        const written = await store.write();
        conclude(written);
        const lost = lossOf(written);
        if (lost !== undefined) throw lost;
      } catch (error) {
        // The write timed out or its thread was lost. A batch that its sender was refused must not be stored later.
        store.remove(new Set(waiting.keys()));
        failAll(error);
        onUnknown();
      }
    }
    running = false;
  }

  function conclude({ outcomes, stored: batches, lines, others: replaced }: Written): void {
    for (const batch of batches) onStored(batch);
    writes += batches.length;
    addCounts(counts, lines);
    if (replaced > 0) others.count(replaced);
    if (outcomes.some((outcome) => 'error' in outcome && toDatabaseError(outcome.error)?.kind === 'io')) onUnknown();
    for (const outcome of outcomes) {
      if ('answer' in outcome) settle(outcome.id, ({ resolve }) => resolve(outcome.answer));
      else {
        if (outcome.error instanceof AppError && outcome.error.code === 'quota_exceeded') turnedAway += 1;
        settle(outcome.id, ({ reject }) => reject(outcome.error));
      }
    }
  }

  function enqueue(incoming: Incoming, bytes: number, receipt: ReceiptKey | undefined): Promise<ErrlogReceipt> {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      store.take({ id, incoming, nowMs: deps.now(), receipt });
      waiting.set(id, { bytes, resolve, reject });
      inFlightBytes += bytes;
      gathering.add(linesIn(incoming));
      if (!running) void run();
    });
  }

  async function readOnThread(body: IncomingBody, hashed: boolean): Promise<PackedBatch> {
    try {
      return await reader.read(body, unixSeconds(deps.now()), hashed);
    } catch (error) {
      if (error instanceof AppError && error.code === 'overloaded') turnedAway += 1;
      throw error;
    } finally {
      gathering.look();
    }
  }

  return {
    async store(incoming, receipt) {
      // The writer parses a small one.
      const ready =
        'form' in incoming ? (smallBody(incoming) ?? (await readOnThread(incoming, receipt !== undefined))) : incoming;
      const bytes = sizeOf(ready);
      if (waiting.size > 0 && inFlightBytes + bytes > IN_FLIGHT_MAX) {
        turnedAway += 1;
        throw new AppError('overloaded');
      }
      return enqueue(ready, bytes, receipt);
    },
    async read(body, hashed) {
      const small = smallBody(body);
      if (small === undefined) return readOnThread(body, hashed);
      return packBatch(readBody(small, unixSeconds(deps.now()), hashed));
    },
    stats: () => ({
      stored: counts.stored.reduce((sum, n) => sum + n, 0),
      lines: counts,
      writes,
      waiting: waiting.size,
      inFlightBytes,
      turnedAway,
    }),
    async close() {
      others.close();
      await reader.close();
    },
  };
}

/** Error of a database that does not answer. The batches behind would wait for it as long again. */
const lossOf = ({ outcomes }: Written): unknown =>
  outcomes
    .map((outcome) => ('error' in outcome ? toDatabaseError(outcome.error) : undefined))
    .find((error) => error?.kind === 'unavailable' || error?.kind === 'timeout');

/** Number of lines; 0 of a small body, which the writer parses. */
function linesIn(incoming: Incoming): number {
  if ('form' in incoming) return 0;
  if ('packed' in incoming) return incoming.size;
  return incoming.lines.length;
}

function sizeOf(incoming: Incoming): number {
  if ('form' in incoming) return incoming.bytes.length;
  if ('packed' in incoming) return incoming.bytes + incoming.size * LINE_OVERHEAD;
  return incoming.lines.reduce((sum, { line }) => sum + line.log.length + LINE_OVERHEAD, 0);
}

/** File of the thread, compiled if this one is. */
const file = new URL(`./intake.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Opens the writer. It calls `onLost` when a thread ends with all that was handed to it. */
function openStore({ db, log, sourceQuota, newGroupsPerMinute }: IntakeNeeds, onLost: (error: unknown) => void): Store {
  const settings = { dialect: db.dialect, sourceQuota, newGroupsPerMinute };
  const thread = db.openThread?.<IntakeMessage, IntakeAnswer>({
    file,
    settings,
    onLost(error) {
      log.error({ err: error }, 'the thread that stores log lines has ended; the next batch starts another one');
      onLost(error);
    },
  });
  if (thread === undefined) {
    const writer = new BatchWriter(settings);
    return {
      take: (batch) => writer.take(batch),
      remove: (ids) => writer.remove(ids),
      // Bulk: on a disk that fills up, lines are refused before sign-ins.
      write: () => writer.write((work) => db.write(work, { bulk: true, endsPipelined: true })),
    };
  }
  return {
    take(batch) {
      const { incoming } = batch;
      if ('packed' in incoming) return thread.post(batch, [incoming.packed.buffer]);
      if ('lines' in incoming) return thread.post(batch);
      const bytes = ownBytes(incoming.bytes);
      thread.post({ ...batch, incoming: { ...incoming, bytes } }, [bytes.buffer]);
    },
    remove: (ids) => thread.post({ remove: ids }),
    async write() {
      const { outcomes, ...written } = await thread.write();
      return { ...written, outcomes: outcomes.map(unpackOutcome) };
    },
  };
}
