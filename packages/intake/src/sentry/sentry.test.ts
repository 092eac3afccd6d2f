import { describe, expect, it } from 'vitest';
import type { Reading } from './reading.ts';
import { readSentryEnvelope, readSentryStore } from './sentry.ts';

const NOW = 1_790_000_000;
const ID = 'fc6d8c0c43fc4630ad850ee518f1b9d0';
const READING: Reading = { project: '17', nowS: NOW, userIp: undefined };

type Part = readonly [header: object, payload: object | string | Uint8Array];

/** An envelope whose items have lengths, as SDKs send them. */
function envelope(header: object, ...items: readonly Part[]): Buffer {
  const parts = items.flatMap(([head, payload]) => {
    const bytes = Buffer.from(
      payload instanceof Uint8Array || typeof payload === 'string' ? payload : JSON.stringify(payload),
    );
    return [Buffer.from(`${JSON.stringify({ ...head, length: bytes.length })}\n`), bytes, Buffer.from('\n')];
  });
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...parts]);
}

const lineOf = (event: object, reading = READING) => {
  const { lines } = readSentryStore(Buffer.from(JSON.stringify(event)), reading);
  expect(lines).toHaveLength(1);
  return lines[0] as (typeof lines)[number];
};

describe('readSentryEnvelope', () => {
  it('reads events and logs, and counts everything else by its type', () => {
    const bytes = envelope(
      { event_id: ID },
      [{ type: 'event' }, { event_id: ID, message: 'a' }],
      [{ type: 'attachment', filename: 'x' }, new Uint8Array([0x7b, 0x0a, 0x0a, 0xff])],
      [{ type: 'session' }, {}],
      [{ type: 'session' }, {}],
      [
        { type: 'log' },
        {
          items: [
            { body: 'b', level: 'warn' },
            { body: 'c', severity_number: 17 },
          ],
        },
      ],
      [{ type: 'made_up_2' }, 'x'],
      [{ type: 'No Type!' }, 'x'],
    );
    const { lines, omitted, reply, refused } = readSentryEnvelope(bytes, READING);
    expect(lines.map(({ log, level, service }) => [log, level, service])).toEqual([
      ['a', 4, '17'],
      ['b', 5, '17'],
      ['c', 4, '17'],
    ]);
    expect(omitted).toEqual({ attachment: 1, session: 2, made_up_2: 1, unknown: 1 });
    expect([reply, refused]).toEqual([`{"id":"${ID}"}`, []]);
  });

  it('reads items without a length, and an envelope with nothing to store', () => {
    const text = '{}\n{"type":"event"}\n{"message":"a"}\n\n{"type":"client_report"}\n{"x":1}';
    expect(readSentryEnvelope(Buffer.from(text), READING)).toMatchObject({
      lines: [{ log: 'a' }],
      omitted: { client_report: 1 },
      key: undefined,
    });
    expect(readSentryEnvelope(Buffer.from('{}'), READING)).toMatchObject({ lines: [], refused: [], reply: '{}' });
  });

  it('knows a repeated event by its id, in any project only there', () => {
    const keyOf = (sentAt: string, project = '17') =>
      readSentryEnvelope(envelope({ sent_at: sentAt }, [{ type: 'event' }, { event_id: ID, message: 'a' }]), {
        ...READING,
        project,
      }).key;
    expect(keyOf('1')).toBe(keyOf('2'));
    expect(keyOf('1')).not.toBe(keyOf('1', '18'));
  });

  it.each([
    ['no JSON', 'hello'],
    ['no object', '[]\n'],
    ['an item without a header', '{}\nhello\nx'],
    ['an item that is too short', '{}\n{"type":"event","length":100}\n{}'],
    ['a length that is none', '{}\n{"type":"event","length":-1}\n{}'],
    ['an event that is no JSON', '{}\n{"type":"event"}\n{"message"'],
  ])('refuses %s', (_name, text) => {
    expect(() => readSentryEnvelope(Buffer.from(text), READING)).toThrow(/^The body is not/);
  });

  it('refuses more items and more lines than fit', () => {
    const many = '{"type":"x"}\n\n'.repeat(1_001);
    expect(() => readSentryEnvelope(Buffer.from(`{}\n${many}`), READING)).toThrow('at most 1000 items');
    const items = Array.from({ length: 10_001 }, () => ({ body: 'x' }));
    expect(readSentryEnvelope(envelope({}, [{ type: 'log' }, { items }]), READING).tooMany).toBe(true);
  });

  it('refuses items that are no objects, and logs without a body, one by one', () => {
    const bytes = envelope({}, [{ type: 'event' }, '7'], [{ type: 'log' }, { items: [{}, 3, { body: 'x' }] }]);
    const { lines, refused } = readSentryEnvelope(bytes, READING);
    expect([lines.length, refused.map(({ index }) => index)]).toEqual([1, [0, 1, 2]]);
  });

  it('reads attributes of logs as fields, without the addresses of people', () => {
    const attributes = {
      'sentry.release': { value: 'shop@1', type: 'string' },
      'sentry.environment': { value: 'prod', type: 'string' },
      'sentry.sdk.name': { value: 'x', type: 'string' },
      'server.address': { value: 'web1', type: 'string' },
      'service.name': { value: 'shop', type: 'string' },
      'user.email': { value: 'a@example.com', type: 'string' },
      'user.ip_address': { value: '192.0.2.1', type: 'string' },
      total: { value: 7.5, type: 'double' },
    };
    const bytes = envelope({}, [
      { type: 'log' },
      { items: [{ body: 'x', trace_id: ID, timestamp: NOW - 9.5, attributes }] },
    ]);
    const { lines, releases } = readSentryEnvelope(bytes, READING);
    expect(lines[0]).toMatchObject({ host: 'web1', service: 'shop', reqId: ID, logTime: NOW - 10, level: 7 });
    expect(lines[0]?.fields).toEqual({ trace_id: ID, release: 'shop@1', environment: 'prod', total: '7.5' });
    expect(releases).toEqual([{ service: 'shop', environment: 'prod', release: 'shop@1', host: 'web1' }]);
  });
});

describe('an event', () => {
  it('becomes a line with its host, service, request and fields', () => {
    const line = lineOf({
      event_id: 'FC6D8C0C-43FC-4630-AD85-0EE518F1B9D0',
      timestamp: '2026-09-21T14:13:20.5Z',
      level: 'fatal',
      server_name: 'web1',
      environment: 'prod',
      release: 'shop@1.4.2',
      transaction: '/cart',
      tags: [
        ['service', 'shop'],
        ['request_id', 'r-1'],
        ['tenant', 'acme'],
      ],
      user: { id: 42, username: 'ada', email: 'ada@example.com', ip_address: '192.0.2.7' },
      request: { method: 'POST', url: 'https://me:secret@shop.example/cart?card=4111#x', headers: { Cookie: 's' } },
      contexts: { runtime: { name: 'node', version: 'v24' }, trace: { trace_id: ID, span_id: 'b0e6f15b45c36b12' } },
      logentry: { message: 'order %s of %s failed', params: ['7', { id: 1 }] },
      breadcrumbs: [
        { timestamp: NOW, category: 'http', data: { method: 'GET', url: '/cart?token=s', status_code: 500 } },
      ],
      extra: { retries: 3, cart: { items: ['a'] } },
    });
    expect(line).toMatchObject({ level: 3, host: 'web1', service: 'shop', reqId: 'r-1', logTime: NOW });
    expect(line.log).toBe('order 7 of {"id":1} failed');
    expect(line.fields).toEqual({
      event_id: ID,
      environment: 'prod',
      release: 'shop@1.4.2',
      transaction: '/cart',
      request_id: 'r-1',
      tenant: 'acme',
      'user.id': '42',
      'user.name': 'ada',
      'request.method': 'POST',
      'request.url': 'https://shop.example/cart',
      trace_id: ID,
      span_id: 'b0e6f15b45c36b12',
      runtime: 'node v24',
      breadcrumbs: '2026-09-21T14:13:20.000Z http GET /cart 500',
      retries: '3',
      'cart.items': '["a"]',
    });
  });

  it('keeps the address of a user only where it is asked for', () => {
    const user = { ip_address: '192.0.2.7' };
    expect(lineOf({ message: 'x', user }).fields).toBeUndefined();
    const asked = { ...READING, userIp: '198.51.100.1' };
    expect(lineOf({ message: 'x', user }, asked).fields).toEqual({ 'user.ip': '192.0.2.7' });
    expect(lineOf({ message: 'x', user: { ip_address: '{{auto}}' } }, asked).fields).toEqual({
      'user.ip': '198.51.100.1',
    });
  });

  it('has its message above the errors, unless they contain it', () => {
    const exception = { values: [{ type: 'E', value: 'disk full' }] };
    expect(lineOf({ message: 'backup failed', exception }).log).toBe('backup failed\nE: disk full');
    expect(lineOf({ message: 'disk full', exception }).log).toBe('E: disk full');
  });

  it('is stored without a message or a plausible time', () => {
    expect(lineOf({ transaction: '/cart' }).log).toBe('/cart');
    expect(lineOf({ timestamp: 7 })).toMatchObject({ log: 'event without a message', logTime: NOW, level: 4 });
    expect(lineOf({ timestamp: 7 }).fields).toEqual({ stamp: '7' });
  });

  it('keeps the newest breadcrumbs within the bound of a field', () => {
    const values = Array.from({ length: 1_000 }, (_, i) => ({ message: `crumb ${i} ${'x'.repeat(500)}` }));
    const crumbs = lineOf({ message: 'x', breadcrumbs: { values } }).fields?.['breadcrumbs'] ?? '';
    expect(crumbs.length).toBeLessThanOrEqual(4_096);
    expect(crumbs.split('\n').at(-1)).toContain('crumb 999 ');
  });

  it('has the fingerprint that its program chose', () => {
    const chosenOf = (fingerprint: unknown) =>
      readSentryStore(Buffer.from(JSON.stringify({ message: 'x', fingerprint })), READING).chosen[0];
    expect(chosenOf(['payment', 7, '{{default}}'])).toEqual(['payment', '7', '{{ default }}']);
    for (const usual of [undefined, [], ['{{ default }}'], 'text', [{}]]) expect(chosenOf(usual)).toBeUndefined();
  });

  it('of any shape is read or refused, never an error of ours', () => {
    const odd = [null, 1, 'x', [], {}, [[]], { values: {} }, [{ a: 1 }], '\ud800\0'];
    const names = ['message', 'logentry', 'exception', 'tags', 'user', 'contexts', 'breadcrumbs', 'extra', 'level'];
    const more = ['timestamp', 'server_name', 'request', 'sdk', 'fingerprint', 'event_id', 'release', 'platform'];
    for (const name of [...names, ...more]) for (const value of odd) expect(lineOf({ [name]: value }).log).not.toBe('');
  });
});
