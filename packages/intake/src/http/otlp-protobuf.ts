// The messages of OTLP in protobuf, and its answer.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type Field, type Message, type ProtobufBounds, readProtobuf } from '../base/protobuf.ts';

const ANY_VALUE = new Map<number, Field>();
const KEY_VALUE: Message = new Map<number, Field>([
  [1, { name: 'key', type: 'text' }],
  [2, { name: 'value', type: ANY_VALUE }],
]);
const ARRAY: Message = new Map<number, Field>([[1, { name: 'values', type: ANY_VALUE, isList: true }]]);
const KEY_VALUES: Message = new Map<number, Field>([[1, { name: 'values', type: KEY_VALUE, isList: true }]]);
ANY_VALUE.set(1, { name: 'stringValue', type: 'text' })
  .set(2, { name: 'boolValue', type: 'bool' })
  .set(3, { name: 'intValue', type: 'int64' })
  .set(4, { name: 'doubleValue', type: 'double' })
  .set(5, { name: 'arrayValue', type: ARRAY })
  .set(6, { name: 'kvlistValue', type: KEY_VALUES })
  .set(7, { name: 'bytesValue', type: 'base64' });

const LOG_RECORD: Message = new Map<number, Field>([
  [1, { name: 'timeUnixNano', type: 'fixed64' }],
  [2, { name: 'severityNumber', type: 'enum' }],
  [3, { name: 'severityText', type: 'text' }],
  [5, { name: 'body', type: ANY_VALUE }],
  [6, { name: 'attributes', type: KEY_VALUE, isList: true }],
  [9, { name: 'traceId', type: 'hex' }],
  [10, { name: 'spanId', type: 'hex' }],
  [11, { name: 'observedTimeUnixNano', type: 'fixed64' }],
  [12, { name: 'eventName', type: 'text' }],
]);
const SCOPE: Message = new Map<number, Field>([[1, { name: 'name', type: 'text' }]]);
const SCOPE_LOGS: Message = new Map<number, Field>([
  [1, { name: 'scope', type: SCOPE }],
  [2, { name: 'logRecords', type: LOG_RECORD, isList: true, isRecord: true }],
]);
const RESOURCE: Message = new Map<number, Field>([[1, { name: 'attributes', type: KEY_VALUE, isList: true }]]);
const RESOURCE_LOGS: Message = new Map<number, Field>([
  [1, { name: 'resource', type: RESOURCE }],
  [2, { name: 'scopeLogs', type: SCOPE_LOGS, isList: true }],
]);
const REQUEST: Message = new Map<number, Field>([[1, { name: 'resourceLogs', type: RESOURCE_LOGS, isList: true }]]);

/** Reads an `ExportLogsServiceRequest`; errors as {@link readProtobuf}. */
export const readOtlpProtobuf = (bytes: Uint8Array, bounds: ProtobufBounds): unknown =>
  readProtobuf(bytes, REQUEST, bounds);

/** Writes an `ExportLogsServiceResponse`, which is empty without a message. */
export function writeOtlpProtobuf(rejected: number, message: string): Buffer {
  const writer = new BinaryWriter();
  if (message !== '') {
    writer.tag(1, WireType.LengthDelimited).fork();
    if (rejected > 0) writer.tag(1, WireType.Varint).int64(rejected);
    writer.tag(2, WireType.LengthDelimited).string(message);
    writer.join();
  }
  return Buffer.from(writer.finish());
}
