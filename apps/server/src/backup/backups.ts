// Scheduled backups: one server of several makes each, and a missed one is made after the start.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Database, DatabaseError } from '@quarterdeck/core/db';
import { createLease, initSetting, readSettings, removeSettings, storeSetting } from '@quarterdeck/core/sql';
import { readDamage } from '@quarterdeck/store';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Config } from '../settings/config.ts';
import { backupName, removeOldBackups } from './backup-folder.ts';
import { filesBeside, makeBackup } from './make-backup.ts';
import { isDue } from './schedule.ts';

/** Names of the settings with the state. Rules and metrics read the first two. */
export const LAST_BACKUP = 'last_backup';
export const LAST_BACKUP_ERROR = 'last_backup_error';
const INSTALLATION = 'backup_installation';

/** Wait after a backup that failed. */
const RETRY_MS = 5 * 60_000;
const LEASE_MS = 60_000;
const EXTEND_EVERY_MS = 20_000;

/** Backups that this process is making, by database: the schedule and a command must not make two at once. */
const RUNNING = new WeakMap<Database, AbortController>();

const LastBackup = z.object({ timeMs: z.number(), file: z.string(), bytes: z.number(), sha256: z.string() });
const LastError = z.object({ timeMs: z.number(), sinceMs: z.number(), message: z.string() });
/** The last good backup. */
export type LastBackup = z.infer<typeof LastBackup>;

/** Numbers for metrics, since the start. */
export interface BackupStats {
  /** Seconds since the last good backup; since the start of the server where there is none. */
  readonly ageS: number;
  /** Of the last good backup of this server; 0 before it. */
  readonly durationMs: number;
  /** Of the last good backup; 0 where there is none. */
  readonly bytes: number;
  readonly made: number;
  readonly failures: number;
}

/** Makes backups into the folder of the settings. */
export interface Backups {
  /** Makes a backup if one is due; does nothing without a folder. */
  run(): Promise<void>;
  /** Makes a backup now. Rejects with what prevented it. */
  make(): Promise<LastBackup>;
  /** Undefined without a folder. */
  stats(): BackupStats | undefined;
  /** Ends a running backup of this process, and begins no other. */
  close(): void;
}

type Settings = Pick<Config, 'dataDir' | 'databaseUrl' | 'backupPassphrase' | 'backupDir' | 'backupAt' | 'backupKeep'>;

interface BackupDeps {
  readonly db: Database;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly now: () => number;
  /** Only tests replace it. */
  readonly makeBackup?: typeof makeBackup;
}

/** Creates the scheduled backups of a server. */
export function createBackups(
  settings: Settings,
  { db, log, now, makeBackup: copy = makeBackup }: BackupDeps,
): Backups {
  const { backupDir, backupAt, backupKeep } = settings;
  const lease = createLease(db, 'backup', LEASE_MS, now);
  const startedMs = now();
  let last: LastBackup | undefined;
  let isClosed = false;
  let counts = { durationMs: 0, made: 0, failures: 0 };

  async function readState() {
    const stored = await readSettings(db.read, [LAST_BACKUP, LAST_BACKUP_ERROR]);
    last = parsed(LastBackup, stored.get(LAST_BACKUP));
    return { last, error: parsed(LastError, stored.get(LAST_BACKUP_ERROR)) };
  }

  async function mustRun(): Promise<boolean> {
    const state = await readState();
    const hasFailedNow = state.error !== undefined && Math.abs(now() - state.error.timeMs) < RETRY_MS;
    return isDue(backupAt, state.last?.timeMs, now()) && !hasFailedNow;
  }

  /** Runs `work` while no other server makes a backup; undefined where one does. */
  async function alone<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T | undefined> {
    if (isClosed || RUNNING.has(db)) return undefined;
    const stopping = new AbortController();
    RUNNING.set(db, stopping);
    const extend = setInterval(() => void lease.hold().catch(() => undefined), EXTEND_EVERY_MS);
    try {
      return (await lease.hold()) ? await work(stopping.signal) : undefined;
    } finally {
      clearInterval(extend);
      RUNNING.delete(db);
      await lease.release();
    }
  }

  /** Makes a backup; undefined where another server has begun one, because this process was stopped meanwhile. */
  async function makeIn(folder: string, stop: AbortSignal): Promise<LastBackup | undefined> {
    const began = performance.now();
    const timeMs = now();
    const installation = await db.write((tx) => initSetting(tx, INSTALLATION, randomUUID()));
    const file = join(resolve(folder), backupName(installation, db.dialect, timeMs));
    const { bytes, sha256 } = await copy(settings, file, { nowMs: timeMs, stop }).catch((error: unknown) => {
      throw withoutName(error, file, folder);
    });
    const made: LastBackup = { timeMs, file, bytes, sha256 };
    const isKept = await db.write(async (tx) => {
      if (!(await lease.keep(tx))) return false;
      await storeSetting(tx, LAST_BACKUP, JSON.stringify(made));
      await removeSettings(tx, [LAST_BACKUP_ERROR]);
      return true;
    });
    if (!isKept) {
      for (const one of [file, ...Object.values(filesBeside(file))]) rmSync(one, { force: true });
      log.warn({ file }, 'another server makes this backup; this one was deleted');
      return undefined;
    }
    last = made;
    counts = { ...counts, durationMs: performance.now() - began, made: counts.made + 1 };
    log.info({ file, bytes, has_key: settings.backupPassphrase !== undefined }, 'a backup was made');
    const damage = await readDamage(db.read);
    if (damage.segments.length + damage.pages.length === 0) removeOld(folder, installation);
    else log.warn({ folder }, 'old backups are kept, because stored data is damaged: they may have it whole');
    return made;
  }

  function removeOld(folder: string, installation: string): void {
    try {
      const removed = removeOldBackups(folder, installation, backupKeep);
      if (removed > 0) log.info({ removed }, 'old backups were deleted');
    } catch (error) {
      log.warn({ err: error }, 'old backups cannot be deleted; delete them, or the folder fills up');
    }
  }

  /** Stores a failure, and logs it where it is another one than the last. */
  async function noteFailure(thrown: unknown): Promise<void> {
    counts = { ...counts, failures: counts.failures + 1 };
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const { error } = await readState();
    if (error?.message !== message) log.warn({ err: thrown }, 'no backup could be made; the old ones are kept');
    const stored = { timeMs: now(), sinceMs: error?.sinceMs ?? now(), message };
    await db.write((tx) => storeSetting(tx, LAST_BACKUP_ERROR, JSON.stringify(stored)));
  }

  async function attempt(folder: string, stop: AbortSignal): Promise<LastBackup | undefined> {
    try {
      return await makeIn(folder, stop);
    } catch (error) {
      if (!stop.aborted) await noteFailure(error);
      throw error;
    }
  }

  return {
    async run() {
      if (backupDir === undefined || !(await mustRun())) return;
      await alone(async (stop) => {
        // Another server may have made it while this one waited.
        if (await mustRun()) await attempt(backupDir, stop).catch(() => undefined);
      });
    },
    async make() {
      if (backupDir === undefined) throw new DatabaseError('io', 'QUARTERDECK_BACKUP_DIR is not set.');
      const made = await alone((stop) => attempt(backupDir, stop));
      if (made === undefined) throw new DatabaseError('busy', 'A backup is being made already.');
      return made;
    },
    stats: () =>
      backupDir === undefined
        ? undefined
        : { ageS: (now() - (last?.timeMs ?? startedMs)) / 1000, bytes: last?.bytes ?? 0, ...counts },
    close() {
      isClosed = true;
      RUNNING.get(db)?.abort();
    },
  };
}

/** Names the folder in place of the file, whose name is another one with each attempt. */
function withoutName(error: unknown, file: string, folder: string): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const message = error.message.replaceAll(`${file}.part`, folder).replaceAll(file, folder);
  return new DatabaseError(error.kind, message, { cause: error.cause });
}

function parsed<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
