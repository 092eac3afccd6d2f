import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { LEVELS } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { readLoki } from './loki.ts';

const NOW = 1_795_810_000;
const NANOS = `${NOW - 5}123456789`;
const level = (name: string) => LEVELS.indexOf(name as (typeof LEVELS)[number]);
const json = (body: unknown) => readLoki(Buffer.from(JSON.stringify(body)), 'json', NOW);
const one = (stream: object, ...values: unknown[][]) => json({ streams: [{ stream, values }] });

describe('a push request of Loki in JSON', () => {
  it('has service, host, level, time and fields of its labels and metadata', () => {
    const stream = { service_name: 'shop', host: 'web1', level: 'warn', env: 'prod' };
    expect(one(stream, [NANOS, 'slow', { trace_id: 'abc' }]).lines).toEqual([
      expect.objectContaining({ level: level('WARN'), log: 'slow', logTime: NOW - 5, service: 'shop', host: 'web1' }),
    ]);
    expect(one(stream, [NANOS, 'slow', { trace_id: 'abc' }]).lines[0]?.fields).toMatchObject({
      env: 'prod',
      trace_id: 'abc',
    });
  });

  it.each([
    [{ app: 'shop', job: 'x' }, 'shop'],
    [{ service_name: 'unknown_service', job: 'nginx' }, 'nginx'],
    [{ job: 'nginx' }, 'nginx'],
    [{ env: 'prod' }, undefined],
  ])('takes the service of %j', (stream, service) => {
    expect(one(stream, [NANOS, 'x']).lines[0]?.service).toBe(service);
  });

  it.each([
    [{ level: 'info' }, { detected_level: 'error' }, 'plain', 'INFO'],
    [{}, { detected_level: 'error' }, 'plain', 'ERROR'],
    [{ level: 'unknown' }, {}, '2026/11/27 10:00:00 [crit] 1#1: *2 bind() failed', 'CRIT'],
    [{}, {}, '{"level":"warn","msg":"low"}', 'WARN'],
    [{}, {}, 'nothing known', 'INFO'],
  ])('takes the level of %j, %j and %s', (stream, metadata, text, name) => {
    expect(one(stream, [NANOS, text, metadata]).lines[0]?.level).toBe(level(name));
  });

  it('reads members of a JSON text, and keeps a time that is too far off as a field', () => {
    const { lines } = one({}, ['1000000000', '{"msg":"hello","code":7}']);
    expect(lines[0]).toMatchObject({ log: 'hello', logTime: NOW });
    expect(lines[0]?.fields).toMatchObject({ code: '7', stamp: '1970-01-01T00:00:01.000Z' });
  });

  it('has the form of its first versions', () => {
    const entries = [{ ts: new Date((NOW - 60) * 1_000).toISOString(), line: 'old' }];
    expect(json({ streams: [{ labels: '{job="a\\"b", app=`c`}', entries }] }).lines).toEqual([
      expect.objectContaining({ log: 'old', logTime: NOW - 60, service: 'c', fields: { job: 'a"b', app: 'c' } }),
    ]);
  });

  it('names entries without text by their place, and keeps the others', () => {
    const { lines, refused } = one({}, [NANOS, 'a'], [NANOS, ' '], [NANOS, 5], [NANOS, 'b']);
    expect([lines.map(({ log }) => log), refused.map(({ index }) => index)]).toEqual([
      ['a', 'b'],
      [1, 2],
    ]);
  });

  it.each([[[]], [{}], [{ streams: 5 }], ['x']])('is refused as %j', (body) => {
    expect(() => json(body)).toThrow('not a push request');
  });

  it('reads labels of any kind and length', () => {
    const strange = [{ a: { toString: 5 } }, { a: null }, { a: [1] }, { __proto__: 'x' }, 'text', null, 7];
    for (const stream of strange) expect(json({ streams: [{ stream, values: [[NANOS, 'x']] }] }).lines).toHaveLength(1);
    for (const labels of ['a'.repeat(4_000_000), `{a="${'\\\\'.repeat(1_000_000)}`, '{', '}', '{a=}', '{,,,}'])
      expect(json({ streams: [{ labels, entries: [{ line: 'x' }] }] }).lines[0]?.fields).toBeUndefined();
  });

  it('has at most 10,000 entries', () => {
    const values = Array.from({ length: 10_001 }, () => [NANOS, 'x']);
    expect(one({}, ...values).tooMany).toBe(true);
  });
});

describe('a push request of Loki in protobuf', () => {
  const message = (number: number, bytes: Uint8Array) =>
    new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes);
  const text = (number: number, value: string) => message(number, Buffer.from(value)).finish();
  const join = (...parts: Uint8Array[]) => Buffer.concat(parts);

  it('has labels, entries and their metadata', () => {
    const stamp = message(
      1,
      new BinaryWriter()
        .tag(1, WireType.Varint)
        .int64(NOW - 7)
        .finish(),
    ).finish();
    const metadata = message(3, join(text(1, 'pod'), text(2, 'web-1'))).finish();
    const entry = message(2, join(stamp, text(2, 'failed: error'), metadata)).finish();
    const push = message(1, join(text(1, '{job="cron", instance="h1"}'), entry)).finish();
    expect(readLoki(push, 'protobuf', NOW).lines).toEqual([
      expect.objectContaining({
        log: 'failed: error',
        logTime: NOW - 7,
        service: 'cron',
        host: 'h1',
        fields: { pod: 'web-1', job: 'cron', instance: 'h1' },
      }),
    ]);
  });

  it('is refused where it is something else', () => {
    expect(() => readLoki(Buffer.from('not protobuf at all'), 'protobuf', NOW)).toThrow('not a push request');
  });
});
