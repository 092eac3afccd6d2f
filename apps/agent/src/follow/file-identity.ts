// Identifies files after a rotation: the same file under another inode, a copy, or a different file with a similar
// name.
import { type Candidate, inodeOf } from './candidates.ts';
import { type Checkpoint, isBeginningOf, matchesCheckpoint, readCheckpoint } from './checkpoint.ts';
import type { FileGate } from './file-gate.ts';
import type { FollowedFile } from './followed-file.ts';

/** Followed files by key. */
export type Files = ReadonlyMap<string, FollowedFile>;

/**
 * Finds the file that continues `file`: moved to another disk, on a disk with a new device number after a boot, or
 * copied before truncation.
 */
export async function findContinuation(
  file: FollowedFile,
  found: readonly Candidate[],
  files: Files,
  gate: FileGate,
): Promise<Candidate | undefined> {
  const { path, key, family } = file.identity;
  if (file.checkpoint.head.length === 0) return undefined;
  for (const other of found) {
    const isRelated = other.family === family || other.path === path || inodeOf(other.key) === inodeOf(key);
    const isRead = (files.get(other.key)?.checkpoint.offset ?? 0) > 0;
    if (!isRelated || isRead || other.key === key) continue;
    if (await gate.withFile(other.path, (handle) => matchesCheckpoint(handle, file.checkpoint))) return other;
  }
  return undefined;
}

const haveSameHead = (a: Checkpoint, b: Checkpoint): boolean => {
  const length = Math.min(a.head.length, b.head.length);
  return length > 0 && a.head.subarray(0, length).equals(b.head.subarray(0, length));
};

const endOf = ({ path, size }: Candidate, gate: FileGate) =>
  gate.withFile(path, (handle) => readCheckpoint(handle, size));

/** Finds copies of a truncated file that end before its checkpoint and so hold nothing new, each with its end. */
export async function findReadCopies(
  file: FollowedFile,
  found: readonly Candidate[],
  files: Files,
  gate: FileGate,
): Promise<{ readonly copy: Candidate; readonly end: Checkpoint }[]> {
  const copies: { copy: Candidate; end: Checkpoint }[] = [];
  for (const copy of found) {
    if (copy.family !== file.identity.family || files.has(copy.key) || copy.size > file.checkpoint.offset) continue;
    const end = await endOf(copy, gate);
    if (end !== undefined && haveSameHead(end, file.checkpoint)) copies.push({ copy, end });
  }
  return copies;
}

async function isCopyOf(candidate: Candidate, file: FollowedFile, gate: FileGate): Promise<boolean> {
  const { path, size } = candidate;
  const { checkpoint, handle, identity } = file;
  // The copy contains everything that was read, whatever happened to the file since.
  if (checkpoint.offset > 0 && size >= checkpoint.offset)
    return (await gate.withFile(path, (copy) => matchesCheckpoint(copy, checkpoint))) === true;
  const ask = (original: NonNullable<typeof handle>) =>
    gate.withFile(path, async (copy) => {
      if (await isBeginningOf(copy, size, original)) return true;
      // The original was truncated this moment; the next poll decides.
      return (
        !(await matchesCheckpoint(original, checkpoint)) && haveSameHead(await readCheckpoint(copy, size), checkpoint)
      );
    });
  return (await (handle === undefined ? gate.withFile(identity.path, ask) : ask(handle))) === true;
}

/** Reports whether a rotated file is a copy, perhaps an unfinished one, of a followed file. */
export async function isCopy(candidate: Candidate, files: Files, gate: FileGate): Promise<boolean> {
  for (const file of files.values()) {
    if (file.identity.family === candidate.family && (await isCopyOf(candidate, file, gate))) return true;
  }
  return false;
}
