// The disk of a simulated server: the real SQLite on files in memory. A process can be killed before any statement. A
// loss of power also takes a part of the write-ahead log that was not synced.
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseError } from '../../packages/core/src/db/database-error.ts';
import { openWriter } from '../../packages/core/src/db/sqlite/connection.ts';
import type { WriteAheadLog } from '../../packages/core/src/db/sqlite/write-queue.ts';
import { Killed } from './memory-disk.ts';
import type { Random } from './random.ts';

const FILE = 'quarterdeck.db';
/** Longest wait for a sync, milliseconds. */
const SYNC_MAX_MS = 40;
/** A log is never so long that it is copied to the file while the server runs. */
const NEVER_PAGES = 1_000_000;

type Connection = ReturnType<typeof openWriter>;

const disks = new Map<string, ServerDisk>();

/** Counts the statements of all connections to simulated disks. Call it once, with any connection. */
export function watchStatements(connection: Connection): void {
  const prototype = Object.getPrototypeOf(connection) as Pick<Connection, 'prepare'>;
  const { prepare } = prototype;
  prototype.prepare = function (this: Connection, sql: string) {
    const prepared = prepare.call(this, sql);
    const disk = disks.get(dirname(this.name));
    if (disk === undefined) return prepared;
    disk.note(this);
    for (const method of ['run', 'get', 'all'] as const) {
      const call = prepared[method].bind(prepared) as (...values: unknown[]) => unknown;
      Object.defineProperty(prepared, method, {
        value: (...values: unknown[]) => {
          disk.count();
          return call(...values);
        },
      });
    }
    return prepared;
  } as typeof prepare;
}

/** One folder for each process that a server has had. */
export class ServerDisk {
  readonly #random: Random;
  readonly #root: string;
  readonly #onKill: () => void;
  #folder = '';
  #number = 0;
  #connections = new Set<Connection>();
  /** Statements until the process is killed. */
  #left = Number.POSITIVE_INFINITY;
  #isDead = false;
  #syncedBytes = 0;
  /** Bytes of the log before a part that a sync has failed for: no later sync stores that part. */
  #gapBytes = Number.POSITIVE_INFINITY;
  #isFull = false;
  /** Syncs that fail from now on. */
  failingSyncs = 0;

  /** A disk with a copy of the file `template`. `onKill` is called at the statement that does not run. */
  constructor(root: string, template: string, random: Random, onKill: () => void) {
    this.#random = random;
    this.#root = root;
    this.#onKill = onKill;
    this.#next();
    copyFileSync(template, this.file);
  }

  get file(): string {
    return join(this.#folder, FILE);
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Lets the file grow no more, or again. */
  set isFull(isFull: boolean) {
    this.#isFull = isFull;
    for (const connection of this.#connections) this.#limit(connection);
  }

  /** Kills the process before its `statements`th statement from now on. */
  killAfter(statements: number): void {
    this.#left = statements;
  }

  note(connection: Connection): void {
    if (this.#isDead) throw new Killed();
    if (this.#connections.has(connection)) return;
    this.#connections.add(connection);
    this.#limit(connection);
  }

  count(): void {
    if (this.#isDead) throw new Killed();
    if (this.#left <= 0) {
      this.kill();
      throw new Killed();
    }
    this.#left -= 1;
  }

  /** Kills the process now. */
  kill(): void {
    this.#isDead = true;
    this.#onKill();
  }

  /** Prepares the files for the next process. */
  restart(hasLostPower: boolean): void {
    const { file } = this;
    const before = this.#folder;
    const old = this.#connections;
    const logBytes = sizeOf(`${file}-wal`);
    const kept = hasLostPower ? this.#keptBytes(logBytes) : logBytes;
    this.#next();
    copyFileSync(file, this.file);
    if (existsSync(`${file}-wal`)) {
      copyFileSync(`${file}-wal`, `${this.file}-wal`);
      truncateSync(`${this.file}-wal`, kept);
    }
    for (const connection of old) connection.close();
    disks.delete(before);
    rmSync(before, { recursive: true });
    endLog(this.file);
    this.#isDead = false;
    this.#left = Number.POSITIVE_INFINITY;
    this.#isFull = false;
    this.failingSyncs = 0;
    this.#forgetLog();
  }

  /** Copies the file; the process must have ended. */
  copyTo(file: string): void {
    copyFileSync(this.file, file);
  }

  /** Removes all files. The process must have ended. */
  remove(): void {
    for (const connection of this.#connections) connection.close();
    disks.delete(this.#folder);
    rmSync(this.#folder, { recursive: true });
  }

  /** The write-ahead log, as the queue of writes needs it. */
  log(): WriteAheadLog {
    const wait = () => new Promise<void>((resolve) => setTimeout(resolve, this.#random.upTo(SYNC_MAX_MS)));
    return {
      sync: async () => {
        const bytes = sizeOf(`${this.file}-wal`);
        await wait();
        if (this.failingSyncs > 0) {
          this.failingSyncs -= 1;
          this.#gapBytes = Math.min(this.#gapBytes, this.#syncedBytes);
          throw new DatabaseError('io', 'The disk did not store the last writes (EIO).');
        }
        this.#syncedBytes = Math.max(this.#syncedBytes, bytes);
      },
      copy: async () => undefined,
      end: async () => {
        endLog(this.file);
        this.#forgetLog();
      },
      longPages: NEVER_PAGES,
      maxPages: NEVER_PAGES,
      close: async () => undefined,
    };
  }

  /** Bytes of the log that a loss of power leaves. */
  #keptBytes(logBytes: number): number {
    const least = Math.min(this.#syncedBytes, this.#gapBytes);
    const most = Math.min(logBytes, this.#gapBytes);
    return least + this.#random.upTo(Math.max(0, most - least));
  }

  #forgetLog(): void {
    this.#syncedBytes = 0;
    this.#gapBytes = Number.POSITIVE_INFINITY;
  }

  #next(): void {
    this.#number += 1;
    this.#connections = new Set();
    this.#folder = join(this.#root, String(this.#number));
    mkdirSync(this.#folder);
    disks.set(this.#folder, this);
  }

  #limit(connection: Connection): void {
    if (connection.readonly || !connection.open) return;
    const pages = this.#isFull ? connection.pragma('page_count', { simple: true }) : 2 ** 31;
    connection.pragma(`max_page_count = ${pages}`);
  }
}

/** Copies the write-ahead log to the file and empties it. */
function endLog(file: string): void {
  const connection = openWriter(file);
  try {
    const [{ busy }] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
    if (busy !== 0) throw new DatabaseError('busy');
  } finally {
    connection.close();
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
