// File format of one batch: a line of JSON that describes it, then the body as it is sent.
import { z } from 'zod';
import type { SealedBatch } from '../api/batch.ts';
import { type Disk, SYSTEM_DISK } from '../files/disk.ts';
import { Positions, type SavedPositions } from '../follow/positions.ts';
import { crc32 } from '../process/newer-node.ts';

const Count = z.int().min(0);

/** Numbers of the last batch up to this file, which the server's ledger compares. `number` is 0 before the first. */
const Numbers = z.object({
  spool: z.string().min(1).max(64),
  number: Count,
  read: Count,
  dropped: z.object({ rotation: Count, spool_full: Count, skipped: Count.default(0) }),
  lines_without_time: Count.optional(),
  lines_without_level: Count.optional(),
});
export type Numbers = z.output<typeof Numbers>;

const Head = z.object({
  version: z.literal(1),
  key: z.string().max(200),
  lines: z.int().min(0),
  /** Bytes of the body, and their CRC-32. */
  size: z.int().min(0),
  crc: z.int().min(0),
  /** Positions in the followed files after this batch. */
  positions: Positions,
  /** Version 0.1.0 wrote none. */
  numbers: Numbers.optional(),
  /** CRC-32 of the JSON of everything above; version 0.1.0 wrote none. */
  head_crc: z.int().min(0).optional(),
});

export interface StoredBatch extends SealedBatch {
  readonly positions: Positions;
  /** Bytes of the file. */
  readonly fileBytes: number;
}

const NEWLINE = 0x0a;

const crcOf = (head: object): number => crc32(JSON.stringify(head));

export function packBatch({ key, lines, body }: SealedBatch, positions: SavedPositions, numbers: Numbers): Buffer {
  const head: z.input<typeof Head> = {
    version: 1,
    key,
    lines,
    size: body.length,
    crc: crc32(body),
    positions,
    numbers,
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...head, head_crc: crcOf(head) })}\n`), body]);
}

/** Reads a file; undefined when it is damaged. */
export async function readBatch(path: string, disk: Disk = SYSTEM_DISK): Promise<StoredBatch | undefined> {
  const content = await disk.readFile(path);
  const end = content.indexOf(NEWLINE);
  try {
    const written: unknown = JSON.parse(content.toString('utf8', 0, Math.max(0, end)));
    const { head_crc, ...head } = written as z.input<typeof Head>;
    const { key, lines, size, crc, positions, numbers } = Head.parse(written);
    const body = content.subarray(end + 1);
    if (head_crc !== undefined && crcOf(head) !== head_crc) return undefined;
    if (body.length !== size || crc32(body) !== crc) return undefined;
    return { key, lines, body, positions, numbers, fileBytes: content.length };
  } catch {
    return undefined;
  }
}
