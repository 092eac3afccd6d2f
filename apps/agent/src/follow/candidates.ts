// Which files there are to follow: those the globs name, and those that were rotated away from such names.
import { glob, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { isCompressed, namesBefore } from './rotation.ts';

/** A file as a look at its folder found it. */
export interface Candidate {
  readonly path: string;
  /** Device and inode, `:` between: what a file keeps when it is renamed. */
  readonly key: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Path under which it was written, as far as names tell; its own where it was not rotated. */
  readonly family: string;
  /** A glob names it as it is, not only by the name it had before. */
  readonly isNamed: boolean;
}

const MAGIC = /[*?[\]{}]/;

/** The inode of a key. */
export const inodeOf = (key: string): string => key.slice(key.indexOf(':') + 1);

async function foldersOf(pattern: string): Promise<string[]> {
  const folder = dirname(pattern);
  if (!MAGIC.test(folder)) return [folder];
  const found: string[] = [];
  for await (const path of glob(folder)) found.push(path);
  return found;
}

/** What the globs make of a name; undefined where it is none of theirs. */
function kindOf(name: string, pattern: string): { readonly family: string; readonly isNamed: boolean } | undefined {
  if (isCompressed(name)) return undefined;
  const isNamed = matchesGlob(name, pattern);
  const before = namesBefore(name).find((original) => matchesGlob(original, pattern));
  return isNamed || before !== undefined ? { family: before ?? name, isNamed } : undefined;
}

async function look(path: string, family: string, isNamed: boolean): Promise<Candidate | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return undefined;
    const key = `${found.dev}:${found.ino}`;
    return { path, key, size: Number(found.size), mtimeMs: Number(found.mtimeMs), family, isNamed };
  } catch {
    // It went away between the two looks; what was open stays open.
    return undefined;
  }
}

/** All files that one glob (an absolute path with wildcards) is about. A folder that cannot be read has none. */
async function candidatesOf(pattern: string): Promise<Candidate[]> {
  const found: Promise<Candidate | undefined>[] = [];
  for (const folder of await foldersOf(pattern)) {
    for (const name of await readdir(folder).catch(() => [])) {
      const kind = kindOf(name, basename(pattern));
      if (kind !== undefined) found.push(look(join(folder, name), join(folder, kind.family), kind.isNamed));
    }
  }
  return (await Promise.all(found)).filter((candidate) => candidate !== undefined);
}

/** All files that the globs are about, each once, those last written to first in time first. */
export async function findCandidates(globs: readonly string[]): Promise<Candidate[]> {
  const byKey = new Map<string, Candidate>();
  for (const candidate of (await Promise.all(globs.map(candidatesOf))).flat()) {
    if (candidate.isNamed || !byKey.has(candidate.key)) byKey.set(candidate.key, candidate);
  }
  return [...byKey.values()].sort((a, b) => a.mtimeMs - b.mtimeMs);
}
