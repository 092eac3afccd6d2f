// Reads messages of protobuf into the objects of their JSON form. Tables describe the messages; other fields are
// skipped. An empty message is two bytes on the wire and an object in memory, so the limits apply during the reading.
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { AppError } from '@quarterdeck/core/plain';
import { tooManyValues } from './json-bounds.ts';

type Scalar = 'text' | 'hex' | 'base64' | 'enum' | 'bool' | 'int64' | 'fixed64' | 'double';

/** A field of a message. */
export interface Field {
  readonly name: string;
  readonly type: Scalar | Message;
  readonly isList?: true;
  /** Counts as a record. */
  readonly isRecord?: true;
}

/** The fields of a message by their numbers. */
export type Message = ReadonlyMap<number, Field>;

/** Maximum depth of nested messages. */
const MAX_DEPTH = 32;

/** Wire type of each scalar. A field with a different wire type is skipped like an unknown field. */
const WIRE: Readonly<Record<Scalar, WireType>> = {
  text: WireType.LengthDelimited,
  hex: WireType.LengthDelimited,
  base64: WireType.LengthDelimited,
  enum: WireType.Varint,
  bool: WireType.Varint,
  int64: WireType.Varint,
  fixed64: WireType.Bit64,
  double: WireType.Bit64,
};

/** Limits of a request. */
export interface ProtobufBounds {
  readonly records: number;
  /** Fields, including unknown ones. */
  readonly values: number;
}

/** Error for a request with too many records. */
export const tooManyRecords = (max: number): AppError =>
  new AppError('too_large', { message: `A request may have at most ${max} records.` });

/**
 * Reads a message into the object of its JSON form.
 *
 * @throws AppError `too_large` beyond the limits
 * @throws Error for bytes that are not protobuf, nest too deep, or have groups, which these protocols do not use
 */
export function readProtobuf(bytes: Uint8Array, message: Message, bounds: ProtobufBounds): unknown {
  const reader = new BinaryReader(bytes);
  return readMessage({ reader, bounds, values: 0, records: 0 }, message, reader.len, 0);
}

/** The state of reading a request. */
interface Reading {
  readonly reader: BinaryReader;
  readonly bounds: ProtobufBounds;
  values: number;
  records: number;
}

function readMessage(reading: Reading, message: Message, end: number, depth: number): object {
  if (depth > MAX_DEPTH) throw new Error('values nest too deep');
  const { reader } = reading;
  const result: Record<string, unknown> = {};
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = message.get(number);
    count(reading, field);
    const wanted = typeof field?.type === 'string' ? WIRE[field.type] : WireType.LengthDelimited;
    if (field === undefined || wireType !== wanted) {
      // The length of a group depends on its content, which the limits would not count.
      if (wireType === WireType.StartGroup) throw new Error('the message has groups');
      reader.skip(wireType, number);
      continue;
    }
    const value = readValue(reading, field.type, end, depth);
    if (field.isList !== true) result[field.name] = value;
    else if (Array.isArray(result[field.name])) (result[field.name] as unknown[]).push(value);
    else result[field.name] = [value];
  }
  if (reader.pos !== end) throw new Error('a message is longer than its length');
  return result;
}

function count(reading: Reading, field: Field | undefined): void {
  const { bounds } = reading;
  reading.values += 1;
  if (reading.values > bounds.values) throw tooManyValues(bounds.values);
  if (field?.isRecord !== true) return;
  reading.records += 1;
  if (reading.records > bounds.records) throw tooManyRecords(bounds.records);
}

function readValue(reading: Reading, type: Scalar | Message, end: number, depth: number): unknown {
  const { reader } = reading;
  switch (type) {
    case 'text':
      return reader.string();
    case 'hex':
      return Buffer.from(reader.bytes()).toString('hex');
    case 'base64':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'enum':
      return reader.int32();
    case 'bool':
      return reader.bool();
    case 'int64':
      return String(reader.int64());
    case 'fixed64':
      return String(reader.fixed64());
    case 'double':
      return reader.double();
    default: {
      const length = reader.uint32();
      if (reader.pos + length > end) throw new Error('a message is longer than its parent');
      return readMessage(reading, type, reader.pos + length, depth + 1);
    }
  }
}
