// File of one watcher: its last observation and the changes that the server does not have yet. Both are replaced
// together, so a crash neither loses a change nor finds it again. The time of modification is that of the last look: it
// changes with each look, without a write to the disk.
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { HOST_CHANGE_KINDS } from '@quarterdeck/core';
import type { Logger } from 'pino';
import { z } from 'zod';
import { DIR_MODE, writeDurably } from '../files/durable-file.ts';

const StoredChange = z.object({
  seq: z.int().min(1),
  kind: z.enum(HOST_CHANGE_KINDS),
  field: z.string(),
  from: z.string(),
  to: z.string(),
  diff: z.string().optional(),
  /** Unix milliseconds. */
  atMs: z.number(),
  /** Time of the last look that did not find it, Unix milliseconds; absent where `atMs` is known well enough. */
  sinceMs: z.number().optional(),
});
export type StoredChange = z.infer<typeof StoredChange>;

const WatchFile = z.object({
  version: z.literal(1),
  /** Last number given to a change of any watcher. */
  last: z.int().min(0),
  observed: z.record(z.string(), z.string()).optional(),
  changes: z.array(StoredChange),
});
/** Content of the file of a watcher. */
export type WatchFile = z.infer<typeof WatchFile>;

/** A file, and the time of the last look. */
export interface KnownWatchFile extends WatchFile {
  /** Unix milliseconds. */
  readonly lookedMs: number;
}

const SUFFIX = '.json';

export const watchFolder = (agentDir: string): string => join(agentDir, 'watch');

/** Replaces the file of a watcher; when this returns, it is on the disk. `lookedMs` is the time of the last look. */
export const writeWatchFile = (dir: string, name: string, file: WatchFile, lookedMs?: number): Promise<void> =>
  writeDurably(join(dir, `${name}${SUFFIX}`), JSON.stringify(file), lookedMs);

/** Notes the time of a look that found nothing. Without it, the next start knows the time of an earlier look. */
export const noteLook = (dir: string, name: string, lookedMs: number): Promise<void> =>
  utimes(join(dir, `${name}${SUFFIX}`), lookedMs / 1000, lookedMs / 1000).catch(() => undefined);

/** Removes the file of a watcher. */
export const removeWatchFile = (dir: string, name: string): Promise<void> =>
  rm(join(dir, `${name}${SUFFIX}`), { force: true });

function parse(text: string): WatchFile | undefined {
  try {
    return WatchFile.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Reads the files of all watchers, and creates the folder if needed. Damaged files are moved aside and reported.
 *
 * @throws the error of the system when the folder cannot be used
 */
export async function readWatchFiles(dir: string, log: Logger): Promise<Map<string, KnownWatchFile>> {
  await mkdir(dir, { recursive: true, mode: DIR_MODE });
  const files = new Map<string, KnownWatchFile>();
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (!entry.isFile() || !entry.name.endsWith(SUFFIX)) continue;
    const file = parse(await readFile(path, 'utf8'));
    if (file !== undefined)
      files.set(entry.name.slice(0, -SUFFIX.length), { ...file, lookedMs: (await stat(path)).mtimeMs });
    else {
      await rename(path, `${path}.damaged`);
      log.error({ file: path }, 'a file of observations is damaged; moved aside, its unsent changes are lost');
    }
  }
  return files;
}
