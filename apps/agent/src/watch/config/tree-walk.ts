// Lists the files of configuration trees. No symbolic link below the root of a tree is followed.
import type { Stats } from 'node:fs';
import { glob, lstat, opendir, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file, folder or link of a tree. */
export interface TreeEntry {
  readonly path: string;
  readonly stats: Stats;
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

/** Files that are looked at together. */
const AT_ONCE = 8;

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
  for await (const { name } of await opendir(folder)) {
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
  async function readable<T>(path: string, call: Promise<T>): Promise<T | undefined> {
    try {
      return await call;
    } catch (error) {
      if (!isMissing(error)) unread.push(path);
      return undefined;
    }
  }

  async function add(path: string, depth: number): Promise<void> {
    signal.throwIfAborted();
    if (entries.has(path)) return;
    if (entries.size >= bounds.entries || depth > bounds.depth) {
      isCut = true;
      return;
    }
    const stats = await readable(path, lstat(path));
    if (stats === undefined) return;
    entries.set(path, { path, stats });
    if (stats.isDirectory()) await addChildren(path, depth + 1);
  }

  async function addChildren(folder: string, depth: number): Promise<void> {
    const names = (await readable(folder, namesIn(folder, bounds.entries))) ?? [];
    for (let at = 0; at < names.length; at += AT_ONCE) {
      await Promise.all(names.slice(at, at + AT_ONCE).map((name) => add(join(folder, name), depth)));
    }
  }

  for (const pattern of patterns) {
    for (const root of (await readable(baseOf(pattern), rootsOf(pattern))) ?? []) {
      // The root itself may be a link: the host's own settings name it.
      const real = await readable(root, realpath(root));
      if (real !== undefined) await add(real, 0);
    }
  }
  return { entries, unread, isCut };
}
