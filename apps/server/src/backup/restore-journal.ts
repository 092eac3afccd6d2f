// Puts restored files in the place of the old ones. A journal in the data folder states the intent before the first
// file is moved; with it the next start finishes the restore, and without it the old data stay.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockDirectory } from '@quarterdeck/core/db';
import { z } from 'zod';
import { KEY_FILE_NAMES } from '../auth/key-files.ts';
import { syncFolder, writeDurably } from './make-backup.ts';

const JOURNAL = 'quarterdeck.restore';
/** Folder in which the restored files are prepared. */
const STAGING = 'restore.new';

const Journal = z.object({
  /** Name of the backup. */
  backup: z.string(),
  /** Folder for the old files: the restore point. */
  point: z.string().regex(/^before-restore-[0-9TZ]+$/),
});
type Journal = z.infer<typeof Journal>;

/** Called after each step, so that a test can end the process there. */
export type OnStep = (step: string) => void;

/** Old files that go together with `quarterdeck.db`. */
const COMPANIONS = ['quarterdeck.db-wal', 'quarterdeck.db-shm', 'quarterdeck.db-journal'];

/** Returns the folder in which restored files are prepared. */
export const stagingOf = (dataDir: string): string => join(dataDir, STAGING);

/**
 * Replaces the files of a data folder with those of the staging folder. The caller has the lock of the folder.
 *
 * @returns the folder with the old files; undefined where there were none
 */
export function replaceFiles(dataDir: string, backup: string, nowMs: number, onStep: OnStep): string | undefined {
  const point = `before-restore-${new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const journal: Journal = { backup, point };
  const draft = join(dataDir, `${JOURNAL}.part`);
  writeDurably(draft, JSON.stringify(journal));
  renameSync(draft, join(dataDir, JOURNAL));
  syncFolder(dataDir);
  onStep('journal written');
  finish(dataDir, journal, onStep);
  const folder = join(dataDir, point);
  if (readdirSync(folder).length > 0) return folder;
  rmdirSync(folder);
  return undefined;
}

/** Moves the files. May be called again after a kill at any moment. */
function finish(dataDir: string, { point }: Journal, onStep: OnStep): void {
  const staging = stagingOf(dataDir);
  mkdirSync(join(dataDir, point), { recursive: true, mode: 0o700 });
  const move = (name: string, from: string, to: string) => {
    if (!existsSync(join(from, name))) return;
    renameSync(join(from, name), join(to, name));
    onStep(`moved ${name} to ${to === dataDir ? 'the data folder' : 'the restore point'}`);
  };
  for (const [name, companions] of [
    ['quarterdeck.db', COMPANIONS],
    ...KEY_FILE_NAMES.map((key) => [key, []] as const),
  ] as const) {
    // The new file is moved last. Where it is gone from the staging folder, the old ones are already away.
    if (!existsSync(join(staging, name))) continue;
    for (const old of [...companions, name]) move(old, dataDir, join(dataDir, point));
    move(name, staging, dataDir);
  }
  syncFolder(join(dataDir, point));
  syncFolder(dataDir);
  rmSync(join(dataDir, JOURNAL));
  syncFolder(dataDir);
  onStep('journal removed');
  rmSync(staging, { recursive: true, force: true });
}

/** Result of a restore that was interrupted. */
export interface InterruptedRestore {
  /** True: the data are those of the backup. False: the data are those before the restore. */
  readonly isCompleted: boolean;
  /** One sentence for the log. */
  readonly text: string;
}

/** Finishes or drops a restore that was interrupted. Rejects with the kind `locked` while one is running. */
export async function finishInterruptedRestore(dataDir: string): Promise<InterruptedRestore | undefined> {
  if (![JOURNAL, STAGING].some((name) => existsSync(join(dataDir, name)))) return undefined;
  const lock = await lockDirectory(dataDir);
  try {
    return finishOrDrop(dataDir);
  } finally {
    lock.release();
  }
}

/** {@link finishInterruptedRestore} for a caller that has the lock. */
export function finishOrDrop(dataDir: string): InterruptedRestore | undefined {
  const file = join(dataDir, JOURNAL);
  if (existsSync(file)) {
    const journal = Journal.parse(JSON.parse(readFileSync(file, 'utf8')));
    finish(dataDir, journal, () => undefined);
    const text = `an interrupted restore was completed: the data are those of ${journal.backup}, the old ones are in ${journal.point}`;
    return { isCompleted: true, text };
  }
  rmSync(`${file}.part`, { force: true });
  if (!existsSync(stagingOf(dataDir))) return undefined;
  rmSync(stagingOf(dataDir), { recursive: true, force: true });
  return { isCompleted: false, text: 'an interrupted restore was dropped: the data are those before it' };
}
