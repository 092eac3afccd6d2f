// A place in a file by which the file is known again: how far it was read, its first bytes, and those before the place.
// An inode alone is not enough: it is given to another file when this one is gone, and truncation keeps it.
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';

const HEAD_BYTES = 256;
/** How many bytes before its place a mark has at most. */
export const TAIL_BYTES = 64;

const base64 = z.base64().transform((text): Buffer => Buffer.from(text, 'base64'));

/** A mark as it is kept on the disk. */
export const SavedCheckpoint = z.object({ offset: z.int().min(0), head: base64, tail: base64 });

/** See the head of this file. The place is `offset`, in bytes from the start. */
export type Checkpoint = z.output<typeof SavedCheckpoint>;

/** The mark of a file of which nothing was read. */
export const UNREAD: Checkpoint = { offset: 0, head: Buffer.alloc(0), tail: Buffer.alloc(0) };

/** What {@link SavedCheckpoint} reads. */
export const encodeCheckpoint = ({ offset, head, tail }: Checkpoint): z.input<typeof SavedCheckpoint> => ({
  offset,
  head: head.toString('base64'),
  tail: tail.toString('base64'),
});

/** The first bytes with those of `chunk`, which stands at `at`, as far as a mark keeps them. */
export function extendHead(head: Buffer, chunk: Buffer, at: number): Buffer {
  if (head.length >= HEAD_BYTES || at !== head.length) return head;
  return Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
}

/** Up to `length` bytes from `at`; fewer where the file ends. */
export async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

const hasAt = async (file: FileHandle, at: number, bytes: Buffer) =>
  (await bytesAt(file, at, bytes.length)).equals(bytes);

/** Whether this is the file that was read up to the mark, or a whole copy of it. */
export async function matchesCheckpoint(file: FileHandle, { offset, head, tail }: Checkpoint): Promise<boolean> {
  // The head may reach further than the place: what is there has been read and waits for more. A copy may end before it.
  const known = offset === 0 ? head : head.subarray(0, offset);
  return (await hasAt(file, 0, known)) && (await hasAt(file, offset - tail.length, tail));
}

/** Whether the first `size` bytes of a file are, by all signs, those of another one. */
export async function isBeginningOf(file: FileHandle, size: number, other: FileHandle): Promise<boolean> {
  const { head, tail } = await readCheckpoint(file, size);
  return matchesCheckpoint(other, { offset: size, head, tail });
}

/** The mark of a place. */
export async function readCheckpoint(file: FileHandle, offset: number): Promise<Checkpoint> {
  const head = await bytesAt(file, 0, Math.min(HEAD_BYTES, offset));
  const tailBytes = Math.min(TAIL_BYTES, offset);
  return { offset, head, tail: await bytesAt(file, offset - tailBytes, tailBytes) };
}
