import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { parseSyslog } from './syslog-line.ts';

/** 2026-11-20 11:25:49 UTC. */
const NOW = Date.UTC(2026, 10, 20, 11, 25, 49) / 1000;
const DAY = 86_400;

function read(text: string, receivedAt = NOW) {
  return parseSyslog(Buffer.from(text), receivedAt);
}

function at(iso: string): number {
  return Date.parse(iso) / 1000;
}

/** Headers of routers, firewalls and appliances, by the documentation of their makers. */
const VARIANTS: readonly [string, string, string, string][] = [
  // Cisco IOS, with and without counters, name, mark of the clock, zone and clock.
  ['<189>501: 498: Nov 20 11:25:01: %SYS-5-CONFIG_I: x', '', '', '%SYS-5-CONFIG_I: x'],
  ['<189>237: *Nov 20 11:25:03.295: %SYS-5-CONFIG_I: x', '', '', '%SYS-5-CONFIG_I: x'],
  ['<180>782431: sw7: .Nov 20 11:25:22.631 GMT: %CDP-4-X: y', 'sw7', '', '%CDP-4-X: y'],
  ['<189>sw7: 12: 000345: Nov 20 11:25:22.631 CET: %CDP-4-X: y', 'sw7', '', '%CDP-4-X: y'],
  ['<189>sw7: Nov 20 11:25:22 UTC: %CDP-4-X: y', 'sw7', '', '%CDP-4-X: y'],
  ['<189>32: 1w2d: %LINK-3-UPDOWN: y', '', '', '%LINK-3-UPDOWN: y'],
  ['<189>32: 00:00:46: %LINK-3-UPDOWN: y', '', '', '%LINK-3-UPDOWN: y'],
  ['<189>32: %LINK-3-UPDOWN: y', '', '', '%LINK-3-UPDOWN: y'],
  // Cisco NX-OS, ASA.
  ['<189>: 2026 Nov 20 11:25:01 UTC: %ETHPORT-5-IF_UP: y', '', '', '%ETHPORT-5-IF_UP: y'],
  ['<166>Nov 20 2026 11:25:00 asa1 : %ASA-6-302013: y', 'asa1', '', '%ASA-6-302013: y'],
  ['<166>%ASA-6-302013: y', '', '', '%ASA-6-302013: y'],
  ['<189>:Nov 20 11:25:00 UTC: %ASA-session-5-1: y', '', '', '%ASA-session-5-1: y'],
  ['<166>:%ASA-6-302013: y', '', '', '%ASA-6-302013: y'],
  // Blanks and a weekday before the time, a module of PAM, no name, and texts with a colon.
  ['<13>\tNov 20 11:25:00 web1 shop: y', 'web1', 'shop', 'y'],
  ['<13> 1 2026-11-20T11:25:00Z web1 shop - - - y', 'web1', 'shop', 'y'],
  ['<13>Fri Nov 20 11:25:00 2026 web1 shop: y', 'web1', 'shop', 'y'],
  ['<13>Nov 20 11:25:00 web1 sshd(pam_unix)[17]: y', 'web1', 'sshd(pam_unix)', 'y'],
  ['<13>Nov 20 11:25:00 web1 -: y', 'web1', '', 'y'],
  ['<13>Nov 20 11:25:00 web1 C:\\a\\b.exe: y', 'web1', '', 'C:\\a\\b.exe: y'],
  ['<13>http://a.example/b', '', '', 'http://a.example/b'],
  ['<13>just words: y', '', '', 'just words: y'],
  ['<13>web1 shop: y', 'web1', 'shop', 'y'],
  // Huawei, H3C.
  ['<189>Nov 20 2026 11:25:00 SW-1 %%01SHELL/5/CMD(l)[12]:y', 'SW-1', '', '%%01SHELL/5/CMD(l)[12]:y'],
  ['<189>Nov 20 11:25:00 2026 SW-1 %%10SHELL/5/LOGIN: y', 'SW-1', '', '%%10SHELL/5/LOGIN: y'],
  // Cisco ISE, HP, Palo Alto, Synology.
  ['<181> Nov 20 11:25:57 ISE-1 CISE_Failed 000231543 1 0 x', 'ISE-1', '', 'CISE_Failed 000231543 1 0 x'],
  ['<190>Nov 20 11:25:00 192.0.2.1 00076 ports: port 1 is on-line', '192.0.2.1', '', '00076 ports: port 1 is on-line'],
  [
    '<14>Nov 20 11:25:00 PA1.example.org 1,2026/11/20 11:25:00,0011,TRAFFIC',
    'PA1.example.org',
    '',
    '1,2026/11/20 11:25:00,0011,TRAFFIC',
  ],
  ['<13>Nov 20 11:25:00 hz Log Center: y', 'hz', '', 'Log Center: y'],
  // CEF, LEEF, JSON.
  ['<43>Nov 20 11:25:17 192.0.2.129 PowerShell CEF:0|M|P|6.2|x', '192.0.2.129', '', 'PowerShell CEF:0|M|P|6.2|x'],
  ['<43>Nov 20 11:25:17 web CEF:0|M|P|6.2|x', 'web', '', 'CEF:0|M|P|6.2|x'],
  ['<43>LEEF:2.0|M|P|6.2|x', '', '', 'LEEF:2.0|M|P|6.2|x'],
  ['<43>Nov 20 11:25:17 web {"message":"x","level":"warn"}', 'web', '', 'x'],
  // Numbers, a mark of UTF-8, and words.
  ['<13>404: not found', '', '', '404: not found'],
  ['<13>Nov 20 11:25:00 host 404: not found', '', '', 'host 404: not found'],
  ['\uFEFF<13>Nov 20 11:25:00 host app: text', 'host', 'app', 'text'],
  ['<13>  Nov 20 11:25:00 host app: text', 'host', 'app', 'text'],
  ['<13>Nov 20 11:25:00 link down', '', '', 'link down'],
];

describe('RFC 3164', () => {
  it('reads time, host, tag and message', () => {
    expect(read('<34>Nov 20 11:25:00 mymachine su[231]: failed for lonvick on /dev/pts/8')).toEqual({
      level: 3,
      log: 'failed for lonvick on /dev/pts/8',
      logTime: NOW,
      appId: 0,
      reqId: '',
      count: 1,
      service: 'su',
      clock: at('2026-11-20T11:25:00Z'),
      hostname: 'mymachine',
      appName: 'su',
      pid: '231',
    });
  });

  it.each([
    ['<13>Nov  5 11:25:00 host app: text', 'host', 'app', 'text'],
    ['<13>Nov 20 11:25:00 host app[12]: text', 'host', 'app', 'text'],
    ['<13>Nov 20 11:25:00 host app[12] text', 'host', 'app', 'text'],
    ['<13>Nov 20 11:25:00 host app:text', 'host', 'app', 'text'],
    ['<13>Nov 20 11:25:00 app: text', '', 'app', 'text'],
    ['<13>Nov 20 11:25:00  app: text', '', 'app', 'text'],
    ['<13>Nov 20 11:25:00 192.0.2.7 app: text', '192.0.2.7', 'app', 'text'],
    ['<13>Nov 20 11:25:00 2001:db8::7 app: text', '2001:db8::7', 'app', 'text'],
    ['<13>Nov 20 11:25:00.123 host app: text', 'host', 'app', 'text'],
    ['<13>Nov 20 2026 11:25:00: %ASA-6-302013: Built', '', '', '%ASA-6-302013: Built'],
    ...VARIANTS,
    ['<13>2026-11-20T11:25:00.1+01:00 host app[1]: text', 'host', 'app', 'text'],
    ['<13>app: text', '', 'app', 'text'],
    ['<6>kernel: [   12.5] oops', '', 'kernel', '[   12.5] oops'],
    ['<13>just some words', '', '', 'just some words'],
    ['<13>Nov 20 11:25:00 some words without a tag', '', '', 'some words without a tag'],
    ['<13>Nov 20 11:25:00 {"msg": "a: b"}', '', '', 'a: b'],
    ['<13>Nov 20 11:25:00 {"a": "b: c"}', '', '', '{"a": "b: c"}'],
    ['<13>Nov 20 11:25:00 host app: {"level":"error","msg":"x"}', 'host', 'app', 'x'],
    ['<13>Nov 20 11:25:00 host app: two\nlines\r\n', 'host', 'app', 'two\nlines'],
    ['<13>Nov 20 11:25:00 host app: \uFEFFtext', 'host', 'app', 'text'],
  ])('reads %j', (text, hostname, appName, log) => {
    expect(read(text)).toMatchObject({ hostname, appName, log });
  });

  it('maps each severity to the level above it', () => {
    for (let pri = 0; pri <= 191; pri += 1) expect(read(`<${pri}>a: b`)?.level).toBe((pri % 8) + 1);
  });

  it('stores a header without a message', () => {
    expect(read('<13>Nov 20 11:25:00 host app: ')).toMatchObject({ log: '<13>Nov 20 11:25:00 host app:', level: 6 });
  });
});

describe('the time of a line', () => {
  it.each([
    ['<13>1 2026-11-20T10:00:00Z h a - - - m', '2026-11-20T10:00:00Z'],
    ['<13>1 2026-11-20T10:00:00.123456+02:00 h a - - - m', '2026-11-20T08:00:00Z'],
    ['<13>2026-11-20T10:00:00-0530 h a: m', '2026-11-20T15:30:00Z'],
    ['<13>2026-11-20T10:00:60Z h a: m', '2026-11-20T10:00:59Z'],
  ])('is that of a header with a zone: %j', (text, iso) => {
    expect(read(text)?.logTime).toBe(at(iso));
  });

  it.each([
    '<13>Nov 20 11:25:49 h a: m',
    '<13>Nov 19 22:00:00 h a: m',
    '<13>Nov 21 01:00:00 h a: m',
    '<13>2026-11-20T01:00:00 h a: m',
    '<13>Dec 24 01:00:00 h a: m',
    '<13>1 - h a - - - m',
    '<13>1 2030-01-01T00:00:00Z h a - - - m',
    '<13>1 1969-12-31T23:59:59Z h a - - - m',
    '<13>1 2026-13-01T00:00:00Z h a - - - m',
    '<13>1 2026-02-30T00:00:00Z h a - - - m',
    'no header',
  ])('is the arrival time for %j', (text) => {
    expect(read(text)?.logTime).toBe(NOW);
  });

  it.each(['2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-11-20T10:00:00+99:99', '2026-11-20T25:00:00Z'])(
    'does not invalidate the rest of the header if it is impossible: %s',
    (time) => {
      expect(read(`<11>1 ${time} web-1 app - - - the message`)).toMatchObject({
        ...{ hostname: 'web-1', appName: 'app', log: 'the message', level: 4, logTime: NOW },
      });
    },
  );

  it('is that of a header which is older than any zone allows', () => {
    expect(read('<13>Nov 17 10:00:00 h a: m')?.logTime).toBe(at('2026-11-17T10:00:00Z'));
  });

  it('is in the previous year for December received in January', () => {
    const january = at('2027-01-02T12:00:00Z');
    expect(read('<13>Dec 31 23:59:59 h a: m', january)?.logTime).toBe(at('2026-12-31T23:59:59Z'));
  });

  it('is the arrival time for a sender a few hours into the new year', () => {
    const december = at('2026-12-31T20:00:00Z');
    expect(read('<13>Jan  1 06:00:00 h a: m', december)?.logTime).toBe(december);
  });

  it('may be up to a day ahead', () => {
    const ahead = new Date((NOW + DAY) * 1000).toISOString();
    expect(read(`<13>1 ${ahead} h a - - - m`)?.logTime).toBe(NOW + DAY);
  });
});

describe('RFC 5424', () => {
  it('reads all fields', () => {
    const text = '<165>1 2026-11-20T10:00:00.003Z host.example.com evntslog 12 ID47 [a@1 k="v"] \uFEFFAn event';
    const host = 'host.example.com';
    expect(read(text)).toMatchObject({ level: 6, hostname: host, appName: 'evntslog', log: 'An event' });
  });

  it.each([
    ['<13>1 - - - - - - text', 'text'],
    ['<13>1 - - - - - [a@1 k="]\\"\\]\\\\"][b] text', 'text'],
    ['<13>1 - - - - - [a@1 k="v"]', '<13>1 - - - - - [a@1 k="v"]'],
    ['<13>1 - - - - - -', '<13>1 - - - - - -'],
    ['<13>1 - - - - - [a@1 k="v text', '[a@1 k="v text'],
    ['<13>1 - - - - - text', 'text'],
    ['<13>1 - - -', '1 - - -'],
    ['<13>1 not a time h a', '1 not a time h a'],
  ])('reads the message of %j', (text, log) => {
    expect(read(text)).toMatchObject({ log, hostname: '', appName: '' });
  });

  it('cleans the names of host and service', () => {
    const line = read(`<13>1 - ho\u001bst ${'a'.repeat(300)}\u0007 - - - m`);
    expect(line).toMatchObject({ hostname: 'ho st', service: 'a'.repeat(255) });
  });

  it('takes one space before the message for no part of it', () => {
    expect(read('<13>1 - h a - - -  m')).toMatchObject({ log: 'm', isSpaced: true });
    expect(read('<13>1 - h a - - -   m')?.log).toBe('  m');
    expect(read('<13>1 - h a - - - m')).not.toHaveProperty('isSpaced');
  });

  it('reads the request id from the structured data', () => {
    expect(read('<13>1 - h a - - [x@1 k="v" request_id="abc"] m')?.reqId).toBe('abc');
    expect(read('<13>1 - h a - - [x@1 req_id="abc"][y] m')?.reqId).toBe('abc');
    const long = 'a'.repeat(129);
    expect(read(`<13>1 - h a - - [x@1 req_id="${long}"] m`)).toMatchObject({ reqId: '', fields: { req_id: long } });
  });

  it('recognises an nginx line in the message', () => {
    const text = '<13>1 - h nginx - - - 2026/11/20 09:00:00 [crit] 1#1: *2 text';
    expect(read(text)).toMatchObject({ level: 3, log: 'text', hostname: 'h', appName: 'nginx' });
  });
});

describe('malformed messages', () => {
  it.each(['hello', '<>x', '<192>x', '<1234>x', '<a>x', '<13 x', '< 3>x', '<'])(
    'stores %j as text with level ERROR',
    (text) => {
      const line = { level: 4, log: text, logTime: NOW, appId: 0, reqId: '', count: 1, hostname: '', appName: '' };
      expect(read(text)).toEqual({ ...line, lacksTime: true, lacksLevel: true });
    },
  );

  it('recognises an nginx line without a header', () => {
    expect(read('2026/11/20 09:00:00 [warn] 1#1: text')).toMatchObject({ level: 5, log: 'text' });
  });

  it('ignores an empty datagram', () => {
    expect(read('')).toBeNull();
    expect(read(' \r\n\0')).toBeNull();
  });

  it('marks bytes that the reader cut off', () => {
    expect(parseSyslog(Buffer.from('<13>a: text'), NOW, 5)?.log).toBe('text [cut: 5 bytes]');
  });

  it('reads any bytes without throwing', () => {
    const heads = [
      '',
      '<13>',
      '<13>1 ',
      '<13>1 - ',
      '<13>Nov 20 11:25:49 ',
      '<13>1 - h a - - [',
      '2026/11/20 09:00:00 [',
    ];
    const bytes = fc.tuple(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 200 }));
    fc.assert(
      fc.property(bytes, ([head, tail]) => {
        const line = parseSyslog(Buffer.concat([Buffer.from(head), tail]), NOW);
        if (line === null) return;
        expect(line.log).not.toBe('');
        expect(line.log).not.toContain('\0');
        expect(line.level).toBeGreaterThanOrEqual(0);
        expect(line.level).toBeLessThanOrEqual(8);
        expect(Number.isInteger(line.logTime)).toBe(true);
        expect(`${line.hostname}${line.appName}${line.reqId}`).not.toContain('\0');
      }),
      { numRuns: atMost(500, 2_000) },
    );
  });
});

describe('packets of a real nginx 1.22', () => {
  const packets = readFileSync(new URL('nginx-packets.ndjson', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => String(JSON.parse(text)));

  function receive(part: string) {
    const packet = packets.find((text) => text.includes(part));
    return packet === undefined ? null : parseSyslog(Buffer.from(packet, 'latin1'), NOW);
  }

  it('are all parsed', () => {
    expect(packets.length).toBeGreaterThan(80);
    for (const packet of packets) {
      const line = parseSyslog(Buffer.from(packet, 'latin1'), NOW);
      const name = /\[(\w+)\]/.exec(packet)?.[1];
      expect(line?.level).toBe(
        ['', 'emerg', 'alert', 'crit', 'error', 'warn', 'notice', 'info', 'debug'].indexOf(`${name}`),
      );
      expect(line?.appName).toMatch(/^nginx(_dbg)?$/);
      expect(line?.hostname).toMatch(/^(gw1)?$/);
      expect(line?.log).not.toMatch(/^\d{4}\/|^\d+#\d+|^\*\d/);
      expect(line?.logTime).toBe(NOW);
    }
  });

  it('have their message and their host', () => {
    expect(receive('/srv/gateway/html/nope.html')).toMatchObject({
      level: 4,
      hostname: 'gw1',
      appName: 'nginx',
      log: 'open() "/srv/gateway/html/nope.html" failed (2: No such file or directory), client: 127.0.0.1, server: example.test, request: "GET /nope.html HTTP/1.1", host: "127.0.0.1:28080"',
    });
  });

  it('have no host until nginx knows its name, and with nohostname', () => {
    expect(receive('using the "epoll"')).toMatchObject({ hostname: '', appName: 'nginx', level: 6 });
    expect(receive('http wait request handler')).toMatchObject({ hostname: '', appName: 'nginx_dbg', level: 8 });
  });

  it('keep a line break in the path of a client, and replace bytes that are not UTF-8', () => {
    expect(receive('newline"q"')?.log).toContain('/dir/é"quoted"/\nnewline"q" failed (2: No such file or directory)');
    expect(receive('GET /\u0001')?.log).toContain('request: "GET /\u0001\uFFFD\uFFFD HTTP/1.1"');
  });
});

describe('a counter of Cisco', () => {
  it('becomes a field', () => {
    const line = read('<189>501: 498: Nov 20 11:25:01: %SYS-5-CONFIG_I: x');
    expect(line?.fields).toEqual({ sequence: '501', 'cisco.sequence': '498' });
  });

  it('has the time of its stamp with UTC', () => {
    expect(read('<189>5: Nov 20 10:00:00 UTC: %A-5-B: x')?.logTime).toBe(at('2026-11-20T10:00:00Z'));
  });
});

it('keeps the stamp of a wrong clock', () => {
  expect(read('<13>1 1970-01-01T00:00:25Z h a - - - m')).toMatchObject({
    logTime: NOW,
    fields: { stamp: '1970-01-01T00:00:25Z' },
  });
  expect(read('<13>Jan  1 1970 00:00:25 h a: m')).toMatchObject({
    logTime: NOW,
    fields: { stamp: 'Jan  1 1970 00:00:25' },
  });
});

it.each(['1: ', 'a: ', 'Nov ', '%', 'a b ', '1d', 'a.', '<', '[a="'])('copes with 60 KiB of %j', (piece) => {
  expect(read(`<13>${piece.repeat(60_000 / piece.length)}`)).not.toBeNull();
  expect(read(`<13>1 - h a - - [x ${piece.repeat(60_000 / piece.length)}`)).not.toBeNull();
});
