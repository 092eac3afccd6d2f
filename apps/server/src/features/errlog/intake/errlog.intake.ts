// Takes batches in and hands them to who stores them: on SQLite a thread, on PostgreSQL this one. Bounded: who sends
// more than can be stored is asked to wait.
import { AppError, type ErrlogReceipt } from '@quarterdeck/core';
import type { Deps } from '../../../deps.ts';
import type { IntakeStats } from '../../../metrics.ts';
import type { StoredBatch } from './errlog.batch.ts';
import type { Incoming } from './errlog.incoming.ts';
import type { IntakeAnswer, IntakeMessage } from './errlog.intake.worker.ts';
import { unpackOutcome } from './errlog.outcome.ts';
import type { ReceiptKey } from './errlog.receipts.ts';
import { type Batch, BatchWriter, type Written } from './errlog.writer.ts';

/** Bytes that may be on their way to the database at once, some 100,000 lines. */
const IN_FLIGHT_MAX = 32 * 1024 * 1024;
/** What a line that was read already costs beside its text, here and as the copy that is handed over, roughly. */
const LINE_OVERHEAD = 330;

/** Takes batches in. */
export interface Intake {
  /**
   * Stores a batch; resolves when it is durable, with the answer that was given before where it came before with the
   * same receipt.
   *
   * @throws AppError `malformed_json`, `too_large`, `nothing_accepted` for what cannot be read, `idempotency_conflict`
   *   where the receipt was given for another body, `overloaded` where too much is already on its way,
   *   `quota_exceeded` where a source has sent more than it may
   */
  store(incoming: Incoming, receipt?: ReceiptKey): Promise<ErrlogReceipt>;
  stats(): IntakeStats;
}

/** Who stores batches. */
interface Store {
  take(batch: Batch): void;
  forget(ids: ReadonlySet<number>): void;
  write(): Promise<Written>;
}

interface Waiting {
  readonly bytes: number;
  readonly resolve: (answer: ErrlogReceipt) => void;
  readonly reject: (error: unknown) => void;
}

/** An intake. `onStored` is told of every batch that is durable. */
export function createIntake(deps: Deps, onStored: (batch: StoredBatch) => void): Intake {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let inFlightBytes = 0;
  let running = false;
  let [stored, writes, turnedAway] = [0, 0, 0];
  const failAll = (error: unknown) => {
    for (const id of waiting.keys()) settle(id, ({ reject }) => reject(error));
  };
  const store = openStore(deps, failAll);

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
      try {
        conclude(await store.write());
      } catch (error) {
        // It did not get its turn, or was lost. Nothing of what waits may be stored behind the back of who was refused.
        store.forget(new Set(waiting.keys()));
        failAll(error);
      }
    }
    running = false;
  }

  function conclude({ outcomes, stored: batches, lines }: Written): void {
    for (const batch of batches) onStored(batch);
    writes += batches.length;
    stored += lines;
    for (const outcome of outcomes) {
      if ('answer' in outcome) settle(outcome.id, ({ resolve }) => resolve(outcome.answer));
      else {
        if (outcome.error instanceof AppError && outcome.error.code === 'quota_exceeded') turnedAway += 1;
        settle(outcome.id, ({ reject }) => reject(outcome.error));
      }
    }
  }

  return {
    store(incoming, receipt) {
      const bytes = sizeOf(incoming);
      if (waiting.size > 0 && inFlightBytes + bytes > IN_FLIGHT_MAX) {
        turnedAway += 1;
        return Promise.reject(new AppError('overloaded'));
      }
      lastId += 1;
      const id = lastId;
      return new Promise<ErrlogReceipt>((resolve, reject) => {
        store.take({ id, incoming, nowMs: deps.now(), receipt });
        waiting.set(id, { bytes, resolve, reject });
        inFlightBytes += bytes;
        if (!running) void run();
      });
    },
    stats: () => ({ stored, writes, inFlightBytes, turnedAway }),
  };
}

const sizeOf = (incoming: Incoming): number =>
  'bytes' in incoming
    ? incoming.bytes.length
    : incoming.lines.reduce((sum, { line }) => sum + line.log.length + LINE_OVERHEAD, 0);

/** The thread's file, compiled or not, as this one is. */
const file = new URL(`./errlog.intake.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** `onLost` is told when all that was handed over is lost. */
function openStore({ db, log, sourceQuota }: Deps, onLost: (error: unknown) => void): Store {
  const settings = { dialect: db.dialect, sourceQuota };
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
      forget: (ids) => writer.forget(ids),
      // Bulk: on a disk that fills up, lines are refused before sign-ins are.
      write: () => writer.write((work) => db.write(work, { bulk: true })),
    };
  }
  return {
    take(batch) {
      const { incoming } = batch;
      if ('lines' in incoming) return thread.post(batch);
      const bytes = ownBytes(incoming.bytes);
      thread.post({ ...batch, incoming: { ...incoming, bytes } }, [bytes.buffer]);
    },
    forget: (ids) => thread.post({ forget: ids }),
    async write() {
      const { outcomes, ...written } = await thread.write();
      return { ...written, outcomes: outcomes.map(unpackOutcome) };
    },
  };
}

/** Bytes that can be given away: small ones of Node share their memory with others. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
