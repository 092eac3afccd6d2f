// Which file is which: the same one under another number, a copy, or one that only has a similar name.
import { type Candidate, inodeOf } from './candidates.ts';
import { type Checkpoint, isBeginningOf, matchesCheckpoint, readCheckpoint } from './checkpoint.ts';
import type { FollowedFile } from './followed-file.ts';
import { withFile } from './with-file.ts';

/** Followed files by key. */
export type Files = ReadonlyMap<string, FollowedFile>;

/**
 * The file in which everything that was read of `file` stands as well: it was moved to another disk, the disk has
 * another number since the host booted, or it was copied before it was truncated.
 */
export async function findContinuation(
  file: FollowedFile,
  found: readonly Candidate[],
  files: Files,
): Promise<Candidate | undefined> {
  const { path, key, family } = file.identity;
  if (file.checkpoint.head.length === 0) return undefined;
  for (const other of found) {
    const isRelated = other.family === family || other.path === path || inodeOf(other.key) === inodeOf(key);
    const isRead = (files.get(other.key)?.checkpoint.offset ?? 0) > 0;
    if (!isRelated || isRead || other.key === key) continue;
    if (await withFile(other.path, (handle) => matchesCheckpoint(handle, file.checkpoint))) return other;
  }
  return undefined;
}

const haveSameHead = (a: Checkpoint, b: Checkpoint): boolean => {
  const length = Math.min(a.head.length, b.head.length);
  return length > 0 && a.head.subarray(0, length).equals(b.head.subarray(0, length));
};

const endOf = ({ path, size }: Candidate) => withFile(path, (handle) => readCheckpoint(handle, size));

/**
 * Copies of a file that was truncated which end before the place up to which it was read: there is nothing new in them.
 * With the mark of their end.
 */
export async function findReadCopies(
  file: FollowedFile,
  found: readonly Candidate[],
  files: Files,
): Promise<{ readonly copy: Candidate; readonly end: Checkpoint }[]> {
  const copies: { copy: Candidate; end: Checkpoint }[] = [];
  for (const copy of found) {
    if (copy.family !== file.identity.family || files.has(copy.key) || copy.size > file.checkpoint.offset) continue;
    const end = await endOf(copy);
    if (end !== undefined && haveSameHead(end, file.checkpoint)) copies.push({ copy, end });
  }
  return copies;
}

async function isCopyOf(candidate: Candidate, file: FollowedFile): Promise<boolean> {
  const { path, size } = candidate;
  const { checkpoint, handle, identity } = file;
  // What was read stands in it: no matter what has become of the file meanwhile.
  if (checkpoint.offset > 0 && size >= checkpoint.offset)
    return (await withFile(path, (copy) => matchesCheckpoint(copy, checkpoint))) === true;
  const ask = (original: NonNullable<typeof handle>) =>
    withFile(path, async (copy) => {
      if (await isBeginningOf(copy, size, original)) return true;
      // Truncated this very moment; the next look decides.
      return (
        !(await matchesCheckpoint(original, checkpoint)) && haveSameHead(await readCheckpoint(copy, size), checkpoint)
      );
    });
  return (await (handle === undefined ? withFile(identity.path, ask) : ask(handle))) === true;
}

/** Whether a rotated file is a copy, perhaps an unfinished one, of a file that is followed already. */
export async function isCopy(candidate: Candidate, files: Files): Promise<boolean> {
  for (const file of files.values()) {
    if (file.identity.family === candidate.family && (await isCopyOf(candidate, file))) return true;
  }
  return false;
}
