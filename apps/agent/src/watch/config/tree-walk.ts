// Lists the files of configuration trees. No symbolic link below the root of a tree is followed.
import { lstatSync, type Stats } from 'node:fs';
import { glob, opendir, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

/** The part of the stats of a file that is compared; whole ones of all files would take too much memory. */
export type TreeStats = Pick<Stats, 'mode' | 'uid' | 'gid' | 'size' | 'mtimeMs' | 'ctimeMs' | 'ino' | 'dev'> & {
  readonly type: 'file' | 'folder' | 'link' | 'other';
};

/** A file, folder or link of a tree. */
export interface TreeEntry {
  readonly path: string;
  readonly stats: TreeStats;
}

function typeOf(stats: Stats): TreeStats['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/**
 * Reads the stats of a path. The asynchronous form takes several times the memory and processor time. Its folder was
 * read a moment ago, so the file system answers.
 */
function statsOf(path: string): TreeStats {
  const stats = lstatSync(path);
  const { mode, uid, gid, size, mtimeMs, ctimeMs, ino, dev } = stats;
  return { mode, uid, gid, size, mtimeMs, ctimeMs, ino, dev, type: typeOf(stats) };
}

/** Result of {@link walkTrees}. */
export interface TreeListing {
  /** In order of their paths. */
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** Paths that cannot be read. Nobody knows whether they and those below have changed. */
  readonly unread: readonly string[];
  /** True where the bounds left entries out. */
  readonly isCut: boolean;
}

/** Bounds of {@link walkTrees}. */
export interface TreeBounds {
  readonly entries: number;
  readonly depth: number;
}

const MAGIC = /[*?[\]{}]/;
/** Folders of version control, and files that editors and package managers make for a moment. */
const SKIPPED = /^(?:\.git|\.svn|\.hg|4913|\.#.*|#.*#|.*~|.*\.sw[a-p]x?|.*\.dpkg-(?:new|tmp))$/;

/** Files that are looked at between two turns of the event loop. */
const AT_ONCE = 100;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code));

/** The folder above the first wildcard of a glob. */
function baseOf(pattern: string): string {
  const parts = pattern.split('/');
  return dirname(parts.slice(0, parts.findIndex((part) => MAGIC.test(part)) + 1).join('/'));
}

async function rootsOf(pattern: string): Promise<string[]> {
  if (!MAGIC.test(pattern)) return [pattern];
  // A glob finds nothing in a folder that it cannot read.
  await readdir(baseOf(pattern));
  const found: string[] = [];
  for await (const path of glob(pattern)) found.push(path);
  return found.sort();
}

/** Names in a folder, in order. */
async function namesIn(folder: string, max: number): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder, { bufferSize: 256 })) {
    if (!SKIPPED.test(name)) names.push(name);
    if (names.length > max) break;
  }
  return names.sort();
}

/** Walks the trees of some patterns. */
export async function walkTrees(
  patterns: readonly string[],
  bounds: TreeBounds,
  signal: AbortSignal,
): Promise<TreeListing> {
  const entries = new Map<string, TreeEntry>();
  const unread: string[] = [];
  let isCut = false;

  /** Result of a call; undefined where the path is missing or cannot be read. */
  async function readable<T>(path: string, call: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (!isMissing(error)) unread.push(path);
      return undefined;
    }
  }

  async function add(path: string, depth: number): Promise<void> {
    if (entries.has(path)) return;
    if (entries.size >= bounds.entries || depth > bounds.depth) {
      isCut = true;
      return;
    }
    const stats = await readable(path, () => statsOf(path));
    if (stats === undefined) return;
    entries.set(path, { path, stats });
    if (entries.size % AT_ONCE === 0) await turn();
    if (stats.type === 'folder') await addChildren(path, depth + 1);
  }

  async function addChildren(folder: string, depth: number): Promise<void> {
    signal.throwIfAborted();
    const names = (await readable(folder, () => namesIn(folder, bounds.entries))) ?? [];
    for (const name of names) await add(join(folder, name), depth);
  }

  for (const pattern of patterns) {
    for (const root of (await readable(baseOf(pattern), () => rootsOf(pattern))) ?? []) {
      // The root itself may be a link: the host's own settings name it.
      const real = await readable(root, () => realpath(root));
      if (real !== undefined) await add(real, 0);
    }
  }
  return { entries, unread, isCut };
}
