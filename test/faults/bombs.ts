// Bodies of up to 8 MiB that are expensive to parse, for both intakes. Most have some kilobytes when compressed.
import { gzipSync } from 'node:zlib';

/** Records with a long text and a stack trace that is nearly a part of it. */
const TRACES = 300;

export interface Bomb {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Number of lines in it, for a bomb that is stored. */
  readonly lines: number;
}

/** Numbers of lines of stored bombs that have more than one. */
const LINES: Readonly<Record<string, number>> = {
  'OTLP, a wide resource': 10_000,
  'OTLP, dense records': 10_000,
  'lines, dense': 10_000,
  'OTLP, traces that are searched for': TRACES,
};

const LIMIT = 8 * 1024 * 1024;
const OTLP = '/v1/logs';
const ERRLOG = '/admin-api/log_server/errlog';

/** Fills the limit: `head`, then `unit` as often as it fits, then `tail`. */
function filled(head: string, unit: string, tail: string, last = ''): Buffer {
  const times = Math.floor((LIMIT - head.length - tail.length - last.length) / unit.length);
  return Buffer.from(head + unit.repeat(times) + last + tail);
}

const records = (list: string) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${list}]}]}]}`;
const HEAD = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[';
const TAIL = ']}]}]}';
const body = (text: string) => `"body":{"stringValue":"${text}"}`;
const attribute = (key: string, value: string) => `{"key":"${key}","value":{"stringValue":"${value}"}}`;
const times = (n: number, make: (i: number) => string) => Array.from({ length: n }, (_, i) => make(i)).join(',');

function resourceWith(attributes: string, recordCount: number): Buffer {
  const list = `{${body('x')}},`.repeat(recordCount).slice(0, -1);
  const resource = `"resource":{"attributes":[${attributes}]}`;
  return Buffer.from(`{"resourceLogs":[{${resource},"scopeLogs":[{"logRecords":[${list}]}]}]}`);
}

/** AnyValues nested as deep as the limit allows. */
function nestedValues(): Buffer {
  const [open, close] = ['{"arrayValue":{"values":[', ']}}'];
  const depth = Math.floor((LIMIT - 200) / (open.length + close.length));
  return Buffer.from(records(`{"body":${open.repeat(depth)}${close.repeat(depth)}}`));
}

/** A body that nearly contains its stack trace, which makes a backtracking search very slow. */
function periodicTraces(): Buffer {
  const [text, trace] = ['a'.repeat(16_000), `b${'a'.repeat(8_000)}`];
  const one = `{${body(text)},"attributes":[${attribute('exception.stacktrace', trace)}]}`;
  return Buffer.from(records(times(TRACES, () => one)));
}

const jsonOf: Readonly<Record<string, () => Buffer>> = {
  'OTLP, nested arrays': () => filled('', '[', ''),
  'OTLP, empty resources': () => filled('{"resourceLogs":[', '{},', ']}', '{}'),
  'OTLP, empty records': () => filled(HEAD, '{},', TAIL, '{}'),
  'OTLP, arrays as records': () => filled(HEAD, '[],', TAIL, '[]'),
  'OTLP, numbers as records': () => filled(HEAD, '0,', TAIL, '0'),
  'OTLP, empty attributes': () => filled(`${HEAD}{"attributes":[`, '{},', `],${body('x')}}${TAIL}`, '{}'),
  'OTLP, nested values': nestedValues,
  'OTLP, a long key': () => filled(`${HEAD}{"`, 'k', `":1,${body('x')}}${TAIL}`),
  'OTLP, many keys of a record': () => Buffer.from(records(`{${times(520_000, (i) => `"k${i}":0`)},${body('x')}}`)),
  'OTLP, a wide resource': () =>
    resourceWith(
      times(100_000, (i) => attribute(`k${i}`, 'v')),
      10_000,
    ),
  'OTLP, large fields of a resource': () =>
    resourceWith(
      times(32, (i) => attribute(`k${i}`, `${i}`.padEnd(1_000, 'v'))),
      10_000,
    ),
  'OTLP, traces that are searched for': periodicTraces,
  'OTLP, dense records': () =>
    Buffer.from(
      records(times(10_000, (i) => `{${body(`e${i}`)},"attributes":[${times(16, (k) => attribute(`k${k}`, 'v'))}]}`)),
    ),
};

const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]);
const field = (number: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(content.length)]), content]);
const repeated = (unit: readonly number[]): Buffer => {
  const count = Math.floor((LIMIT - 64) / unit.length);
  return Buffer.alloc(count * unit.length, Buffer.from(unit));
};
/** A request with one scope of the given content. */
const scopeOf = (content: Uint8Array) => field(1, field(2, content));

function nestedProtobuf(): Buffer {
  let value: Uint8Array = Buffer.alloc(0);
  for (let i = 0; i < 2_000; i += 1) value = field(5, field(1, value));
  return scopeOf(field(2, field(5, value)));
}

const protobufOf: Readonly<Record<string, () => Buffer>> = {
  'protobuf, empty records': () => scopeOf(repeated([0x12, 0])),
  'protobuf, empty resources': () => repeated([0x0a, 0]),
  'protobuf, empty attributes': () => scopeOf(field(2, repeated([0x32, 0]))),
  'protobuf, the same field again': () => scopeOf(field(2, repeated([0x2a, 0]))),
  'protobuf, unknown fields': () => repeated([0x78, 1]),
  'protobuf, nested groups': () => repeated([0x7b]),
  'protobuf, groups': () => repeated([0x7b, 0x7c]),
  'protobuf, nested values': nestedProtobuf,
};

const linesOf: Readonly<Record<string, () => Buffer>> = {
  'lines, nested arrays': () => filled('', '[', ''),
  'lines, closed nested arrays': () => Buffer.from('['.repeat(LIMIT / 2) + ']'.repeat(LIMIT / 2)),
  'lines, empty objects': () => filled('[', '{},', ']', '{}'),
  'lines, numbers': () => filled('[', '0,', ']', '0'),
  'lines, many keys': () => Buffer.from(`[{"level":4,"log":"x",${times(520_000, (i) => `"k${i}":0`)}}]`),
  'lines, nested in a field': () => Buffer.from(`{"level":4,"log":"x","k":${'['.repeat(4e6)}${']'.repeat(4e6)}}`),
  'lines, all refused': () => Buffer.from(`[${times(10_000, () => '{}')}]`),
  'lines, dense': () =>
    Buffer.from(`[${times(10_000, (i) => JSON.stringify({ level: 4, log: `x${i % 7} y`.padEnd(780, ' word') }))}]`),
};
const ndjsonOf: Readonly<Record<string, () => Buffer>> = {
  'NDJSON, one-byte lines': () => filled('', '1\n', ''),
  'NDJSON, blank lines': () => filled('', '\n', '{"level":4,"log":"x"}'),
  'NDJSON, a nested line': () => filled('', '[', ''),
  'NDJSON, many keys': () => Buffer.from(`{"level":4,"log":"x",${times(520_000, (i) => `"k${i}":0`)}}`),
};

const compressed = (name: string, path: string, type: string, content: Buffer): Bomb => ({
  name,
  path,
  headers: { 'Content-Type': type, 'Content-Encoding': 'gzip' },
  body: gzipSync(content),
  lines: LINES[name] ?? 1,
});
const plain = (name: string, path: string, type: string, content: Buffer): Bomb => ({
  name: `${name}, plain`,
  path,
  headers: { 'Content-Type': type },
  body: content,
  lines: LINES[name] ?? 1,
});
const each = (of: Readonly<Record<string, () => Buffer>>, make: (name: string, content: Buffer) => Bomb[]) =>
  Object.entries(of).flatMap(([name, content]) => make(name, content()));

/** Creates all bombs, some also uncompressed and as a dry run. */
export const makeBombs = (): Bomb[] => [
  ...each(jsonOf, (name, content) => [compressed(name, OTLP, 'application/json', content)]),
  ...each(protobufOf, (name, content) => [compressed(name, OTLP, 'application/x-protobuf', content)]),
  ...each(linesOf, (name, content) => [compressed(name, ERRLOG, 'application/json', content)]),
  plain('lines, empty objects', ERRLOG, 'application/json', filled('[', '{},', ']', '{}').subarray(0, LIMIT / 4)),
  ...each(ndjsonOf, (name, content) => [compressed(name, ERRLOG, 'application/x-ndjson', content)]),
  ...each(linesOf, (name, content) => [
    compressed(`${name}, dry run`, `${ERRLOG}?dry_run=1`, 'application/json', content),
  ]).filter(({ name }) => /empty|dense/.test(name)),
];
