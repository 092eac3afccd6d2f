// A batch packed for another thread: bytes that are transferred, not copied. They hold a list for each part of the
// lines: creating ten thousand objects would block the receiving thread for tens of milliseconds.
import { deserialize, serialize } from 'node:v8';
import type { BatchNumbers, ErrlogReceipt } from '@quarterdeck/core';
import type { LineFields, LogLine } from '@quarterdeck/core/lines';
import type { SeenRelease, Warnings } from '@quarterdeck/intake';
import type { Sender, SentLine } from '@quarterdeck/store';
import type { BodySender } from './senders.ts';

/** A batch whose body a thread has parsed. */
export interface PackedBatch {
  readonly packed: Uint8Array<ArrayBuffer>;
  /** Numbers of its lines, and of the characters in them. */
  readonly size: number;
  readonly text: number;
  /** Records of OTLP without anything to store. */
  readonly rejected: number;
  /** See {@link ReadBatch}. */
  readonly reply: string | undefined;
  readonly key: string | undefined;
  readonly releases: readonly SeenRelease[];
}

/** A batch as lists of its parts. */
interface Columns {
  readonly senders: readonly Sender[];
  /** For each line {@link NUMBERS} numbers: index of its sender, level, time, application, count, marks. */
  readonly numbers: Float64Array;
  readonly logs: readonly string[];
  readonly reqIds: readonly string[];
  /** `''` for none. */
  readonly services: readonly string[];
  /** For each part the fields of its lines as JSON, 0 for a line without; `''` for a part without any. */
  readonly fields: readonly string[];
  /** All else. */
  readonly rest: Omit<ReadBatch, 'lines' | 'reply' | 'key' | 'releases'>;
}

const NUMBERS = 6;
/** Marks of a line, as bits. */
const LACKS_TIME = 1;
const LACKS_LEVEL = 2;
/** Lines of a part. Their fields are one text: a text for each line takes three times as long. */
const PART_LINES = 250;

export function packBatch({ lines, reply, key, releases = [], ...rest }: ReadBatch, rejected: number): PackedBatch {
  const senders = new Map<Sender, number>();
  const numbers = new Float64Array(lines.length * NUMBERS);
  for (const [i, { line, sender }] of lines.entries()) {
    const place = senders.get(sender) ?? senders.size;
    senders.set(sender, place);
    const at = i * NUMBERS;
    numbers[at] = place;
    numbers[at + 1] = line.level;
    numbers[at + 2] = line.logTime;
    numbers[at + 3] = line.appId;
    numbers[at + 4] = line.count;
    numbers[at + 5] = (line.lacksTime ? LACKS_TIME : 0) | (line.lacksLevel ? LACKS_LEVEL : 0);
  }
  const logs = lines.map(({ line }) => line.log);
  const fields: string[] = [];
  for (let from = 0; from < lines.length; from += PART_LINES) {
    const part = lines.slice(from, from + PART_LINES).map(({ line }) => line.fields ?? 0);
    fields.push(part.some((one) => one !== 0) ? JSON.stringify(part) : '');
  }
  const reqIds = lines.map(({ line }) => line.reqId);
  const services = lines.map(({ line }) => line.service ?? '');
  const columns: Columns = { senders: [...senders.keys()], numbers, logs, fields, reqIds, services, rest };
  let text = 0;
  for (const { length } of logs) text += length;
  for (const { length } of fields) text += length;
  return { packed: new Uint8Array(serialize(columns)), size: lines.length, text, rejected, reply, key, releases };
}

/** Reverses {@link packBatch}. */
export function unpackBatch(batch: PackedBatch): ReadBatch {
  const { lines, ...rest } = unpackInParts(batch);
  return { ...rest, lines: [...lines].flat() };
}

/** Unpacks a batch some lines at a time: a part takes a millisecond at most. */
export function unpackInParts({ packed, size }: PackedBatch) {
  const { rest, ...columns } = deserialize(packed) as Columns;
  return { ...rest, lines: unpackParts(columns, size) };
}

type LineColumns = Omit<Columns, 'rest'>;

function* unpackParts(columns: LineColumns, size: number): Generator<SentLine[]> {
  for (const [part, json] of columns.fields.entries()) {
    const from = part * PART_LINES;
    const fields = json === '' ? [] : (JSON.parse(json) as (LineFields | 0)[]);
    const lines: SentLine[] = [];
    for (let i = from; i < Math.min(size, from + PART_LINES); i += 1)
      lines.push(unpackLine(columns, i, fields[i - from]));
    yield lines;
  }
}

function unpackLine(columns: LineColumns, i: number, fields: LineFields | 0 | undefined): SentLine {
  const { senders, numbers, logs, reqIds, services } = columns;
  const at = i * NUMBERS;
  const line: LogLine = {
    level: numbers[at + 1] ?? 0,
    log: logs[i] ?? '',
    logTime: numbers[at + 2] ?? 0,
    appId: numbers[at + 3] ?? 0,
    reqId: reqIds[i] ?? '',
    count: numbers[at + 4] ?? 0,
  };
  const marks = numbers[at + 5] ?? 0;
  if (marks & LACKS_TIME) line.lacksTime = true;
  if (marks & LACKS_LEVEL) line.lacksLevel = true;
  if (services[i]) line.service = services[i];
  if (fields) line.fields = fields;
  return { line, sender: senders[numbers[at] ?? 0] as Sender };
}

/** The lines of a batch with their fingerprints, and what could not be parsed or kept. */
export interface ReadBatch extends Warnings {
  readonly lines: readonly SentLine[];
  readonly fingerprints: readonly string[];
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
