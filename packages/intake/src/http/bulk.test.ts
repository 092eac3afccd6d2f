import { LEVELS } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { readBulk } from './bulk.ts';

const NOW = 1_795_810_000;
const level = (name: string) => LEVELS.indexOf(name as (typeof LEVELS)[number]);
const bulk = (lines: readonly unknown[], index = '') =>
  readBulk(
    Buffer.from(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')),
    index,
    NOW,
  );
const documentOf = (document: object) => bulk([{ create: {} }, document]).lines[0];

describe('a bulk request of Elasticsearch', () => {
  it('has an item for each action, in order', () => {
    const { lines, reply, refused } = bulk(
      [
        { index: { _index: 'app', _id: '1' } },
        { message: 'a' },
        { delete: { _id: '9' } },
        { update: { _id: '2' } },
        { doc: { message: 'b' } },
        { create: {} },
        'no JSON',
        '',
        { create: {} },
        { message: 'c' },
      ],
      'logs',
    );
    expect(lines.map(({ log }) => log)).toEqual(['a', 'c']);
    expect(refused.map(({ index }) => index)).toEqual([1, 2, 3]);
    const { errors, items } = JSON.parse(reply);
    expect(errors).toBe(true);
    expect(
      items
        .map((item: object) => Object.entries(item)[0])
        .map(([verb, { status, _index }]: [string, { status: number; _index: string }]) => [verb, status, _index]),
    ).toEqual([
      ['index', 201, 'app'],
      ['delete', 400, 'logs'],
      ['update', 400, 'logs'],
      ['create', 400, 'logs'],
      ['create', 201, 'logs'],
    ]);
    expect(items[2].update.error.reason).toContain('lines are only added');
  });

  it('reads a document of ECS', () => {
    const document = {
      '@timestamp': new Date((NOW - 30) * 1_000).toISOString(),
      message: 'connection refused',
      log: { level: 'error', file: { path: '/var/log/app.log' } },
      host: { name: 'web1' },
      service: { name: 'shop' },
      agent: { type: 'filebeat' },
    };
    expect(documentOf(document)).toMatchObject({
      level: level('ERROR'),
      log: 'connection refused',
      logTime: NOW - 30,
      host: 'web1',
      service: 'shop',
    });
    expect(documentOf(document)?.fields).toMatchObject({
      'agent.type': 'filebeat',
      'log.file.path': '/var/log/app.log',
    });
  });

  it.each([
    [{ log: 'of fluent bit', stream: 'stderr' }, 'of fluent bit', 'INFO'],
    [{ message: 'x', level: 'warning' }, 'x', 'WARN'],
    [{ message: 'ERROR: x' }, 'ERROR: x', 'ERROR'],
    [{ client: 'a', size: 5 }, '{"client":"a","size":5}', 'INFO'],
  ])('reads %j', (document, log, name) => {
    expect(documentOf(document)).toMatchObject({ log, level: level(name), logTime: NOW });
  });

  it('is recognized again where all documents have ids', () => {
    const once = [{ create: { _id: '1' } }, { message: 'a' }];
    expect(bulk(once).key).toBe(bulk(once).key);
    expect(bulk(once).key).not.toBe(bulk([{ create: { _id: '1' } }, { message: 'b' }]).key);
    expect(bulk([...once, { create: {} }, { message: 'b' }]).key).toBeUndefined();
  });

  it.each(['{}', '[]', '{"merge":{}}', '{"create":5}', 'x'])('is refused where %s is an action', (action) => {
    expect(() => bulk([action, { message: 'a' }])).toThrow('Line 1 of the body is not an action');
  });

  it('answers with short names, and passes over millions of blank lines', () => {
    const { reply } = bulk(['{"create":{}}', { m: 1 }], 'x'.repeat(15_000));
    expect(reply.length).toBeLessThan(500);
    expect(bulk(['\n'.repeat(4_000_000), '{"create":{}}', { m: 1 }]).lines).toHaveLength(1);
  });

  it('has at most 10,000 documents', () => {
    expect(bulk(Array.from({ length: 10_001 }, () => ['{"create":{}}', '{"m":1}']).flat()).tooMany).toBe(true);
  });
});
