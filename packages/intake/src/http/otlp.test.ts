import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOtlp } from './otlp.ts';
import { readOtlpProtobuf, writeOtlpProtobuf } from './otlp-protobuf.ts';

const NOW = 1_795_173_996;
const text = (stringValue: string) => ({ stringValue });
const attributes = (pairs: Record<string, unknown>) => Object.entries(pairs).map(([key, value]) => ({ key, value }));

function read(request: unknown) {
  return readOtlp(Buffer.from(JSON.stringify(request)), 'json', NOW);
}

function readRecord(logRecord: object, resource: Record<string, unknown> = {}) {
  const { sources } = read({
    resourceLogs: [{ resource: { attributes: attributes(resource) }, scopeLogs: [{ logRecords: [logRecord] }] }],
  });
  return { name: sources[0]?.name, ...sources[0]?.lines[0] };
}

describe('readOtlp', () => {
  it('converts a record to a line', () => {
    const line = readRecord(
      {
        timeUnixNano: '1795173990123456789',
        severityNumber: 17,
        severityText: 'ERROR',
        body: text('disk full'),
        attributes: attributes({ 'disk.name': text('sda'), tries: { intValue: '3' } }),
        traceId: '5b8efff798038103d269b633813fc60c',
        spanId: 'eee19b7ec3c1b174',
      },
      { 'service.name': text('shop'), 'host.name': text('web1'), 'process.command_line': text('--password=x') },
    );
    expect(line).toEqual({
      name: 'web1',
      service: 'shop',
      level: 4,
      log: 'disk full',
      logTime: 1_795_173_990,
      appId: 0,
      reqId: '5b8efff798038103d269b633813fc60c',
      count: 1,
      fields: {
        trace_id: '5b8efff798038103d269b633813fc60c',
        span_id: 'eee19b7ec3c1b174',
        'disk.name': 'sda',
        tries: '3',
        'service.name': 'shop',
        'host.name': 'web1',
      },
    });
  });

  it('maps every severity', () => {
    const levels = Array.from({ length: 24 }, (_, i) => readRecord({ severityNumber: i + 1, body: text('x') }).level);
    expect(levels.join('')).toBe('888888887666555543221111');
  });

  it.each([
    [{ severityText: 'Warning' }, 5],
    [{ severityNumber: 0, severityText: 'info' }, 7],
    [{ severityNumber: 25 }, 4],
    [{ severityNumber: -1 }, 4],
    [{ severityNumber: '9' }, 4],
    [{ severityNumber: 9.5, severityText: 7 }, 4],
    [{}, 4],
  ])('maps %j to the level %i', (severity, level) => {
    expect(readRecord({ ...severity, body: text('x') }).level).toBe(level);
  });

  it.each([
    [{ stringValue: 'a\nb' }, 'a\nb'],
    [{ boolValue: false }, 'false'],
    [{ intValue: 0 }, '0'],
    [{ intValue: '9223372036854775807' }, '9223372036854775807'],
    [{ doubleValue: 1.5 }, '1.5'],
    [{ doubleValue: 'NaN' }, 'NaN'],
    [{ bytesValue: 'aGVsbG8=' }, 'aGVsbG8='],
    [{ arrayValue: { values: [{ stringValue: 'a' }, {}, { intValue: 1 }] } }, '["a",null,1]'],
    [{ kvlistValue: { values: attributes({ a: { boolValue: true }, b: text('"') }) } }, '{"a":true,"b":"\\""}'],
    [{ arrayValue: {} }, '[]'],
  ])('converts the body %j to %j', (body, log) => {
    expect(readRecord({ body }).log).toBe(log);
  });

  it('refuses deeply nested values', () => {
    const nested = (depth: number) => {
      let body: object = text('x');
      for (let i = 0; i < depth; i += 1) body = { arrayValue: { values: [body] } };
      return body;
    };
    expect(readRecord({ body: nested(30) }).log).toMatch(/^\[+"\.\.\."\]+$/);
    expect(() => readRecord({ body: nested(1_000) })).toThrow('nests values more than 128 deep');
  });

  it('limits the fields of a resource to those of a line', () => {
    const attributes = Array.from({ length: 1_000 }, (_, i) => ({ key: `k${i}`, value: text('v') }));
    const scopeLogs = [{ logRecords: [{ body: text('x'), attributes: attributes.slice(0, 3) }] }];
    const body = JSON.stringify({ resourceLogs: [{ resource: { attributes }, scopeLogs }] });
    const [source] = readOtlp(Buffer.from(body), 'json', NOW).sources;
    expect(Object.keys(source?.lines[0]?.fields ?? {})).toEqual(Array.from({ length: 128 }, (_, i) => `k${i}`));
  });

  describe('refuses a whole request', () => {
    const scopes = (...sizes: number[]) =>
      sizes.map((n) => ({ logRecords: Array.from({ length: n }, () => ({ body: text('x') })) }));
    const read = (...resourceLogs: object[]) => readOtlp(Buffer.from(JSON.stringify({ resourceLogs })), 'json', NOW);

    it('with too many records over all scopes and resources', () => {
      const [source] = read({ scopeLogs: scopes(5_000, 5_000) }).sources;
      expect(source?.lines).toHaveLength(10_000);
      const tooMany = 'at most 10000 records';
      expect(() => read({ scopeLogs: scopes(5_000, 5_001) })).toThrow(tooMany);
      expect(() => read({ scopeLogs: scopes(5_000) }, { scopeLogs: scopes(5_001) })).toThrow(tooMany);
    });

    it('with too many values', () => {
      const attributes = Buffer.from(`[${'{},'.repeat(600_000)}{}]`);
      const [head, tail] = ['{"resourceLogs":[{"resource":{"attributes":', '}}]}'].map((part) => Buffer.from(part));
      const bytes = Buffer.concat([head as Buffer, attributes, tail as Buffer]);
      expect(() => readOtlp(bytes, 'json', NOW)).toThrow('more than 1000000 values');
    });

    it('with too much text in its lines, including the attributes of the resource', () => {
      const attributes = Array.from({ length: 32 }, (_, i) => ({ key: `k${i}`, value: text('v'.repeat(1_000)) }));
      const resource = { attributes };
      expect(read({ resource, scopeLogs: scopes(1_000) }).sources[0]?.lines).toHaveLength(1_000);
      expect(() => read({ resource, scopeLogs: scopes(1_100) })).toThrow('more than 33554432 characters');
    });
  });

  const trace = 'TypeError: x is undefined\n    at order (/app/shop.js:1:2)';
  it.each([
    ['stack trace', { body: text('order failed') }, { 'exception.stacktrace': trace }, `order failed\n${trace}`],
    ['stack trace of the message', { body: text('TypeError: x') }, { 'exception.stacktrace': trace }, trace],
    ['stack trace in the body', { body: text(`boom\n${trace}`) }, { 'exception.stacktrace': trace }, `boom\n${trace}`],
    ['stack trace alone', {}, { 'exception.stacktrace': trace, 'exception.type': 'TypeError' }, trace],
    ['type and message', { body: text('x') }, { 'exception.type': 'E', 'exception.message': 'no' }, 'x\nE: no'],
    ['message alone', {}, { 'exception.message': 'no' }, 'no'],
    ['message that is the body', { body: text('no') }, { 'exception.type': 'E', 'exception.message': 'no' }, 'E: no'],
  ])('appends the %s to the body', (_name, record, exception, log) => {
    const pairs = Object.fromEntries(Object.entries(exception).map(([key, value]) => [key, text(value)]));
    expect(readRecord({ ...record, attributes: attributes(pairs) }).log).toBe(log);
  });

  it('uses the name of the event as the body', () => {
    expect(readRecord({ eventName: 'session.start' }).log).toBe('session.start');
    expect(readRecord({ attributes: attributes({ 'event.name': text('session.end') }) }).log).toBe('session.end');
  });

  it.each([
    [{ 'service.name': text('shop') }, 'shop'],
    [{ 'host.name': text('web1') }, 'web1'],
    [{ 'service.name': text('shop'), 'service.instance.id': text('i-1') }, 'shop@i-1'],
    [{ 'service.name': text('unknown_service:node'), 'host.name': text('web1') }, 'web1'],
    [{ 'service.name': { arrayValue: {} } }, '[]'],
    [{}, ''],
  ])('derives from %j the source %j', (resource, name) => {
    expect(readRecord({ body: text('x') }, resource).name).toBe(name);
  });

  it('prefers the id of a request to the id of a trace', () => {
    const traceId = '5b8efff798038103d269b633813fc60c';
    const id = (pairs: Record<string, unknown>) =>
      readRecord({ body: text('x'), traceId, attributes: attributes(pairs) }).reqId;
    expect(id({ request_id: text('r1') })).toBe('r1');
    expect(id({ request_id: text('x'.repeat(129)) })).toBe(traceId);
    expect(id({})).toBe(traceId);
    expect(readRecord({ body: text('x'), traceId: '0'.repeat(32) }).reqId).toBe('');
    expect(readRecord({ body: text('x'), traceId: '../../etc' }).reqId).toBe('');
  });

  it.each([
    [{}, NOW],
    [{ timeUnixNano: '0', observedTimeUnixNano: '1795173000000000000' }, 1_795_173_000],
    [{ timeUnixNano: 'x' }, NOW],
    [{ timeUnixNano: '1995173000000000000' }, NOW],
    [{ timeUnixNano: '-5' }, NOW],
    [{ timeUnixNano: {} }, NOW],
  ])('maps %j to the time %i', (times, logTime) => {
    expect(readRecord({ ...times, body: text('x') }).logTime).toBe(logTime);
  });

  it('rejects each record without content', () => {
    const logRecords = [{ body: text('a') }, {}, null, 7, { body: text(' ') }, { body: text('b') }];
    const { sources, rejected } = read({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    expect([rejected, sources[0]?.lines.map(({ log }) => log)]).toEqual([4, ['a', 'b']]);
  });

  it.each(['', '{', '[]', '"x"', 'null', '{"resourceLogs":{}}', '{"resourceLogs":"x"}', '\xff'])(
    'refuses %j',
    (body) => {
      expect(() => readOtlp(Buffer.from(body, 'latin1'), 'json', NOW)).toThrow(/not/);
    },
  );

  it.each([{}, { resourceLogs: [] }, { resourceLogs: null }, { resourceLogs: [null, 1, { scopeLogs: 1 }] }])(
    'returns no line for %j',
    (request) => {
      expect(read(request)).toEqual({ sources: [], rejected: 0 });
    },
  );

  it('keeps fields with any name', () => {
    const { fields } = readRecord({ body: text('x'), attributes: attributes({ constructor: text('a') }) });
    expect(fields).toEqual({ constructor: 'a' });
    const own =
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"},"attributes":[{"key":"__proto__","value":{"stringValue":"b"}}]}]}]}]}';
    const line = readOtlp(Buffer.from(own), 'json', NOW).sources[0]?.lines[0];
    expect(Object.entries(line?.fields ?? {})).toEqual([['__proto__', 'b']]);
  });
});

describe('OTLP in protobuf', () => {
  const tag = (number: number, type = WireType.LengthDelimited) => (number << 3) | type;
  const message = (number: number, ...bytes: number[]) => [tag(number), bytes.length, ...bytes];
  const utf8 = (value: string) => [...Buffer.from(value)];

  it('skips unknown fields', () => {
    const record = [
      ...[tag(99 & 15, WireType.Varint), 5],
      ...[tag(2, WireType.LengthDelimited), 1, 65],
      ...message(5, ...message(1, ...utf8('hello'))),
    ];
    const bytes = Buffer.from(message(1, ...message(2, ...message(2, ...record)), ...message(3, ...utf8('url'))));
    expect(readOtlp(bytes, 'protobuf', NOW)).toMatchObject({ sources: [{ lines: [{ log: 'hello', level: 4 }] }] });
  });

  it.each([
    ['cut short', Buffer.from(message(1, 1, 2, 3)).subarray(0, 3)],
    ['no protobuf', Buffer.from('hello')],
    ['a message longer than what holds it', Buffer.from(message(1, tag(2), 100))],
    ['a group', Buffer.from([tag(7, WireType.StartGroup), tag(7, WireType.EndGroup)])],
    ['a tag of nothing', Buffer.from([0])],
  ])('is refused if it is %s', (_name, bytes) => {
    expect(() => readOtlp(bytes, 'protobuf', NOW)).toThrow('not an OTLP request in protobuf');
  });

  it('is refused when it nests too deep', () => {
    let value = new BinaryWriter().tag(1, WireType.LengthDelimited).string('x').finish();
    const wrap = (number: number, bytes: Uint8Array) =>
      new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish();
    for (let i = 0; i < 5_000; i += 1) value = wrap(5, wrap(1, value));
    const bytes = wrap(1, wrap(2, wrap(2, wrap(5, value))));
    expect(() => readOtlp(bytes, 'protobuf', NOW)).toThrow('not an OTLP request in protobuf');
  });

  it.each([
    ['records', [0x12, 0], 'at most 10 records'],
    ['unknown fields', [0x78, 1], 'more than 100 values'],
    ['values of an unknown length', [0x7a, 0], 'more than 100 values'],
  ])('is refused at the first of too many %s', (_name, unit, message) => {
    // The bytes after them are not protobuf and are not read.
    const content = [...Array.from({ length: 101 }, () => unit).flat(), 0, 0];
    const bytes = new BinaryWriter().tag(2, WireType.LengthDelimited).bytes(Uint8Array.from(content)).finish();
    const request = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(bytes).finish();
    expect(() => readOtlpProtobuf(request, { records: 10, values: 100 })).toThrow(message);
  });

  it('is read or refused for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(readOtlpProtobuf(bytes, { records: 100, values: 100 })).toBeTypeOf('object');
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(TypeError);
        }
      }),
    );
  });

  it('reports the rejected records in the answer', () => {
    expect([...writeOtlpProtobuf(0, '')]).toEqual([]);
    expect([...writeOtlpProtobuf(0, 'no')]).toEqual(message(1, ...message(2, ...utf8('no'))));
    expect([...writeOtlpProtobuf(2, 'no')]).toEqual(
      message(1, tag(1, WireType.Varint), 2, ...message(2, ...utf8('no'))),
    );
  });
});
