// Facts about a server that are stored nowhere: space on its disk, and times at which the database did not answer.
import { statfs } from 'node:fs/promises';
import { type Database, DatabaseError } from '@quarterdeck/core/db';

/** A time in which the database did not answer, Unix milliseconds. */
export interface DatabaseFailure {
  readonly fromMs: number;
  /** Time of its first good answer, or of the last try. */
  untilMs: number;
  readonly reason: string;
}

export interface ServerHealth {
  /** Start of this server, Unix milliseconds. */
  readonly startedMs: number;
  /** This server makes backups on a schedule. */
  readonly makesBackups: boolean;
  /** Space on the disk with the data folder, in bytes. */
  disk(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>;
  /** Times within the last hour in which the database did not answer, oldest first. */
  databaseFailures(): readonly DatabaseFailure[];
  /** Tries a transaction. There is one every few seconds. */
  probe(): Promise<void>;
  close(): void;
}

const PROBE_EVERY_MS = 10_000;
const KEPT_MS = 3_600_000;

interface HealthDeps {
  readonly db: Pick<Database, 'write'>;
  readonly now: () => number;
  readonly dataDir: string;
  readonly makesBackups: boolean;
}

/** Creates a {@link ServerHealth} and begins to probe. */
export function createServerHealth({ db, now, dataDir, makesBackups }: HealthDeps): ServerHealth {
  let failures: DatabaseFailure[] = [];
  let isFailing = false;

  async function probe(): Promise<void> {
    const beganMs = now();
    let reason: string | undefined;
    try {
      await db.write(() => Promise.resolve());
    } catch (error) {
      reason = error instanceof DatabaseError ? error.message : 'The database reports an error.';
    }
    const endedMs = now();
    const last = failures.at(-1);
    if (isFailing && last !== undefined) last.untilMs = endedMs;
    else if (reason !== undefined) failures.push({ fromMs: beganMs, untilMs: endedMs, reason });
    isFailing = reason !== undefined;
    failures = failures.filter(({ untilMs }) => Math.abs(endedMs - untilMs) < KEPT_MS);
  }

  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const schedule = () => {
    if (!isClosed) timer = setTimeout(() => void probe().finally(schedule), PROBE_EVERY_MS).unref();
  };
  schedule();

  return {
    startedMs: now(),
    makesBackups,
    async disk() {
      const { bavail, blocks, bsize } = await statfs(dataDir);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
    databaseFailures: () => failures,
    probe,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
