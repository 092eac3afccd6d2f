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

  it('reads the name of each level, and none as 0', () => {
    const names = ['', 'emerg', 'alert', 'crit', 'error', 'warn', 'notice', 'info', 'debug'];
    const read = names.map((name) => parseNginx(`2026/11/20 09:00:00 [${name}] 1#1: text`, NOW)?.level);
    expect(read).toEqual([...names.keys()]);
    expect(parseNginx('2026/11/20 09:00:00 [stderr] 1#1: text', NOW)).toMatchObject({ level: 0, log: 'text' });
  });

  it.each([
    ['no connection number', '2026/11/20 09:00:00 [notice] 1#0: reconfiguring', 6, 'reconfiguring'],
    ['a star before no connection number', '2026/11/20 09:00:00 [notice] 1#0: *foo bar', 6, '*foo bar'],
    ['a star and a number as its text', '2026/11/20 09:00:00 [notice] 1#0: *12', 6, '*12'],
    ['no process number', '2026/11/20 09:00:00 [warn] low on space', 5, 'low on space'],
    ['a number as its text', '2026/11/20 09:00:00 [warn] 12 files', 5, '12 files'],
    ['the form of the start', 'nginx: [emerg] bind() to 0.0.0.0:80 failed', 1, 'bind() to 0.0.0.0:80 failed'],
    ['nothing after its head', '2026/11/20 09:00:00 [error] 1#1: ', 4, '2026/11/20 09:00:00 [error] 1#1: '],
  ])('reads a line with %s', (_, text, level, log) => {
    expect(read(text)).toMatchObject({ level, log });
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

  it.each([
    ['of receipt, where the zone of the sender is not known', '2020/01/01 00:00:00', undefined, NOW],
    ['in the line, where the zone is known', '2026/11/20 09:00:00', 60, Date.UTC(2026, 10, 20, 8) / 1000],
    ['of receipt, where that in the line is more than a day ahead', '2027/11/20 09:00:00', 0, NOW],
    ['of receipt, where that in the line is none', '2xx6/11/20 09:00:00', 0, NOW],
  ])('has the time %s', (_, time, zone, logTime) => {
    expect(parseNginx(`${time} [error] 1#1: text`, NOW, zone)?.logTime).toBe(logTime);
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
