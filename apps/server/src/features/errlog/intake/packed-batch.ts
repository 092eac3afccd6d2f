// A batch for another thread: bytes that are transferred, not copied.
import { deserialize, serialize } from 'node:v8';
import type { BatchNumbers, ErrlogReceipt } from '@quarterdeck/core';
import type { SeenRelease, Warnings } from '@quarterdeck/intake';
import { type LineColumns, sizeOf } from '@quarterdeck/store/line-columns';
import type { BodySender } from './senders.ts';

/** A batch whose body a thread has parsed. */
export interface PackedBatch {
  readonly packed: Uint8Array<ArrayBuffer>;
  /** Number of its lines, and of the bytes in them. */
  readonly size: number;
  readonly bytes: number;
  /** Records of OTLP without anything to store. */
  readonly rejected: number;
  /** See {@link ReadBatch}. */
  readonly reply: string | undefined;
  readonly key: string | undefined;
  readonly releases: readonly SeenRelease[];
}

export function packBatch({ reply, key, releases = [], ...batch }: ReadBatch): PackedBatch {
  const { texts, values, rare } = batch.lines;
  const bytes = values.reduce((sum, { list }) => sum + list.bytes.length, texts.length + rare.length);
  const { rejected = 0 } = batch;
  return { packed: new Uint8Array(serialize(batch)), size: sizeOf(batch.lines), bytes, rejected, reply, key, releases };
}

/** Reverses {@link packBatch}, but for what is not in its bytes. */
export const unpackBatch = ({ packed }: PackedBatch): ReadBatch => deserialize(packed) as ReadBatch;

/** The lines of a batch, and what could not be parsed or kept. */
export interface ReadBatch extends Warnings {
  readonly lines: LineColumns;
  readonly refused: ErrlogReceipt['refused'];
  /** Number of records of OTLP without anything to store. */
  readonly rejected?: number;
  /** Of a bulk request or of Sentry: its answer as JSON, and a digest by which it is recognized. */
  readonly reply?: string | undefined;
  readonly key?: string | undefined;
  /** Of Sentry: releases that its lines name, and the numbers of items that are not stored, by type. */
  readonly releases?: readonly SeenRelease[] | undefined;
  readonly omitted?: Readonly<Record<string, number>> | undefined;
  /** Hash of the inflated body. */
  readonly bodyHash: Uint8Array | undefined;
  /** The sender of the body; absent for lines that came otherwise. */
  readonly from?: BodySender;
  /** Numbers that an agent gave to the batch. */
  readonly numbers?: BatchNumbers | undefined;
}

/** Returns the index that an accepted line had in its batch. */
export function indexInBatch(accepted: number, refused: ReadBatch['refused']): number {
  let index = accepted;
  for (const line of refused) if (line.index <= index) index += 1;
  return index;
}
