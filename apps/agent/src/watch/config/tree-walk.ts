// Lists the files of configuration trees. No symbolic link below the root of a tree is followed.

import { lstatSync, type Stats } from 'node:fs';
import { opendir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { codeOf } from '../../files/error-code.ts';
import { RefusedFile, resolveSafely } from '../../files/safe-open.ts';
import { glob } from '../../process/newer-node.ts';

/** Called for a file, folder or link; the walk waits for a promise. */
export type Visit = (path: string, stats: Stats) => Promise<void> | undefined;

export interface Walked {
  /** Paths that cannot be read. Nobody knows whether they and those below have changed. */
  readonly unread: readonly string[];
  /** Roots that are links to files of others. Nothing of them is read. */
  readonly refused: readonly string[];
  /** True where the bounds left entries out. */
  readonly isCut: boolean;
}

/** Bounds of a {@link TreeWalk}. */
export interface TreeBounds {
  readonly entries: number;
  readonly depth: number;
}

const MAGIC = /[*?[\]{}]/;
/** Folders of version control, and files that editors and package managers make for a moment. */
const SKIPPED = /^(?:\.git|\.svn|\.hg|4913|\.#.*|#.*#|.*~|.*\.sw[a-p]x?|.*\.dpkg-(?:new|tmp))$/;

/** Files that are looked at between two turns of the event loop. */
const AT_ONCE = 100;

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

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

/**
 * Walks the trees of some patterns, again and again. It keeps nothing but the paths: the stats of large trees would
 * make the heap grow.
 */
export class TreeWalk {
  readonly #patterns: readonly string[];
  readonly #bounds: TreeBounds;
  /** Number of the last walk that saw a path. */
  readonly #seen = new Map<string, number>();
  #number = 0;

  constructor(patterns: readonly string[], bounds: TreeBounds) {
    this.#patterns = patterns;
    this.#bounds = bounds;
  }

  /** Reports whether the last walk saw a path. */
  saw(path: string): boolean {
    return this.#seen.get(path) === this.#number;
  }

  async walk(visit: Visit, signal: AbortSignal): Promise<Walked> {
    const bounds = this.#bounds;
    const unread: string[] = [];
    const refused: string[] = [];
    let [count, isCut] = [0, false];
    if (this.#seen.size > 2 * bounds.entries) this.#seen.clear();
    this.#number += 1;

    const note = (path: string, error: unknown): undefined => {
      if (!isMissing(error)) unread.push(path);
      if (error instanceof RefusedFile) refused.push(path);
    };

    /** Follows the root of a tree, which may be a link: the host's own settings name it. */
    const follow = (root: string): string | undefined => {
      try {
        return resolveSafely(root);
      } catch (error) {
        return note(root, error);
      }
    };

    /** Visits a path and returns its stats; undefined where there is nothing to visit. */
    const stat = (path: string, depth: number): Stats | undefined => {
      if (this.saw(path)) return undefined;
      if (count >= bounds.entries || depth > bounds.depth) {
        isCut = true;
        return undefined;
      }
      try {
        // The asynchronous form takes several times the memory and processor time. The folder was read a moment ago,
        // so the file system answers.
        const stats = lstatSync(path);
        this.#seen.set(path, this.#number);
        count += 1;
        return stats;
      } catch (error) {
        return note(path, error);
      }
    };

    async function add(path: string, depth: number): Promise<void> {
      const stats = stat(path, depth);
      if (stats === undefined) return;
      const visited = visit(path, stats);
      if (visited !== undefined) await visited;
      if (count % AT_ONCE === 0) await turn();
      if (stats.isDirectory()) await addChildren(path, depth + 1);
    }

    async function addChildren(folder: string, depth: number): Promise<void> {
      signal.throwIfAborted();
      const names = (await namesIn(folder, bounds.entries).catch((error) => note(folder, error))) ?? [];
      for (const name of names) await add(join(folder, name), depth);
    }

    for (const pattern of this.#patterns) {
      const roots = (await rootsOf(pattern).catch((error) => note(baseOf(pattern), error))) ?? [];
      for (const root of roots) {
        const real = follow(root);
        if (real !== undefined) await add(real, 0);
      }
    }
    return { unread, refused, isCut };
  }
}
