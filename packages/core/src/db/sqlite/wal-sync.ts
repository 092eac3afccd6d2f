// Makes commits durable without the event loop: syncs the write-ahead log on a thread of libuv (decision 077).
import { type FileHandle, open } from 'node:fs/promises';
import { DatabaseError, errorCodes } from '../database-error.ts';

/** Syncs the write-ahead log of one file. */
export class WalSync {
  readonly #file: string;
  #handle: Promise<FileHandle> | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(file: string) {
    this.#file = `${file}-wal`;
  }

  /**
   * Resolves when every commit up to now is durable. Calls that come during a sync share the next one.
   *
   * @throws DatabaseError `io` where the disk reports an error: the commits may be lost
   */
  sync(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    const start = () => {
      this.#next = undefined;
      return this.#start();
    };
    this.#next ??= this.#running.then(start, start);
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#running?.catch(() => {});
    const handle = await this.#handle?.catch(() => undefined);
    await handle?.close();
  }

  #start(): Promise<void> {
    const run = this.#datasync().finally(() => {
      if (this.#running === run) this.#running = undefined;
    });
    this.#running = run;
    return run;
  }

  async #datasync(): Promise<void> {
    this.#handle ??= open(this.#file, 'r+');
    try {
      await (await this.#handle).datasync();
    } catch (error) {
      const [reason] = errorCodes(error);
      throw new DatabaseError('io', `The disk did not store the last writes (${reason}).`, { cause: error });
    }
  }
}
