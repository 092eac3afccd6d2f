// A batch packed for another thread: bytes that are transferred, not copied. They hold a list for each part of the
// lines: creating ten thousand objects would block the receiving thread for tens of milliseconds.
import { deserialize, serialize } from 'node:v8';
import type { ErrlogReceipt } from '@quarterdeck/core';
import type { LineFields } from '@quarterdeck/core/lines';
import type { Sender, SentLine } from '../../../errlog-store/errlog-store.ts';

/** A batch whose body a thread has parsed. */
export interface PackedBatch {
  readonly packed: Uint8Array<ArrayBuffer>;
  /** Numbers of its lines, and of the characters in them. */
  readonly size: number;
  readonly text: number;
  /** Records of OTLP without anything to store. */
  readonly rejected: number;
}

/** A batch as lists of its parts. */
interface Columns extends Pick<ReadBatch, 'fingerprints' | 'refused' | 'bodyHash'> {
  readonly senders: readonly Sender[];
  /** For each line {@link NUMBERS} numbers: index of its sender, level, time, application, count. */
  readonly numbers: Float64Array;
  readonly logs: readonly string[];
  readonly reqIds: readonly string[];
  /** JSON; `''` for none. */
  readonly fields: readonly string[];
}

const NUMBERS = 5;

/** Packs a batch. */
export function packBatch({ lines, fingerprints, refused, bodyHash }: ReadBatch, rejected: number): PackedBatch {
  const senders = new Map<Sender, number>();
  const numbers = new Float64Array(lines.length * NUMBERS);
  for (const [i, { line, sender }] of lines.entries()) {
    const place = senders.get(sender) ?? senders.size;
    senders.set(sender, place);
    numbers.set([place, line.level, line.logTime, line.appId, line.count], i * NUMBERS);
  }
  const logs = lines.map(({ line }) => line.log);
  const fields = lines.map(({ line }) => (line.fields === undefined ? '' : JSON.stringify(line.fields)));
  const reqIds = lines.map(({ line }) => line.reqId);
  const columns: Columns = {
    senders: [...senders.keys()],
    numbers,
    logs,
    fields,
    reqIds,
    fingerprints,
    refused,
    bodyHash,
  };
  let text = 0;
  for (const [i, log] of logs.entries()) text += log.length + (fields[i]?.length ?? 0);
  return { packed: new Uint8Array(serialize(columns)), size: lines.length, text, rejected };
}

/** Reverses {@link packBatch}. */
export function unpackBatch(batch: PackedBatch): ReadBatch {
  const { lines, ...rest } = unpackInParts(batch, batch.size);
  return { ...rest, lines: [...lines].flat() };
}

/** Unpacks a batch some lines at a time. */
export function unpackInParts({ packed, size }: PackedBatch, linesAtOnce: number) {
  const { fingerprints, refused, bodyHash, ...columns } = deserialize(packed) as Columns;
  return { fingerprints, refused, bodyHash, lines: unpackLines(columns, size, linesAtOnce) };
}

type LineColumns = Omit<Columns, 'fingerprints' | 'refused' | 'bodyHash'>;

function* unpackLines(columns: LineColumns, size: number, atOnce: number): Generator<SentLine[]> {
  for (let from = 0; from < size; from += atOnce) {
    yield Array.from({ length: Math.min(atOnce, size - from) }, (_, i) => unpackLine(columns, from + i));
  }
}

function unpackLine({ senders, numbers, logs, reqIds, fields }: LineColumns, i: number): SentLine {
  const number = (place: number) => numbers[i * NUMBERS + place] ?? 0;
  const line = {
    level: number(1),
    log: logs[i] ?? '',
    logTime: number(2),
    appId: number(3),
    reqId: reqIds[i] ?? '',
    count: number(4),
  };
  const sender = senders[number(0)] as Sender;
  const text = fields[i];
  return text === undefined || text === ''
    ? { line, sender }
    : { line: { ...line, fields: JSON.parse(text) as LineFields }, sender };
}
/** The lines of a batch with their fingerprints, and the lines that could not be parsed. */

export interface ReadBatch {
  readonly lines: readonly SentLine[];
  readonly fingerprints: readonly string[];
  readonly refused: ErrlogReceipt['refused'];
  /** Hash of the inflated body. */
  readonly bodyHash: Uint8Array | undefined;
}
