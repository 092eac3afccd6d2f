// The space that a database takes on the disk, and how it goes back to the system.
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Database as Connection } from 'better-sqlite3';
import type { DiskSpace } from '../database.ts';
import { DatabaseError, fromDriver } from '../database-error.ts';
import { openWriter } from './connection.ts';
import type { DiskLimits } from './disk-limits.ts';

/** Unused pages that one slice gives back: it holds the writer for some milliseconds. */
const PAGES_AT_ONCE = 1_000;

/** Value of the pragma `auto_vacuum` under which pages are given back on demand. */
const INCREMENTAL = 2;

/** Connections and files of the database. */
export interface SpaceParts {
  readonly file: string;
  readonly reader: Connection;
  readonly reserveFile: string;
  readonly limits: DiskLimits;
  /** Runs work while no other write does. */
  readonly alone: <T>(work: () => T | Promise<T>) => Promise<T>;
}

export function createDiskSpace({ file, reader, reserveFile, limits, alone }: SpaceParts): DiskSpace {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    sizes: () => ({ file: sizeOf(file), wal: sizeOf(`${file}-wal`), reserve: sizeOf(reserveFile) }),
    fileBytes: () => [file, `${file}-wal`, `${file}-shm`, reserveFile].reduce((sum, path) => sum + sizeOf(path), 0),
    unusedBytes() {
      const numberOf = (pragma: string) => Number(reader.pragma(pragma, { simple: true }));
      return numberOf('freelist_count') * numberOf('page_size');
    },
    besideBytes: limits.reserveBytes + limits.walBytes,
    get canGiveBack() {
      return Number(reader.pragma('auto_vacuum', { simple: true })) === INCREMENTAL;
    },
    giveBack: () => alone(() => giveBack(file, limits)),
    copies: () => readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.`)),
  };
}

function giveBack(file: string, limits: DiskLimits): boolean {
  const connection = openWriter(file, limits);
  const numberOf = (pragma: string) => Number(connection.pragma(pragma, { simple: true }));
  try {
    const before = numberOf('freelist_count');
    if (numberOf('auto_vacuum') === INCREMENTAL && before > 0)
      connection.pragma(`incremental_vacuum(${PAGES_AT_ONCE})`);
    const left = numberOf('freelist_count');
    const more = left > 0 && left < before;
    // Pages leave the file when the log is copied to it. A reader may prevent that until the next time.
    if (!more && limits.isBounded) connection.pragma('wal_checkpoint(TRUNCATE)');
    return more;
  } catch (thrown) {
    const error = fromDriver(thrown);
    if (error instanceof DatabaseError && (error.kind === 'busy' || error.kind === 'full')) return false;
    throw error;
  } finally {
    connection.close();
  }
}
