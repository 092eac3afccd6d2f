// A checkpoint identifies a file and the position up to which it was read: the offset, the first bytes, and the bytes
// before the offset. An inode is not enough: the system reuses it, and truncation keeps it.
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';

const HEAD_BYTES = 256;
/** Maximum number of bytes before the offset that a checkpoint holds. */
export const TAIL_BYTES = 64;

const base64 = z.base64().transform((text): Buffer => Buffer.from(text, 'base64'));

/** Stored form of a checkpoint. */
export const SavedCheckpoint = z.object({ offset: z.int().min(0), head: base64, tail: base64 });

/** See the head of this file. `offset` counts bytes from the start. */
export type Checkpoint = z.output<typeof SavedCheckpoint>;

/** Checkpoint of an unread file. */
export const UNREAD: Checkpoint = { offset: 0, head: Buffer.alloc(0), tail: Buffer.alloc(0) };

/** Encodes a checkpoint for {@link SavedCheckpoint}. */
export const encodeCheckpoint = ({ offset, head, tail }: Checkpoint): z.input<typeof SavedCheckpoint> => ({
  offset,
  head: head.toString('base64'),
  tail: tail.toString('base64'),
});

/** Extends the first bytes of a checkpoint with `chunk`, which begins at `at`. */
export function extendHead(head: Buffer, chunk: Buffer, at: number): Buffer {
  if (head.length >= HEAD_BYTES || at !== head.length) return head;
  return Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
}

/** Reads up to `length` bytes from `at`; fewer at the end of the file. */
export async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

const hasAt = async (file: FileHandle, at: number, bytes: Buffer) =>
  (await bytesAt(file, at, bytes.length)).equals(bytes);

/** Reports whether this is the file that was read up to the checkpoint, or a complete copy of it. */
export async function matchesCheckpoint(file: FileHandle, { offset, head, tail }: Checkpoint): Promise<boolean> {
  // The head may extend beyond the offset: those bytes were read but not committed. A copy may end before them.
  const known = offset === 0 ? head : head.subarray(0, offset);
  return (await hasAt(file, 0, known)) && (await hasAt(file, offset - tail.length, tail));
}

/** Reports whether the first `size` bytes of a file match those of another one, judged by their checkpoint. */
export async function isBeginningOf(file: FileHandle, size: number, other: FileHandle): Promise<boolean> {
  const { head, tail } = await readCheckpoint(file, size);
  return matchesCheckpoint(other, { offset: size, head, tail });
}

/** Reads the checkpoint at an offset. */
export async function readCheckpoint(file: FileHandle, offset: number): Promise<Checkpoint> {
  const head = await bytesAt(file, 0, Math.min(HEAD_BYTES, offset));
  const tailBytes = Math.min(TAIL_BYTES, offset);
  return { offset, head, tail: await bytesAt(file, offset - tailBytes, tailBytes) };
}
