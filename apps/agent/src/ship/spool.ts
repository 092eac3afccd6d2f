// Batches on the disk until the server has them, in order, and with each of them the places in the followed files behind
// it: one file holds both, so a place is never saved without its lines, nor lines without their place. The last file
// stays when its batch was acknowledged, under the name `.done`, for the places.
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { DIR_MODE, syncFolder, writeDurably } from '../durable-file.ts';
import { NO_POSITIONS, type Positions, type SavedPositions } from '../follow/positions.ts';
import type { SealedBatch } from './batch.ts';
import { packBatch, readBatch, type StoredBatch } from './spool-file.ts';

/** A batch that waits. */
interface Waiting {
  readonly number: number;
  readonly lines: number;
  readonly fileBytes: number;
}

/** Result of {@link Spool.open}. */
interface OpenSpool {
  readonly spool: Spool;
  /** The places to go on from. */
  readonly positions: Positions;
  /** Batches that were damaged, and whose lines are before these places. */
  readonly lost: number;
}

const NAME = /^(\d{12})\.(batch|done)$/;

/** See the head of this file. */
export class Spool {
  readonly #dir: string;
  readonly #maxBytes: number;
  readonly #waiting: Waiting[] = [];
  /** The file with the latest places, when its batch is not one of those that wait. */
  #done: number | undefined;
  #number = 0;
  /** Changes come one after the other. */
  #lastChange: Promise<unknown> = Promise.resolve();

  private constructor(dir: string, maxBytes: number) {
    this.#dir = dir;
    this.#maxBytes = maxBytes;
  }

  /** Opens the spool in a folder, which is made where it is missing. */
  static async open(dir: string, maxBytes: number, log: Logger): Promise<OpenSpool> {
    await mkdir(dir, { recursive: true, mode: DIR_MODE });
    const spool = new Spool(dir, maxBytes);
    return { spool, ...(await spool.#load(log)) };
  }

  /** Bytes on the disk that wait. */
  get bytes(): number {
    return this.#waiting.reduce((sum, { fileBytes }) => sum + fileBytes, 0);
  }

  /** Whether another batch may be put in. One that is put in nevertheless is kept. */
  get hasRoom(): boolean {
    return this.bytes < this.#maxBytes;
  }

  /** Puts a batch in; when this returns, it is on the disk. Throws what the system says where it cannot be written. */
  put(batch: SealedBatch, positions: SavedPositions): Promise<void> {
    return this.#inTurn(async () => {
      const content = packBatch(batch, positions);
      const number = this.#number + 1;
      await writeDurably(this.#path(number, 'batch'), content);
      this.#number = number;
      this.#waiting.push({ number, lines: batch.lines, fileBytes: content.length });
      await this.#forgetDone();
    });
  }

  /** Saves places alone. Every line before them must be in a batch that was put in. Throws as {@link put} does. */
  save(positions: SavedPositions): Promise<void> {
    return this.#inTurn(async () => {
      const number = this.#number + 1;
      const content = packBatch({ key: '', lines: 0, body: Buffer.alloc(0) }, positions);
      await writeDurably(this.#path(number, 'done'), content);
      this.#number = number;
      await this.#forgetDone();
      this.#done = number;
    });
  }

  /** The batch whose turn it is; undefined where none waits, `'damaged'` where it cannot be read any more. */
  async first(): Promise<StoredBatch | 'damaged' | undefined> {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const kept = await readBatch(this.#path(first.number, 'batch')).catch(() => undefined);
    return kept ?? 'damaged';
  }

  /** Takes out the batch whose turn it was; how many lines it had. */
  removeFirst(): Promise<number> {
    return this.#inTurn(async () => {
      const [first] = this.#waiting;
      if (first === undefined) return 0;
      const path = this.#path(first.number, 'batch');
      // A batch that a crash brings back is sent again under its key, and counts once.
      if (first.number !== this.#number) await rm(path, { force: true });
      else {
        await rename(path, this.#path(first.number, 'done')).catch(() => undefined);
        this.#done = first.number;
      }
      this.#waiting.shift();
      return first.lines;
    });
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => undefined);
    return result;
  }

  #path(number: number, kind: 'batch' | 'done'): string {
    return join(this.#dir, `${String(number).padStart(12, '0')}.${kind}`);
  }

  async #forgetDone(): Promise<void> {
    const number = this.#done;
    this.#done = undefined;
    if (number !== undefined) await rm(this.#path(number, 'done'), { force: true });
  }

  async #load(log: Logger): Promise<Omit<OpenSpool, 'spool'>> {
    let positions = NO_POSITIONS;
    let damaged: string[] = [];
    let lost = 0;
    for (const name of (await readdir(this.#dir)).sort()) {
      const path = join(this.#dir, name);
      const [, number, kind] = NAME.exec(name) ?? [];
      if (number === undefined) {
        if (name.endsWith('.tmp')) await rm(path, { force: true });
        continue;
      }
      const kept = await readBatch(path);
      if (kept === undefined) {
        await rename(path, `${path}.damaged`);
        damaged.push(path);
        continue;
      }
      ({ positions } = kept);
      for (const file of damaged)
        log.error({ file }, 'a batch on the disk is damaged; it is set aside, its lines are lost');
      lost += damaged.length;
      damaged = [];
      await this.#forgetDone();
      this.#number = Number(number);
      if (kind === 'done') this.#done = this.#number;
      else this.#waiting.push({ number: this.#number, lines: kept.lines, fileBytes: kept.fileBytes });
    }
    for (const file of damaged) {
      log.error(
        { file },
        'a batch on the disk is damaged; it is set aside, and its lines are read again if they are there',
      );
    }
    await syncFolder(this.#dir);
    return { positions, lost };
  }
}
