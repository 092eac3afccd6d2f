import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { readIntakeJson, readIntakeNdjson } from '../../test/read-lines.ts';

const NOW = 1_795_173_996;
const DAY = 86_400;

function one(fields: object) {
  return readIntakeJson({ level: 4, log: 'x', ...fields }, NOW);
}

function message(fields: object): string | undefined {
  const { lines, refused } = one(fields);
  return lines.length === 0 ? refused[0]?.message : undefined;
}

describe('readIntakeJson of a notification of Alertmanager', () => {
  const alert = {
    status: 'firing',
    labels: { alertname: 'DiskFull', instance: 'web1:9100', job: 'node', severity: 'critical' },
    annotations: { summary: 'Disk is full' },
    startsAt: '2026-11-26T20:30:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    fingerprint: 'c1',
  };
  const linesOf = (...alerts: unknown[]) => readIntakeJson({ receiver: 'r', status: 'firing', alerts }, NOW);
  const line = { level: 3, log: 'DiskFull: Disk is full', host: 'web1', service: 'node', logTime: NOW };

  it.each<[string, object, object]>([
    ['an alert that fires', {}, line],
    ['one that ends', { status: 'resolved' }, { level: 7, log: 'Resolved: DiskFull: Disk is full' }],
    ['a severity of pages', { labels: { ...alert.labels, severity: 'page' } }, { level: 3 }],
    ['a severity of its own', { labels: { ...alert.labels, severity: 'P1' } }, { level: 4 }],
    ['no texts', { annotations: {} }, { log: 'DiskFull' }],
    ['no labels', { labels: null, annotations: 'x' }, { level: 4, log: 'Alert' }],
    [
      'labels of another type',
      { labels: { alertname: 5, instance: [], severity: {} } },
      { log: 'Alert: Disk is full' },
    ],
  ])('reads %s', (_, changes, expected) => {
    expect(linesOf({ ...alert, ...changes }).lines[0]).toMatchObject(expected);
  });

  it('reads each alert, and names those that are none', () => {
    const { lines, refused } = linesOf(alert, 5, alert);
    expect(lines).toHaveLength(2);
    expect(refused).toEqual([{ index: 1, message: 'must be a JSON object' }]);
    expect(lines[0]?.fields).toMatchObject({ ...alert.labels, receiver: 'r', starts_at: alert.startsAt, alert: 'c1' });
  });

  it('takes an object with a message for a line', () => {
    expect(readIntakeJson({ level: 4, log: 'x', receiver: 'r', status: 'firing', alerts: [] }, NOW).lines).toHaveLength(
      1,
    );
  });
});

describe('readIntakeJson', () => {
  it('fills in missing fields', () => {
    expect(readIntakeJson([{ level: 'ERROR', log: 'x' }], NOW)).toEqual({
      lines: [{ level: 4, log: 'x', logTime: NOW, appId: 0, reqId: '', count: 1, nodeType: 0, nodeId: -1 }],
      refused: [],
      tooMany: false,
    });
  });

  it('reads every field', () => {
    const line = { level: 0, log: 'x', log_time: 5, app_id: 7, req_id: 'r', node_type: 2, node_id: 0, count: 9 };
    expect(readIntakeJson(line, NOW).lines).toEqual([
      { level: 0, log: 'x', logTime: 5, appId: 7, reqId: 'r', count: 9, nodeType: 2, nodeId: 0 },
    ]);
  });

  it('treats null as absent', () => {
    const nulls = { log_time: null, app_id: null, req_id: null, node_type: null, node_id: null, count: null };
    expect(one(nulls)).toEqual(one({}));
  });

  it('makes fields of `fields` and of unknown members', () => {
    const fields = { colour: 'red', tries: 3, done: false, at: { line: 5, file: 'a.c' } };
    const unknown = { user: 'ann', nested: { a: [1, 'x'], b: null }, none: null };
    const all = {
      ...{ colour: 'red', tries: '3', done: 'false', 'at.line': '5', 'at.file': 'a.c' },
      ...{ user: 'ann', 'nested.a': '[1,"x"]' },
    };
    expect(one({ fields, ...unknown })).toEqual({
      ...one({}),
      lines: [{ ...one({}).lines[0], fields: all }],
    });
    expect(one({ fields: null, host: null, service: null })).toEqual(one({}));
  });

  it('reads host and service as clean names', () => {
    const named = (names: object) => one(names).lines[0];
    expect(named({ host: ' web\u00001\n', service: 'shop' })).toMatchObject({ host: 'web 1', service: 'shop' });
    expect(named({ host: '\t', service: '' })).toEqual(one({}).lines[0]);
    expect(named({ host: { name: 'web1' }, 'service.name': 'shop' })).toMatchObject({
      host: 'web1',
      service: 'shop',
      fields: { 'host.name': 'web1', 'service.name': 'shop' },
    });
  });

  it.each([
    [
      'pino',
      {
        ...{ level: 50, time: NOW * 1000 - 5_000, pid: 12, hostname: 'web1', reqId: 'r-1', msg: 'order failed' },
        err: { type: 'TypeError', message: 'no stock', stack: 'TypeError: no stock\n    at buy (/app/buy.js:3:7)' },
      },
      {
        ...{ level: 4, logTime: NOW - 5, host: 'web1', reqId: 'r-1' },
        log: 'order failed\nTypeError: no stock\n    at buy (/app/buy.js:3:7)',
        fields: { pid: '12', hostname: 'web1', 'err.type': 'TypeError' },
      },
    ],
    [
      'winston',
      { level: 'warn', message: 'slow', timestamp: '2026-11-20T09:00:00.123Z', service: 'shop', app_id: 7, count: 2 },
      {
        level: 5,
        log: 'slow',
        logTime: 1_795_165_200,
        service: 'shop',
        appId: 7,
        count: 2,
        fields: { service: 'shop' },
      },
    ],
  ])('reads a line of %s', (_, line, expected) => {
    expect(readIntakeJson(line, NOW).lines).toMatchObject([expected]);
    expect(readIntakeJson({ ...line, log_time: 5, req_id: 'own' }, NOW).lines).toMatchObject([
      { ...expected, logTime: 5, reqId: 'own' },
    ]);
    expect(readIntakeJson({ ...line, log: 'own' }, NOW).lines.map(({ log }) => log)).toEqual(
      typeof line.level === 'string' ? ['own'] : [],
    );
  });

  it('names what of a line it cannot keep', () => {
    const good = { level: 4, log: 'x' };
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`k${i}`, i]));
    const lines = [good, 7, { ...good, fields: many }, { ...good, host: 'h'.repeat(300), long: 'x'.repeat(5_000) }];
    const read = readIntakeJson(lines, NOW);
    expect(read.lines[2]?.host).toBe('h'.repeat(255));
    expect(read).toMatchObject({
      warnings: [
        { index: 2, fields: ['k128', 'k129'], message: 'The line has more than 128 fields' },
        { index: 3, fields: ['host'], message: 'The name is cut after 255 characters' },
        { index: 3, fields: ['long'], message: 'The value is cut after 4096 characters' },
      ],
      warned: 2,
    });
    const all = readIntakeJson(Array(1_000).fill({ ...good, [`n${'n'.repeat(200)}`]: 1 }), NOW);
    expect([all.warnings?.length, all.warned]).toEqual([100, 1_000]);
  });

  it('reads levels by name', () => {
    const levels = {
      ...{ stderr: 0, Emerg: 1, emergency: 1, ALERT: 2, critical: 3, err: 4, Error: 4, warning: 5, WARN: 5 },
      ...{ notice: 6, info: 7, debug: 8, verbose: 8 },
    };
    const read = Object.keys(levels).map((level) => [level, one({ level }).lines[0]?.level]);
    expect(Object.fromEntries(read)).toEqual(levels);
  });

  const WRONG = {
    level: [9, -1, 1.5, '4', 'loud', null, undefined, true],
    log: ['', ' \n', 5, null],
    log_time: [-1, 1.5, '5', NOW + DAY + 1, Number.NaN],
    app_id: [-1, 2 ** 31, '1'],
    req_id: ['a'.repeat(129), 1.5, {}],
    node_type: [3, '1'],
    node_id: [-1, 2 ** 31, 'edge'],
    count: [0, 1_000_000_001, '2'],
    host: [5, ['web1']],
    service: [true],
    fields: ['x', [1]],
  };
  it.each(nonEmpty(Object.entries(WRONG)))('refuses a line with a wrong %s, and names the field', (field, values) => {
    for (const value of nonEmpty(values)) expect(message({ [field]: value }), String(value)).toMatch(`${field}: `);
  });

  it('names milliseconds as the likely mistake', () => {
    expect(message({ log_time: NOW * 1000 })).toBe('log_time: must be in seconds; this looks like milliseconds');
  });

  it('accepts the limits of each range', () => {
    const edges = {
      log_time: NOW + DAY,
      app_id: 2 ** 31 - 1,
      req_id: 'a'.repeat(128),
      node_id: 2 ** 31 - 1,
      count: 1e9,
    };
    expect(one(edges).refused).toEqual([]);
    expect(one({ log_time: 0, req_id: 12 }).lines[0]).toMatchObject({ logTime: 0, reqId: '12' });
  });

  it('cleans and truncates the text', () => {
    expect(one({ log: 'a\0b\uD800' }).lines[0]?.log).toBe('a\uFFFDb\uFFFD');
    expect(one({ log: 'x'.repeat(20_000) }).lines[0]?.log).toMatch(/ \[cut: \d+ bytes\]$/);
    expect(one({ req_id: 'a\0b' }).lines[0]?.reqId).toBe('a\uFFFDb');
  });

  it('never throws for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const { lines, refused } = readIntakeJson(body, NOW);
        expect(lines.length + refused.length).toBe(Array.isArray(body) ? body.length : 1);
      }),
    );
  });
});

describe('readIntakeNdjson', () => {
  it('returns no line for an empty text', () => {
    expect(readIntakeNdjson('\n\n', NOW)).toEqual({ lines: [], refused: [], tooMany: false });
  });

  it('reads the same as JSON does', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (items) => {
        const text = items.map((item) => JSON.stringify(item)).join('\n');
        expect(readIntakeNdjson(text, NOW)).toEqual(readIntakeJson(JSON.parse(JSON.stringify(items)), NOW));
      }),
    );
  });
});
