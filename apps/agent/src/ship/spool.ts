// Queue of batches on the disk, in order, until the server has them. One file holds a batch and the positions after it,
// so neither is saved without the other. The newest file stays after its batch was acknowledged, renamed to `.done`,
// for its positions. Batches are numbered, so that the server knows of each one that it did not get.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { CountedBatch } from '../api/batch.ts';
import { type Disk, SYSTEM_DISK } from '../files/disk.ts';
import { DIR_MODE, syncFolder, writeDurably } from '../files/durable-file.ts';
import { codeOf } from '../files/error-code.ts';
import { NO_POSITIONS, type Positions, type SavedPositions } from '../follow/positions.ts';
import { type Numbers, packBatch, readBatch, type StoredBatch } from './spool-file.ts';

interface Waiting {
  readonly number: number;
  readonly lines: number;
  readonly fileBytes: number;
}

interface OpenSpool {
  readonly spool: Spool;
  /** Positions to continue from. */
  readonly positions: Positions;
  /** Number of damaged batches whose lines are before these positions. */
  readonly lost: number;
}

const NO_LOSSES: Numbers['dropped'] = { rotation: 0, spool_full: 0, skipped: 0 };
const NAME = /^(\d{12})\.(batch|done)$/;

export class Spool {
  readonly #dir: string;
  readonly #maxBytes: number;
  readonly #disk: Disk;
  readonly #waiting: Waiting[] = [];
  /** Number of the file with the newest positions when its batch is not queued. */
  #done: number | undefined;
  #number = 0;
  /** Numbers of the last batch. A spool that is made anew counts anew. */
  #numbers: Numbers = { spool: randomUUID(), number: 0, read: 0, dropped: NO_LOSSES };
  /** A batch was damaged, and none was added since, whose number would show the gap. */
  #hasGap = false;
  /** Losses so far; those beyond the last batch go with the next one. */
  #dropped: Numbers['dropped'] = this.#numbers.dropped;
  /** Serializes changes. */
  #lastChange: Promise<unknown> = Promise.resolve();

  private constructor(dir: string, maxBytes: number, disk: Disk) {
    this.#dir = dir;
    this.#disk = disk;
    this.#maxBytes = maxBytes;
  }

  /** Opens the spool in a folder, and creates the folder if needed. */
  static async open(
    dir: string,
    maxBytes: number,
    log: Pick<Logger, 'error'>,
    disk: Disk = SYSTEM_DISK,
  ): Promise<OpenSpool> {
    await disk.mkdir(dir, { recursive: true, mode: DIR_MODE });
    const spool = new Spool(dir, maxBytes, disk);
    return { spool, ...(await spool.#load(log)) };
  }

  /** Bytes of queued batches on the disk. */
  get bytes(): number {
    return this.#waiting.reduce((sum, { fileBytes }) => sum + fileBytes, 0);
  }

  /** True while another batch may be added. A batch that is added without room is kept nevertheless. */
  get hasRoom(): boolean {
    return this.bytes < this.#maxBytes;
  }

  /** Counts a loss. The positions after it must be saved with a batch, which carries it to the server. */
  lose(stage: keyof Numbers['dropped']): void {
    this.#dropped = { ...this.#dropped, [stage]: this.#dropped[stage] + 1 };
  }

  /** True if there are losses that no batch shows to the server. */
  get hasLosses(): boolean {
    return this.#hasGap || this.#dropped !== this.#numbers.dropped;
  }

  /**
   * Adds a batch; when this returns, it is on the disk.
   *
   * @throws the error of the system when it cannot be written
   */
  put(batch: CountedBatch, positions: SavedPositions): Promise<void> {
    return this.#serialize(async () => {
      const { spool, number: last, read } = this.#numbers;
      const { withoutTime, withoutLevel } = batch;
      const numbers = {
        spool,
        number: last + 1,
        read: read + batch.lines,
        dropped: this.#dropped,
        ...(withoutTime === 0 ? {} : { lines_without_time: withoutTime }),
        ...(withoutLevel === 0 ? {} : { lines_without_level: withoutLevel }),
      };
      const content = packBatch(batch, positions, numbers);
      const number = this.#number + 1;
      await writeDurably(this.#path(number, 'batch'), content, undefined, this.#disk);
      this.#number = number;
      this.#numbers = numbers;
      this.#hasGap = false;
      this.#waiting.push({ number, lines: batch.lines, fileBytes: content.length });
      await this.#removeDone();
    });
  }

  /** Saves positions alone. Every line before them must be in a batch that was added. Throws as {@link put} does. */
  save(positions: SavedPositions): Promise<void> {
    return this.#serialize(async () => {
      const number = this.#number + 1;
      const content = packBatch({ key: '', lines: 0, body: Buffer.alloc(0) }, positions, this.#numbers);
      await writeDurably(this.#path(number, 'done'), content, undefined, this.#disk);
      this.#number = number;
      await this.#removeDone();
      this.#done = number;
    });
  }

  /**
   * Reads the first batch; undefined when the queue is empty, `'damaged'` when its file is gone or has other bytes.
   * Other failures to read may pass, and are thrown unless it is the last try.
   */
  async first(isLastTry: boolean): Promise<StoredBatch | 'damaged' | undefined> {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const kept = await readBatch(this.#path(first.number, 'batch'), this.#disk).catch((error: unknown) => {
      if (isLastTry || codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (kept === undefined) this.#hasGap = this.#waiting.length === 1;
    return kept ?? 'damaged';
  }

  /** Removes the first batch and returns its number of lines. */
  removeFirst(): Promise<number> {
    return this.#serialize(async () => {
      const [first] = this.#waiting;
      if (first === undefined) return 0;
      const path = this.#path(first.number, 'batch');
      // A batch that a crash restores is sent again under its key, and counts once.
      if (first.number !== this.#number) await this.#disk.rm(path, { force: true });
      else {
        await this.#disk.rename(path, this.#path(first.number, 'done')).catch(() => undefined);
        this.#done = first.number;
      }
      this.#waiting.shift();
      return first.lines;
    });
  }

  #serialize<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => undefined);
    return result;
  }

  #path(number: number, kind: 'batch' | 'done'): string {
    return join(this.#dir, `${String(number).padStart(12, '0')}.${kind}`);
  }

  async #removeDone(): Promise<void> {
    const number = this.#done;
    this.#done = undefined;
    if (number !== undefined) await this.#disk.rm(this.#path(number, 'done'), { force: true });
  }

  async #load(log: Pick<Logger, 'error'>): Promise<Omit<OpenSpool, 'spool'>> {
    let positions = NO_POSITIONS;
    let damaged: string[] = [];
    let lost = 0;
    for (const name of (await this.#disk.readdir(this.#dir)).sort()) {
      const path = join(this.#dir, name);
      const [, number, kind] = NAME.exec(name) ?? [];
      if (number === undefined) {
        if (name.endsWith('.tmp')) await this.#disk.rm(path, { force: true });
        continue;
      }
      const kept = await readBatch(path, this.#disk);
      if (kept === undefined) {
        await this.#disk.rename(path, `${path}.damaged`);
        damaged.push(path);
        continue;
      }
      ({ positions } = kept);
      this.#numbers = kept.numbers ?? this.#numbers;
      this.#dropped = this.#numbers.dropped;
      for (const file of damaged)
        log.error({ file }, 'a batch on the disk is damaged; moved aside, its lines are lost');
      lost += damaged.length;
      this.#hasGap ||= damaged.length > 0 && kind === 'done';
      damaged = [];
      await this.#removeDone();
      this.#number = Number(number);
      if (kind === 'done') this.#done = this.#number;
      else this.#waiting.push({ number: this.#number, lines: kept.lines, fileBytes: kept.fileBytes });
    }
    for (const file of damaged) {
      log.error({ file }, 'a batch on the disk is damaged; moved aside, its lines are read again if they still exist');
    }
    await syncFolder(this.#dir, this.#disk);
    return { positions, lost };
  }
}
