// Finds the files to follow: those that match the globs, and those that were rotated away from such names.
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { glob, matchesGlob } from '../process/newer-node.ts';
import type { FileGate } from './file-gate.ts';
import { isCompressed, namesBefore } from './rotation.ts';

/** A file found in a folder. */
export interface Candidate {
  readonly path: string;
  /** Device and inode as `DEVICE:INODE`; a renamed file keeps both. */
  readonly key: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Path before rotation, derived from the name; its own path when it was not rotated. */
  readonly family: string;
  /** True when a glob matches the current name, not only the name before rotation. */
  readonly isNamed: boolean;
}

const MAGIC = /[*?[\]{}]/;

/** Extracts the inode of a key. */
export const inodeOf = (key: string): string => key.slice(key.indexOf(':') + 1);

async function foldersOf(pattern: string): Promise<string[]> {
  const folder = dirname(pattern);
  if (!MAGIC.test(folder)) return [folder];
  const found: string[] = [];
  for await (const path of glob(folder)) found.push(path);
  return found;
}

/** Matches a name with a glob; undefined when the glob does not cover it. */
function kindOf(name: string, pattern: string): { readonly family: string; readonly isNamed: boolean } | undefined {
  if (isCompressed(name)) return undefined;
  const isNamed = matchesGlob(name, pattern);
  const before = namesBefore(name).find((original) => matchesGlob(original, pattern));
  return isNamed || before !== undefined ? { family: before ?? name, isNamed } : undefined;
}

async function inspect(path: string, family: string, isNamed: boolean, gate: FileGate): Promise<Candidate | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    const key = `${found.dev}:${found.ino}`;
    if (!gate.admits(path, key, found)) return undefined;
    return { path, key, size: Number(found.size), mtimeMs: Number(found.mtimeMs), family, isNamed };
  } catch {
    // The file was deleted in between. If it was open, it stays open.
    return undefined;
  }
}

/** Finds all files of one glob (an absolute path with wildcards). An unreadable folder has none. */
async function candidatesOf(pattern: string, gate: FileGate): Promise<Candidate[]> {
  const found: Promise<Candidate | undefined>[] = [];
  for (const folder of await foldersOf(pattern)) {
    for (const name of await readdir(folder).catch(() => [])) {
      const kind = kindOf(name, basename(pattern));
      if (kind !== undefined) {
        found.push(inspect(join(folder, name), join(folder, kind.family), kind.isNamed, gate));
      }
    }
  }
  return (await Promise.all(found)).filter((candidate) => candidate !== undefined);
}

/** Finds all files of the globs that may be followed, each once, oldest modification first. */
export async function findCandidates(globs: readonly string[], gate: FileGate): Promise<Candidate[]> {
  const byKey = new Map<string, Candidate>();
  for (const candidate of (await Promise.all(globs.map((pattern) => candidatesOf(pattern, gate)))).flat()) {
    if (candidate.isNamed || !byKey.has(candidate.key)) byKey.set(candidate.key, candidate);
  }
  return [...byKey.values()].sort((a, b) => a.mtimeMs - b.mtimeMs);
}
