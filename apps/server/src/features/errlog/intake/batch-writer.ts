// Stores batches. Those that arrive during a commit are stored together with the next: a flood of repeats is then a
// few hundred groups, however many lines it has, and one sync of the disk.
import type { ErrlogReceipt } from '@quarterdeck/core';
import { DatabaseError, type Dialect, type SqlTx } from '@quarterdeck/core/db';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import { AppError, unixSeconds } from '@quarterdeck/core/plain';
import type { BatchNote, LedgerNotes, Loss, ReceiptKey, StoredBatch } from '@quarterdeck/store';
// Not the whole store: the thread that stores lines would keep 10 MB of code that it never runs.
import { sizeOf, toColumns } from '@quarterdeck/store/line-columns';
import { createLineStore, type LineStore } from '@quarterdeck/store/line-store';
import { nothingAccepted, readBody } from './body-lines.ts';
import type { Incoming } from './incoming.ts';
import { addCounts, countLines, type LineCounts, noLines } from './line-counts.ts';
import { NameLimits } from './name-limits.ts';
import { type ReadBatch, unpackBatch } from './packed-batch.ts';
import { createQuota } from './quota.ts';
import { sourceOf } from './senders.ts';
import { WriteSize } from './write-size.ts';

const NO_NODE = -1;

/** Collects the notes. Lines without a body, those of syslog, need none: all of them are stored, or repeated. */
class NotedBatches implements LedgerNotes {
  readonly batches: BatchNote[] = [];
  readonly losses: Loss[] = [];

  get isEmpty(): boolean {
    return this.batches.length === 0 && this.losses.length === 0;
  }

  /** Adds a batch that is stored, or of which no line can be read. */
  add({ lines, refused: { length }, rejected = 0, from, numbers, omitted = {} }: ReadBatch): void {
    const refused = length + rejected;
    const types = Object.entries(omitted);
    if (from === undefined || (refused === 0 && numbers === undefined && types.length === 0)) return;
    const sender = sourceOf(from, '', 0, NO_NODE);
    for (const [type, items] of types) this.losses.push({ sender, stage: `sentry_${type}`, lines: items });
    if (refused === 0 && numbers === undefined) return;
    this.batches.push({ sender, refused, lines: sizeOf(lines) + refused, numbers });
  }

  /** Adds a batch that exceeds a quota. Agents repeat theirs until it is stored. */
  addTurnedAway({ lines, from }: ReadBatch): void {
    if (from === undefined || from.agentId !== undefined) return;
    const sums = lines.senders.map(() => 0);
    for (const [i, sender] of lines.senderOf.entries())
      sums[sender] = (sums[sender] as number) + (lines.counts[i] as number);
    for (const [i, sender] of lines.senders.entries())
      this.losses.push({ sender, stage: 'quota', lines: sums[i] ?? 0 });
  }
}

/** A batch on its way to the database. */
export interface Batch {
  /** Number of the batch, unique within one intake. */
  readonly id: number;
  readonly incoming: Incoming;
  /** Arrival, Unix milliseconds. */
  readonly nowMs: number;
  /** Given if the batch came with an Idempotency-Key. */
  readonly receipt: ReceiptKey | undefined;
}

export type Outcome =
  | { readonly id: number; readonly answer: ErrlogReceipt }
  | { readonly id: number; readonly error: unknown };

export interface Written {
  readonly outcomes: readonly Outcome[];
  /** Groups that are durable now, for each transaction. */
  readonly stored: readonly StoredBatch[];
  /** Lines of the batches by level and outcome. */
  readonly lines: LineCounts;
  /** Number of lines since the last write whose host or service was replaced, see `NameLimits`. */
  readonly others: number;
}

/** Runs one transaction: durable when it resolves, or nothing of it is stored. */
type Transact = <T>(work: (tx: SqlTx) => Promise<T>) => Promise<T>;

export interface WriterSettings {
  readonly dialect: Dialect;
  /** Lines that a source may send in a minute; 0 is unlimited. */
  readonly sourceQuota: number;
  /** New groups that a credential or an address may cause in a minute. */
  readonly newGroupsPerMinute: number;
}

/** A parsed batch. */
interface Prepared extends ReadBatch {
  readonly batch: Batch;
  /** Its names were admitted, and its lines were taken from the quotas of their sources. That is done once. */
  isAdmitted: boolean;
}

/** Most lines of one write. Repeated lines cost almost no time, and are limited for their memory. */
const WRITE_LINES = { sqlite: 20_000, postgresql: 32_000 } as const;
/** Most hosts and most services that are known after a restart. */
const KNOWN_NAMES = 50_000;

/** Takes batches and writes several at a time. */
export class BatchWriter {
  readonly #lines: LineStore;
  readonly #takeQuota;
  readonly #names = new NameLimits();
  readonly #size: WriteSize;
  readonly #mostLines: number;
  /** Batches that are not parsed yet. */
  #waiting: Batch[] = [];
  #prepared: Prepared[] = [];
  #preparedLines = 0;
  /** Fingerprints of the parsed batches. */
  readonly #preparedErrors = new Set<string>();
  #unreadable: Outcome[] = [];

  constructor({ dialect, sourceQuota, newGroupsPerMinute }: WriterSettings) {
    this.#lines = createLineStore(dialect, newGroupsPerMinute);
    this.#takeQuota = createQuota(sourceQuota);
    this.#size = new WriteSize(dialect);
    this.#mostLines = WRITE_LINES[dialect];
  }

  /** Takes a batch, and parses it if it fits into the next write: unparsed, it needs the least memory. */
  take(batch: Batch): void {
    this.#waiting.push(batch);
    this.#readAhead();
  }

  /** Removes batches that were not written yet. */
  remove(ids: ReadonlySet<number>): void {
    this.#waiting = this.#waiting.filter(({ id }) => !ids.has(id));
    this.#unreadable = this.#unreadable.filter(({ id }) => !ids.has(id));
    const left = this.#prepared.filter(({ batch }) => !ids.has(batch.id));
    this.#startOver();
    for (const one of left) this.#add(one);
  }

  /** Writes as much as fits into one write, at least one batch. Never rejects: errors are in the outcomes. */
  async write(transact: Transact): Promise<Written> {
    this.#readAhead();
    const batches = this.#prepared;
    const errors = this.#preparedErrors.size;
    const outcomes = this.#unreadable;
    this.#startOver();
    this.#unreadable = [];
    const stored: StoredBatch[] = [];
    const lines = noLines();
    const store = async (some: readonly Prepared[]) => {
      const done = await this.#storeTogether(transact, some);
      outcomes.push(...done.outcomes);
      if (done.batch !== undefined) stored.push(done.batch);
      addCounts(lines, done.lines);
    };
    const fail = (some: readonly Prepared[], error: unknown) => {
      for (const { batch } of some) outcomes.push({ id: batch.id, error });
    };
    try {
      if (batches.length > 0) await this.#size.measure(errors, () => store(batches));
    } catch (error) {
      // An error of the database holds for all batches. Any other may be caused by one of them.
      if (batches.length === 1 || error instanceof DatabaseError) fail(batches, error);
      else for (const one of batches) await store([one]).catch((own) => fail([one], own));
    }
    const { others } = this.#names;
    this.#names.others = 0;
    return { outcomes, stored, lines, others };
  }

  #readAhead(): void {
    const isFull = () => this.#preparedErrors.size >= this.#size.errors || this.#preparedLines >= this.#mostLines;
    while (this.#waiting.length > 0 && !isFull()) {
      const batch = this.#waiting.shift() as Batch;
      try {
        this.#add({ batch, ...readIncoming(batch), isAdmitted: false });
      } catch (error) {
        this.#unreadable.push({ id: batch.id, error });
      }
    }
  }

  #add(prepared: Prepared): void {
    this.#prepared.push(prepared);
    this.#preparedLines += sizeOf(prepared.lines);
    for (const print of prepared.lines.prints) this.#preparedErrors.add(print);
  }

  #startOver(): void {
    this.#prepared = [];
    this.#preparedLines = 0;
    this.#preparedErrors.clear();
  }

  async #storeTogether(transact: Transact, batches: readonly Prepared[]) {
    // Results of a transaction hold only once it is durable: it may run again.
    const done = await transact(async (tx) => {
      const { fresh, outcomes, notes, lines } = await this.#admit(tx, batches);
      if (fresh.length === 0 && notes.isEmpty) return { outcomes, lines };
      const nowMs = Math.max(...batches.map(({ batch }) => batch.nowMs));
      const columns = fresh.map((one) => one.lines);
      const stored = await this.#lines.store(tx, columns, nowMs, notes);
      for (const one of columns) countLines(lines, 'stored', one);
      return { outcomes, lines, stored };
    });
    done.stored?.onCommitted();
    return { outcomes: done.outcomes, lines: done.lines, batch: done.stored?.batch };
  }

  /** Selects the batches to store, and answers the others. */
  async #admit(tx: SqlTx, batches: readonly Prepared[]) {
    const fresh: Prepared[] = [];
    const outcomes: Outcome[] = [];
    const notes = new NotedBatches();
    const lines = noLines();
    await this.#lines.lock(tx);
    if (!this.#names.isReady) this.#names.know(await this.#lines.storedNames(tx, KNOWN_NAMES));
    // All at once: on PostgreSQL the look-ups of all receipts are one round trip.
    const answers = await Promise.allSettled(batches.map((prepared) => this.#claim(tx, prepared)));
    for (const [i, prepared] of batches.entries()) {
      const { id } = prepared.batch;
      try {
        const earlier = settledValue(answers[i] as (typeof answers)[number]);
        if (earlier === undefined) {
          notes.add(prepared);
          lines.unreadable += prepared.refused.length + (prepared.rejected ?? 0);
          if (isRefused(prepared)) throw nothingAccepted(prepared.refused);
          fresh.push(prepared);
        } else countLines(lines, 'repeated', prepared.lines);
        outcomes.push({ id, answer: earlier ?? answerOf(prepared) });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (error.code === 'quota_exceeded') {
          notes.addTurnedAway(prepared);
          countLines(lines, 'overQuota', prepared.lines);
        }
        outcomes.push({ id, error });
      }
    }
    return { fresh, outcomes, notes, lines };
  }

  /** Returns the answer that a batch was given before. Otherwise admits it and stores its receipt. */
  async #claim(tx: SqlTx, prepared: Prepared): Promise<ErrlogReceipt | undefined> {
    const { batch, bodyHash } = prepared;
    const { receipt, nowMs } = batch;
    const key = receipt === undefined || bodyHash === undefined ? undefined : { ...receipt, bodyHash };
    const earlier = key && (await this.#lines.earlierAnswer(tx, key));
    if (earlier !== undefined) return earlier;
    this.#admitOnce(prepared);
    if (key === undefined || isRefused(prepared)) return undefined;
    return await this.#lines.claimReceipt(tx, { ...key, answer: answerOf(prepared), timeMs: nowMs });
  }

  #admitOnce(prepared: Prepared): void {
    if (prepared.isAdmitted) return;
    const { nowMs } = prepared.batch;
    Object.assign(prepared, this.#names.apply(prepared, unixSeconds(nowMs)));
    this.#takeQuota(prepared.lines, nowMs);
    prepared.isAdmitted = true;
  }
}

/** Returns the value of a settled promise, or throws its reason. */
function settledValue<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Tells whether none of the lines of a batch could be read. */
const isRefused = ({ lines, refused }: ReadBatch) => sizeOf(lines) === 0 && refused.length > 0;

function answerOf({ lines, refused, warnings, warned }: ReadBatch): ErrlogReceipt {
  return { accepted: sizeOf(lines), refused, ...(warnings && { warnings, warned }) };
}

function readIncoming({ incoming, nowMs, receipt }: Batch): ReadBatch {
  if ('form' in incoming) return readBody(incoming, unixSeconds(nowMs), receipt !== undefined);
  if ('packed' in incoming) return unpackBatch(incoming);
  const lines = toColumns(incoming.lines, ({ log, service }) => fingerprint(log, service));
  return { lines, refused: [], bodyHash: undefined };
}
