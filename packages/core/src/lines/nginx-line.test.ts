import { describe, expect, it } from 'vitest';
import { parseNginx, readRequestId } from './nginx-line.ts';

const NOW = 1_795_173_996;

function read(text: string) {
  return parseNginx(text, NOW);
}

describe('parseNginx', () => {
  it('takes the level from the brackets and drops time, process and connection', () => {
    const text = '2026/11/20 09:00:00 [error] 1234#1234: *5 no live upstreams, client: 192.0.2.1, server: example.com';
    expect(read(text)).toEqual({
      level: 4,
      log: 'no live upstreams, client: 192.0.2.1, server: example.com',
      logTime: NOW,
      appId: 0,
      reqId: '',
      count: 1,
      fields: { pid: '1234', connection: '5', client: '192.0.2.1', server: 'example.com' },
    });
  });

  it.each([
    ['', 0],
    ['stderr', 0],
    ['emerg', 1],
    ['alert', 2],
    ['crit', 3],
    ['error', 4],
    ['warn', 5],
    ['notice', 6],
    ['info', 7],
    ['debug', 8],
  ])('reads [%s] as level %i', (name, level) => {
    expect(read(`2026/11/20 09:00:00 [${name}] 1#1: text`)).toMatchObject({ level, log: 'text' });
  });

  it('reads a line without a connection number', () => {
    expect(read('2026/11/20 09:00:00 [notice] 1#0: reconfiguring')?.log).toBe('reconfiguring');
  });

  it('keeps a star that is not a connection number', () => {
    expect(read('2026/11/20 09:00:00 [notice] 1#0: *foo bar')?.log).toBe('*foo bar');
    expect(read('2026/11/20 09:00:00 [notice] 1#0: *12')?.log).toBe('*12');
  });

  it('keeps everything after the level when the process number is missing', () => {
    expect(read('2026/11/20 09:00:00 [warn] low on space')).toMatchObject({ level: 5, log: 'low on space' });
    expect(read('2026/11/20 09:00:00 [warn] 12 files')).toMatchObject({ level: 5, log: '12 files' });
  });

  it('reads messages that nginx prints while it starts', () => {
    const text = 'nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)';
    expect(read(text)).toMatchObject({ level: 1, log: 'bind() to 0.0.0.0:80 failed (98: Address already in use)' });
  });

  it('keeps a line with nothing after its head', () => {
    expect(read('2026/11/20 09:00:00 [error] 1#1: ')).toMatchObject({
      level: 4,
      log: '2026/11/20 09:00:00 [error] 1#1: ',
    });
  });

  it('keeps the further lines of a Lua traceback', () => {
    const text =
      '2026/11/20 09:00:00 [error] 1#1: *2 lua entry thread aborted: boom\nstack traceback:\n\t[C]: in error';
    expect(read(text)?.log).toBe('lua entry thread aborted: boom\nstack traceback:\n\t[C]: in error');
  });

  it.each([
    '',
    'hello',
    '2026/11/20 09:00:00 [fatal] 1#1: text',
    '2026-11-20 09:00:00 [error] 1#1: text',
    '2026/11/20 09:00:00 error 1#1: text',
    'nginx: [none] text',
    '2026/11/20',
    '2026/11/20 09:00:00 [',
  ])('rejects %j, which is not an nginx line', (text) => {
    expect(read(text)).toBeNull();
  });

  it('uses the time of receipt, since the time in the line names no zone', () => {
    expect(read('2020/01/01 00:00:00 [error] 1#1: text')?.logTime).toBe(NOW);
  });

  it('uses the time in the line when the zone of the sender is known', () => {
    const text = '2026/11/20 09:00:00 [error] 1#1: text';
    const sent = Date.UTC(2026, 10, 20, 8) / 1000;
    expect(parseNginx(text, NOW, 60)?.logTime).toBe(sent);
  });

  it('ignores a time more than a day ahead', () => {
    expect(parseNginx('2027/11/20 09:00:00 [error] 1#1: text', NOW, 0)?.logTime).toBe(NOW);
    expect(parseNginx('2xx6/11/20 09:00:00 [error] 1#1: text', NOW, 0)).toMatchObject({ logTime: NOW });
  });
});

describe('readRequestId', () => {
  const context = 'x failed, client: 192.0.2.1, server: a, request: "GET / HTTP/1.1", host: "a"';

  it.each([
    [`${context}, request_id: "0123456789abcdef01234567"`, '0123456789abcdef01234567'],
    [`${context}, request_id: 0123456789abcdef0123456789abcdef`, '0123456789abcdef0123456789abcdef'],
    [`${context}, req_id: "a-b_c.1"`, 'a-b_c.1'],
    [`request_id: "abc", ${context}`, 'abc'],
    [`${context}, request_id: "-"`, ''],
    [`${context}, request_id: ""`, ''],
    [`${context}, request_id: "${'a'.repeat(129)}"`, ''],
    [`${context}, other_id: "abc"`, ''],
    [context, ''],
  ])('finds the id in %j', (text, id) => {
    expect(readRequestId(text)).toBe(id);
  });

  it('prefers the one nginx appends to one a client has put into its request', () => {
    const text = 'x, request: "GET /, request_id: "forged" HTTP/1.1", host: "a", request_id: "real", trace_id: "t"';
    expect(readRequestId(text)).toBe('real');
  });

  it('finds none before the message', () => {
    expect(readRequestId('request_id: "abc" text', 20)).toBe('');
  });
});
