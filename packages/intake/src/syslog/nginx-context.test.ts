import { type LineFields, parseNginx } from '@quarterdeck/core/lines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSyslog } from './syslog-line.ts';

const HEAD = '2026/11/20 09:00:00 [error] 1234#1234: *5 ';
const CONTEXT = 'client: 192.0.2.1, server: example.com';
const fieldsOf = (text: string): LineFields => parseNginx(text, 0)?.fields ?? {};

describe('the fields of an nginx line', () => {
  it('include process, connection and every part of the context', () => {
    const text = `${HEAD}upstream timed out (110: Connection timed out) while connecting to upstream, ${CONTEXT}, request: "GET /a?b=c HTTP/1.1", subrequest: "/auth", upstream: "http://10.0.0.1:80/a", host: "example.com", referrer: "http://example.com/x"`;
    expect(fieldsOf(text)).toEqual({
      pid: '1234',
      connection: '5',
      client: '192.0.2.1',
      server: 'example.com',
      request: 'GET /a?b=c HTTP/1.1',
      subrequest: '/auth',
      upstream: 'http://10.0.0.1:80/a',
      host: 'example.com',
      referrer: 'http://example.com/x',
    });
  });

  it('do not change the message', () => {
    const text = `no live upstreams, ${CONTEXT}, request: "GET / HTTP/1.1"`;
    expect(parseNginx(HEAD + text, 0)?.log).toBe(text);
  });

  it('are read from a line received by syslog', () => {
    const bytes = Buffer.from(`<187>Nov 20 09:00:00 gw1 nginx: ${HEAD}x failed, ${CONTEXT}, host: "a"`);
    const fields = { pid: '1234', connection: '5', client: '192.0.2.1', server: 'example.com', host: 'a' };
    expect({ ...parseSyslog(bytes, Date.UTC(2026, 10, 20, 9) / 1000)?.fields }).toEqual(fields);
    expect(parseSyslog(Buffer.from('<11>app: x, client: 192.0.2.1'), 0)?.fields).toBeUndefined();
  });

  it.each([
    ['a thread of its own', '2026/11/20 09:00:00 [notice] 12#13: x', { pid: '12', tid: '13' }],
    ['no thread', '2026/11/20 09:00:00 [notice] 12#0: x', { pid: '12' }],
    ['no process', '2026/11/20 09:00:00 [notice] x', {}],
    ['nothing but a start', 'nginx: [emerg] bind() to 0.0.0.0:80 failed', {}],
    ['an IPv6 client', `${HEAD}x, client: 2001:db8::1, server: _`, { client: '2001:db8::1', server: '_' }],
    ['a client behind a socket', `${HEAD}x, client: unix:, server: a`, { client: 'unix:', server: 'a' }],
    ['an empty server', `${HEAD}x, client: ::1, server: , request: "G"`, { client: '::1', request: 'G' }],
    ['a mail session', `${HEAD}x, client: ::1, server: 0.0.0.0:110, login: "bob"`, { login: 'bob' }],
    ['an id, quoted', `${HEAD}x, ${CONTEXT}, host: "a", request_id: "ab12"`, { host: 'a', request_id: 'ab12' }],
    ['an id, bare', `${HEAD}x, ${CONTEXT}, host: "a", req_id: ab12`, { host: 'a', request_id: 'ab12' }],
    ['a line break at the end', `${HEAD}x, ${CONTEXT}, host: "a"\r\n`, { host: 'a' }],
  ])('include %s', (_name, text, fields) => {
    expect(fieldsOf(text)).toMatchObject(fields);
  });

  it.each([
    ['a quote in the request', 'request: "GET /"a" HTTP/1.1", host: "x"', { request: 'GET /"a" HTTP/1.1', host: 'x' }],
    ['a comma in the request', 'request: "GET /a, b: c", host: "x"', { request: 'GET /a, b: c', host: 'x' }],
    ['no request line at all', 'request: "", host: "x"', { host: 'x' }],
    ['a quote at the end', 'referrer: "http://x/""', { referrer: 'http://x/"' }],
    ['a quoted comma', 'referrer: "a", b", host: "x"', { referrer: 'a", b', host: 'x' }],
  ])('tolerate %s', (_name, rest, fields) => {
    const all = fieldsOf(`${HEAD}x, ${CONTEXT}, ${rest}`);
    expect(all).toMatchObject({ client: '192.0.2.1', server: 'example.com', ...fields });
  });

  it('begin outside the quotes of the message', () => {
    const path = '/var/www/x, client: 203.0.113.9, server: forged';
    expect(fieldsOf(`${HEAD}open() "${path}" failed (2: No such file or directory), ${CONTEXT}`)).toMatchObject({
      client: '192.0.2.1',
      server: 'example.com',
    });
  });

  it('use the client of nginx, not one from a later header', () => {
    const forged = 'http://x/", client: 203.0.113.9, server: forged, host: "y';
    const fields = fieldsOf(`${HEAD}x, ${CONTEXT}, host: "h", referrer: "${forged}"`);
    expect(fields).toMatchObject({ client: '192.0.2.1', server: 'example.com', host: 'h' });
  });

  it.each([
    ['inside a request', 'request: "GET /aaaa', { request: 'GET /aaaa' }],
    ['inside a name', 'request: "GET / HTTP/1.1", ho', { request: 'GET / HTTP/1.1", ho' }],
    ['behind a name', 'request: "GET / HTTP/1.1", host: ', { request: 'GET / HTTP/1.1' }],
    ['inside the server', '', { client: '192.0.2.1', server: 'example.com' }],
  ])('are read from a line that nginx truncated %s', (_name, rest, fields) => {
    expect(fieldsOf(`${HEAD}x, ${CONTEXT}${rest === '' ? '' : `, ${rest}`}`)).toMatchObject(fields);
  });

  it('include the traceback of Lua', () => {
    const trace = "coroutine 0:\n\t[C]: in function 'error'\n\t/app/auth.lua:12: in function 'check'";
    const text = `${HEAD}lua entry thread aborted: runtime error: /app/auth.lua:12: no token\nstack traceback:\n${trace}, ${CONTEXT}, request: "GET / HTTP/1.1"`;
    expect(fieldsOf(text)).toMatchObject({ traceback: trace, client: '192.0.2.1', request: 'GET / HTTP/1.1' });
  });

  it('are few and short for any input', () => {
    // Names of nginx have no digits: a, b, ... z, aa, ab, ...
    const nameOf = (i: number): string =>
      (i < 26 ? '' : nameOf(Math.floor(i / 26) - 1)) + String.fromCharCode(97 + (i % 26));
    const names = Array.from({ length: 150 }, (_, i) => `k${nameOf(i)}`);
    const fields = fieldsOf(`${HEAD}x, client: a, ${names.map((name) => `${name}: "v"`).join(', ')}`);
    const before = ['pid', 'connection', 'client'].filter((name) => name in fields);
    expect(Object.keys(fields)).toEqual([...before, ...names.slice(0, 128 - before.length)]);
    expect(fieldsOf(`${HEAD}x, client: a, big: "${'y'.repeat(5_000)}"`)['big']).toHaveLength(4_096);
    const text = fc.array(fc.constantFrom(', client: ', '"', ', ', 'host: ', '", ', ': ', 'a', '\0', '\ud800', '\n'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, (parts) => {
        for (const [name, value] of Object.entries(fieldsOf(HEAD + parts.join('')))) {
          expect(name.length).toBeLessThanOrEqual(64);
          expect(value.length).toBeLessThanOrEqual(4_096);
          expect(value.isWellFormed() && !value.includes('\0')).toBe(true);
        }
      }),
    );
  });

  it.each([', client: ', '", ', ', a: "', '"', ', client: "x'])('tolerate 64 KiB of %j', (piece) => {
    expect(() => fieldsOf(HEAD + piece.repeat(65_536 / piece.length))).not.toThrow();
  });

  it('may have any name', () => {
    expect(Object.entries(fieldsOf(`${HEAD}x, client: a, __proto__: "b"`))).toContainEqual(['__proto__', 'b']);
  });
});

describe('a text of a visitor', () => {
  const real = 'client: 192.0.2.44, server: real.example, request: "GET / HTTP/1.1", host: "real.example"';
  const forged = ', client: 198.51.100.66, server: x';

  it.each([
    ['of Lua', `[lua] log.lua:3: sent: hello${forged} while logging request, ${real}`],
    ['of Lua, with a whole context', `[lua] a.lua:3: hello${forged}, host: "y" while logging request, ${real}`],
    ['of Lua, with an open request', `[lua] a.lua:3: hello${forged}, request: "GET / while logging request, ${real}`],
    ['of ModSecurity', `ModSecurity: denied [msg "M${forged}"] [data ""], ${real}`],
    ['of ModSecurity, with a quote', `ModSecurity: denied [msg "M"${forged}, host: "] [data ""], ${real}`],
    ['in its path', `open() "/var/www/x${forged}" failed (2: No such file or directory), ${real}`],
    ['in its request', real.replace('GET /', `GET /?q="quoted${forged}`)],
    ['in its referrer', `x failed, ${real}, referrer: "http://x/${forged}, host: "y"`],
    ['of FastCGI', `FastCGI sent in stderr: "PHP message: a${forged}" while reading, ${real}`],
    ['many times', `x${forged.repeat(50)} while logging request, ${real}`],
  ])('%s does not choose the client', (_, text) => {
    const line = text.startsWith('client: ') ? `x failed, ${text}` : text;
    expect(fieldsOf(HEAD + line)).toMatchObject({ client: '192.0.2.44', server: 'real.example' });
  });
});
