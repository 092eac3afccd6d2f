// Numbers that the database or the disk must be asked for. They are read at most every 15 seconds, whoever asks and
// however often.
import { statfs } from 'node:fs/promises';
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { ListeningWindow } from '../features/agent/records/listening-window.ts';
import { countDeliveries, type DeliveryNumbers } from '../features/webhook/upkeep.repo.ts';
import { type Counts, countAgents, countFiring, countTokens, readSize } from './installation.repo.ts';

/** Age at which numbers are read again. */
const FRESH_MS = 15_000;

/** Numbers of the installation. */
export interface Installation {
  readonly agents: Counts;
  readonly tokens: Counts;
  readonly alertsFiring: number;
  readonly deliveries: DeliveryNumbers;
  /** Bytes of the database by part. */
  readonly databaseSize: Counts;
  /** Bytes of unused pages in the file; undefined on PostgreSQL. */
  readonly unusedBytes: number | undefined;
  /** Bytes of the disk with the data folder. */
  readonly disk: { readonly free: number; readonly size: number };
}

/** Sources of {@link Installation}. */
export interface InstallationDeps {
  readonly db: Database;
  readonly dataDir: string;
  readonly listeningWindow: ListeningWindow;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that only moves forward. */
  readonly monotonic: () => number;
  readonly log: Logger;
}

/** Cached numbers of the installation. */
export interface InstallationReader {
  /** Reads the numbers again if they are too old; callers at the same time share one read. Never rejects. */
  refresh(): Promise<void>;
  /** The last numbers; undefined where they could not be read. */
  latest(): Installation | undefined;
}

/** Creates a reader of the numbers. */
export function createInstallationReader(deps: InstallationDeps): InstallationReader {
  const { db, dataDir, listeningWindow, now, monotonic, log } = deps;
  let latest: Installation | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function readAll(): Promise<Installation> {
    const { read, space } = db;
    const { bavail, bsize, blocks } = await statfs(dataDir);
    // One after the other: a scrape must not take several connections of the pool.
    return {
      agents: await countAgents(read, listeningWindow.moment()),
      tokens: await countTokens(read, now()),
      alertsFiring: await countFiring(read),
      deliveries: await countDeliveries(read),
      databaseSize: space === undefined ? { database: await readSize(read) } : { ...space.sizes() },
      unusedBytes: space?.unusedBytes(),
      disk: { free: bavail * bsize, size: blocks * bsize },
    };
  }

  async function read(): Promise<void> {
    try {
      latest = await readAll();
    } catch (error) {
      latest = undefined;
      log.warn({ err: error }, 'the installation could not be counted for its metrics');
    }
    readMs = monotonic();
    reading = undefined;
  }

  return {
    latest: () => latest,
    async refresh() {
      if (reading === undefined && monotonic() - readMs >= FRESH_MS) reading = read();
      await reading;
    },
  };
}
