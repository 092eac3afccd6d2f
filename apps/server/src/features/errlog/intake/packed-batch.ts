// A batch packed for another thread: bytes that are transferred, not copied. They hold a list for each part of the
// lines: creating ten thousand objects would block the receiving thread for tens of milliseconds.
import { deserialize, serialize } from 'node:v8';
import type { BatchNumbers, ErrlogReceipt } from '@quarterdeck/core';
import type { LineFields, LogLine } from '@quarterdeck/core/lines';
import type { Sender, SentLine } from '../../../errlog-store/errlog-store.ts';
import type { Warnings } from '../../../ingest/line-warnings.ts';
import type { BodySender } from './senders.ts';

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
interface Columns {
  readonly senders: readonly Sender[];
  /** For each line {@link NUMBERS} numbers: index of its sender, level, time, application, count. */
  readonly numbers: Float64Array;
  readonly logs: readonly string[];
  readonly reqIds: readonly string[];
  /** `''` for none. */
  readonly services: readonly string[];
  /** JSON; `''` for none. */
  readonly fields: readonly string[];
  /** All else. */
  readonly rest: Omit<ReadBatch, 'lines'>;
}

const NUMBERS = 5;

/** Packs a batch. */
export function packBatch({ lines, ...rest }: ReadBatch, rejected: number): PackedBatch {
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
  const services = lines.map(({ line }) => line.service ?? '');
  const columns: Columns = { senders: [...senders.keys()], numbers, logs, fields, reqIds, services, rest };
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
  const { rest, ...columns } = deserialize(packed) as Columns;
  return { ...rest, lines: unpackLines(columns, size, linesAtOnce) };
}

type LineColumns = Omit<Columns, 'rest'>;

function* unpackLines(columns: LineColumns, size: number, atOnce: number): Generator<SentLine[]> {
  for (let from = 0; from < size; from += atOnce) {
    yield Array.from({ length: Math.min(atOnce, size - from) }, (_, i) => unpackLine(columns, from + i));
  }
}

function unpackLine({ senders, numbers, logs, reqIds, services, fields }: LineColumns, i: number): SentLine {
  const number = (place: number) => numbers[i * NUMBERS + place] ?? 0;
  const line: LogLine = {
    level: number(1),
    log: logs[i] ?? '',
    logTime: number(2),
    appId: number(3),
    reqId: reqIds[i] ?? '',
    count: number(4),
  };
  if (services[i]) line.service = services[i];
  if (fields[i]) line.fields = JSON.parse(fields[i]) as LineFields;
  return { line, sender: senders[number(0)] as Sender };
}

/** The lines of a batch with their fingerprints, and what could not be parsed or kept. */
export interface ReadBatch extends Warnings {
  readonly lines: readonly SentLine[];
  readonly fingerprints: readonly string[];
  readonly refused: ErrlogReceipt['refused'];
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
