import { describe, expect, it } from 'vitest';
import { TRACES } from '../../../../test/traces.ts';
import { type Entry, EntryJoiner } from '../../src/follow/entry-joiner.ts';
import { LineSplitter } from '../../src/follow/line-splitter.ts';
import { readEntry } from '../../src/lines/read-entry.ts';

const NOW = 1_795_300_000;
const local = (...parts: [number, number, number, number, number, number]) => new Date(...parts).getTime() / 1000;

/** Joins the entries of a file with this content. */
function placedEntries(content: string | Buffer): Entry[] {
  const joiner = new EntryJoiner();
  const lines = new LineSplitter(0, Buffer.alloc(0)).push(Buffer.from(content));
  return [...lines.map((line) => joiner.add(line)), joiner.flush()].filter((entry) => entry !== undefined);
}

const entriesOf = (content: string | Buffer): string[] => placedEntries(content).map(({ text }) => text);

describe('an entry', () => {
  it('has its own time, whatever time the entry before it had', () => {
    const first = '2026/11/20 09:00:00 [error] a';
    const timeOf = (text: string, nowS: number, zone?: string) =>
      readEntry(text, nowS, zone === undefined ? {} : { zone }).log_time;
    const times = [
      timeOf(first, NOW, 'UTC'),
      timeOf(first, NOW, 'UTC'),
      timeOf(first, NOW, 'Asia/Tokyo'),
      timeOf('2026/11/20 09:00:01 [error] a', NOW, 'UTC'),
      timeOf('2026/11/20 09:00:01 +0100 [error] a', NOW, 'UTC'),
      timeOf(first, NOW - 20 * 86_400, 'UTC'),
    ];
    const nineS = Date.UTC(2026, 10, 20, 9) / 1000;
    expect(times).toEqual([nineS, nineS, nineS - 9 * 3600, nineS + 1, nineS + 1 - 3600, NOW - 20 * 86_400]);
  });

  it.each<[string, string, object]>([
    [
      'of nginx, in local time',
      '2026/11/20 09:00:00 [crit] 12#12: *5 open() "/x" failed (13: Permission denied), client: 192.0.2.1, request_id: "abc"',
      {
        level: 3,
        log: 'open() "/x" failed (13: Permission denied), client: 192.0.2.1, request_id: "abc"',
        log_time: local(2026, 10, 20, 9, 0, 0),
        req_id: 'abc',
      },
    ],
    ['of nginx while it starts', 'nginx: [emerg] bind() failed', { level: 1, log: 'bind() failed', log_time: NOW }],
    [
      'of pino, with the stack of its error',
      '{"level":50,"time":1795299999123,"msg":"no","reqId":"r-1","err":{"type":"Error","message":"no","stack":"Error: no\\n    at a (/a.js:1:1)"}}',
      {
        level: 4,
        log: 'Error: no\n    at a (/a.js:1:1)',
        log_time: 1_795_299_999,
        req_id: 'r-1',
        fields: { 'err.type': 'Error' },
      },
    ],
    ['of zap', '{"level":"warn","ts":1795299990.5,"msg":"slow"}', { level: 5, log: 'slow', log_time: 1_795_299_990 }],
    [
      'of logstash',
      '{"@timestamp":"2026-11-20T09:00:00.123Z","level":"ERROR","message":"no","stack_trace":"java.lang.X: gone"}',
      { level: 4, log: 'no\njava.lang.X: gone', log_time: Date.UTC(2026, 10, 20, 9) / 1000 },
    ],
    [
      'of GELF, with a severity of syslog',
      '{"version":"1.1","short_message":"bad","level":3}',
      { level: 4, log: 'bad', log_time: NOW, fields: { version: '1.1' } },
    ],
    ['in our own form', '{"level":8,"log":"x","app_id":7}', { level: 8, log: 'x', app_id: 7, log_time: NOW }],
    [
      'of a program that names its host, its service and more',
      '{"level":"info","msg":"x","host":"web1","service":"shop","user":{"id":7}}',
      { level: 7, log: 'x', log_time: NOW, service: 'shop', fields: { host: 'web1', service: 'shop', 'user.id': '7' } },
    ],
    ['that is JSON without a message', '{"a":1}', { level: 7, log: '{"a":1}', log_time: NOW }],
    ['that only looks like JSON', '{"level":50,"msg":', { level: 7, log: '{"level":50,"msg":', log_time: NOW }],
    [
      'with a time of its own',
      '2026-11-20 09:00:00,250 WARNING disk is full',
      { level: 5, log: '2026-11-20 09:00:00,250 WARNING disk is full', log_time: local(2026, 10, 20, 9, 0, 0) },
    ],
    [
      'with a time and its zone',
      '2026-11-20T09:00:00+0200 [info] hello',
      { level: 7, log: '2026-11-20T09:00:00+0200 [info] hello', log_time: Date.UTC(2026, 10, 20, 7) / 1000 },
    ],
    ['with level=', 'level=debug msg=x', { level: 8, log: 'level=debug msg=x', log_time: NOW }],
    ['without anything', 'worker 7 died', { level: 7, log: 'worker 7 died', log_time: NOW }],
    [
      'from the future',
      '2036-01-01T00:00:00Z x',
      { level: 7, log: '2036-01-01T00:00:00Z x', log_time: NOW, fields: { stamp: '2036-01-01T00:00:00Z' } },
    ],
  ])('%s', (_, text, expected) => {
    expect(readEntry(text, NOW)).toEqual(expected);
  });
});

describe('the level of an entry', () => {
  it.each<[string, number]>([
    ['03-17 16:13:38.811  1702  2395 D WindowManager: printFreezingDisplayLogsopening app', 8],
    ['03-17 16:13:38.819  1702  8671 I PowerManagerService: ERROR is not its level', 7],
    ['03-17 16:15:50.112 10230  1702 12346 E ActivityManager: ANR in com.example', 4],
    ['W/ActivityManager(  585): Launch timeout has expired', 5],
    ['2016-09-28 04:30:30, Info                  CBS    Loaded Servicing Stack v6.1.7601.23505', 7],
    ['2016-09-28 04:30:31, Error                 CBS    Failed to open the store', 4],
    ['2015-10-18 18:01:47,978 INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: ERROR', 7],
    ['2015-07-29 17:41:44,747 - WARN  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:Follower@89] - closed', 5],
    [
      '- 1117838570 2005.06.03 R02-M1-N0-C:J12-U11 2005-06-03-15.42.50.363779 R02-M1 RAS KERNEL INFO error corrected',
      7,
    ],
    ['APPREAD 1117869872 2005.06.04 R04-M1-N4-I:J18-U11 2005-06-04-00.24.32.432192 RAS APP FATAL ciod: failed', 3],
    [`${'x'.repeat(190)} ERROR`, 4],
    [`${'x'.repeat(200)} ERROR`, 7],
    ['20171223-22:15:29:606|Step_LSC|30002312|onStandStepChanged 3579', 7],
    ['[10.30 16:49:06] chrome.exe - proxy.cse.cuhk.edu.hk:5070 open through proxy HTTPS', 7],
    ['Dec 10 06:55:46 LabSZ sshd[24200]: Failed password for invalid user webmaster from 173.234.31.186', 7],
    ['Dec 10 07:28:03 LabSZ sshd[24245]: error: Received disconnect from 112.95.230.3', 4],
    ['I1122 10:00:00.123456    1 main.go:12] started', 7],
    ['E1122 10:00:00.123456    1 main.go:12] stopped', 4],
    ['2016-05-01T10:00:00.123+0000 W NETWORK  [thread1] connection refused', 5],
    ['[2026-11-22 10:00:00] [Error] no', 4],
    ['TypeError: no', 7],
    ['10:00:00 E-mail to I am', 7],
    ['10:00:00 constructor of x', 7],
    ['{"msg":"started"}', 7],
    ['{"msg":"no","err":{"stack":"Error: no\\n    at a (/a.js:1:1)\\n    at b (/b.js:1:1)"}}', 4],
  ])('of %s is %i', (text, level) => {
    expect(readEntry(text, NOW).level).toBe(level);
  });

  it('is that of the setting where an entry names none, and an error at least for a stack trace', () => {
    const [trace] = placedEntries('TypeError: no\n    at a (/a.js:1:1)\n    at b (/b.js:1:1)\n');
    const levels = [undefined, 3, 5, 8].map((level) => {
      const settings = level === undefined ? {} : { level };
      return ['x', 'DEBUG x']
        .map((text) => readEntry(text, NOW, settings).level)
        .concat(readEntry(trace?.text ?? '', NOW, settings, trace?.isTrace).level as number);
    });
    expect(levels).toEqual([
      [7, 8, 4],
      [3, 8, 3],
      [5, 8, 4],
      [8, 8, 4],
    ]);
  });
});

describe('the service of an entry', () => {
  it.each<[string, string | undefined]>([
    ['Dec 10 06:55:46 LabSZ sshd[24200]: Failed password', 'sshd'],
    ['Jun 14 15:16:01 combo sshd(pam_unix)[19939]: authentication failure', 'sshd'],
    ['Jul  1 09:00:55 host kernel: [12.3] x', 'kernel'],
    ['2026-11-22T10:00:00.123456+00:00 web1 CRON[12]: (root) CMD', 'CRON'],
    ['2026-11-22T10:00:00Z worker Error: no', undefined],
    ['worker: no', undefined],
    ['{"msg":"no"}', undefined],
  ])('of %s is %s', (text, service) => {
    expect(readEntry(text, NOW).service).toBe(service);
    expect(readEntry(text, NOW, { service: 'mine' }).service).toBe('mine');
  });
});

it('names the members of a JSON line that it cannot keep', () => {
  const members = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`k${i}`, i]));
  const { fields } = readEntry(JSON.stringify({ msg: 'm', ...members }), NOW);
  expect(fields?.['fields_dropped']).toBe('k128, k129, k127: The line has more than 128 fields');
});

describe('lines that belong together', () => {
  it('are one entry: stack traces of Node.js, Python, Java, and Lua in nginx', () => {
    const traces = [
      'TypeError: no\n    at a (/a.js:1:1)\n    at b (/b.js:1:1)',
      'failed\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: no',
      'java.lang.X: no\n\tat a.B.c(B.java:1)\nCaused by: java.lang.Y: gone\n\t... 3 more',
      '2026/11/20 09:00:00 [error] 1#1: *2 lua entry thread aborted: no\nstack traceback:\ncoroutine 0:\n\ta.lua:1: in function',
    ];
    expect(entriesOf(`${traces.join('\n')}\n`)).toEqual(traces);
  });

  it('are one entry, in any form', () => {
    const traces = Object.values(TRACES).flatMap((make) => [make(17), make(42)]);
    expect(entriesOf(`${traces.join('\n')}\n`)).toEqual(traces);
  });

  it('do not include the line before a traceback, unless it is of an error', () => {
    const trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in b\nValueError: no';
    const entries = placedEntries(
      `2026-11-20 09:00:00 INFO started\n${trace}\nstarted\n${trace}\nERROR no\n${trace}\n`,
    );
    expect(entries.map(({ text, isTrace }) => [text, isTrace])).toEqual([
      ['2026-11-20 09:00:00 INFO started', false],
      [trace, true],
      ['started', false],
      [trace, true],
      [`ERROR no\n${trace}`, true],
    ]);
  });

  it('end after their last line', () => {
    const trace = 'Error: no\n    at a (/a.js:1:1)\n    at b (/b.js:1:1)\n';
    const content = Buffer.from(`before\n${trace}after\n`);
    expect(placedEntries(content).map(({ end }) => content.toString('utf8', 0, end))).toEqual([
      'before\n',
      `before\n${trace}`,
      `before\n${trace}after\n`,
    ]);
    for (const { end, tail } of placedEntries(content)) {
      expect(tail).toEqual(content.subarray(Math.max(0, end - 64), end));
    }
  });

  it('do not include nginx lines, JSON or other lines that follow', () => {
    const lines = [
      '2026/11/20 09:00:00 [error] 1#1: a',
      '{"msg":"b"}',
      'c',
      '{"msg":"d"}',
      '2026/11/20 09:00:01 [error] 1#1: e',
    ];
    expect(entriesOf(`${lines.join('\n')}\n`)).toEqual(lines);
  });

  it('skip blank lines, and end at 256 lines', () => {
    expect(entriesOf('\n\na\n\n  \nb\n\n')).toEqual(['a', 'b']);
    const frames = Array.from({ length: 300 }, (_, i) => `    at f${i} (/f.js:1:1)`);
    const [first, second] = entriesOf(`Error: no\n${frames.join('\n')}\n`);
    expect(first?.split('\n')).toHaveLength(256);
    expect(second?.split('\n')).toHaveLength(45);
  });
});

describe('a stack trace that is too long', () => {
  it.each([
    ['in a line', ['Error: no', `    at ${'x'.repeat(40_000)}`, '    at b']],
    ['in a line of wide characters', ['Error: no', `    at: ${'€'.repeat(20_000)}`, '    at b']],
    ['in its lines together', ['Error: no', ...Array(4).fill(`    at ${'x'.repeat(6_000)}`)]],
  ])('is cut, and says how many bytes are missing: %s', (_, lines) => {
    const trace = lines.join('\n');
    const [text = ''] = entriesOf(`${trace}\n`);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
    const [, lost] = / \[cut: (\d+) bytes\]$/.exec(text) ?? [];
    const kept = text.slice(0, text.indexOf(' [cut'));
    expect(Buffer.byteLength(kept) + Number(lost)).toBe(Buffer.byteLength(trace));
  });
});

describe('bytes that are not text', () => {
  it('become replacement characters, and a line that is too long is cut and marked', () => {
    const [bad, long] = entriesOf(
      Buffer.concat([Buffer.from([0x61, 0xff, 0x00, 0x62, 0x0a]), Buffer.alloc(40_000, 'x'), Buffer.from('\n')]),
    );
    expect(bad).toBe('a\uFFFD\uFFFDb');
    expect(Buffer.byteLength(long ?? '')).toBeLessThanOrEqual(16_384);
    const [, lost] = / \[cut: (\d+) bytes\]$/.exec(long ?? '') ?? [];
    expect((long ?? '').indexOf(' [cut') + Number(lost)).toBe(40_000);
  });
});
