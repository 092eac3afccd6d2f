import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { TRACES } from '../../../../test/traces.ts';
import { MultiLine, type MultiLineOptions } from './multi-line.ts';
import type { SyslogLine } from './syslog-line.ts';
import { parseSyslog } from './syslog-line.ts';

const open: MultiLine[] = [];
afterEach(() => {
  for (const joiner of open.splice(0)) joiner.flush();
});

function start(options: Partial<MultiLineOptions> = {}) {
  const lines: SyslogLine[] = [];
  const joiner = new MultiLine({ onLine: (line) => lines.push(line), windowMs: 10, ...options });
  open.push(joiner);
  const send = (text: string, app = 'app', from = 'web1', priority = 11) => {
    const line = parseSyslog(Buffer.from(`<${priority}>Nov 20 11:25:49 ${from} ${app}: ${text}`), 0);
    if (line !== null) joiner.add(line, '192.0.2.1', from);
  };
  return { joiner, send, texts: () => lines.map(({ log }) => log), lines };
}

/** Joins the lines of one program. */
function join(text: string, app = 'app', priority = 11): string[] {
  const { joiner, send, texts } = start();
  for (const line of text.split('\n')) send(line, app, 'web1', priority);
  joiner.flush();
  return texts();
}

const PYTHON = TRACES['Python']?.(17) ?? '';

const LUA = `lua entry thread aborted: runtime error: /app/auth.lua:12: no token
stack traceback:
coroutine 0:
\t[C]: in function 'error'
\t/app/auth.lua:12: in function 'check'
\taccess_by_lua(nginx.conf:60):2: in main chunk`;

const KERNEL = `[12345.678901] BUG: kernel NULL pointer dereference, address: 0000000000000008
[12345.678902] #PF: supervisor read access in kernel mode
[12345.678904] PGD 0 P4D 0 
[12345.678905] Oops: 0000 [#1] PREEMPT SMP NOPTI
[12345.678906] CPU: 3 PID: 1234 Comm: nginx Not tainted 6.1.0-13-amd64 #1  Debian 6.1.55-1
[12345.678907] RIP: 0010:nf_conntrack_in+0x1d/0x5a0 [nf_conntrack]
[12345.678908] Code: 00 00 00 0f 1f 44 00 00
[12345.678909] RSP: 0018:ffffc90000003d28 EFLAGS: 00010246
[12345.678910] Call Trace:
[12345.678911]  <TASK>
[12345.678912]  ? __die_body+0x1a/0x60
[12345.678913]  nf_hook_slow+0x3d/0xb0
[12345.678914]  </TASK>
[12345.678915] Modules linked in: nf_conntrack
[12345.678916] ---[ end trace 0000000000000000 ]---`;

/** Removes spaces at the ends of lines, which syslog does not carry. */
const carried = (text: string) => text.replaceAll(/ +$/gm, '');
/** Removes indents, which some senders change by one space. */
const flush = (text: string) => text.replaceAll(/^ +/gm, '');

describe('MultiLine', () => {
  it.each([
    ['Lua', LUA, 'app'],
    ['Linux', KERNEL, 'kernel'],
  ])('joins a stack trace of %s into one line', (_name, trace, app) => {
    expect(join(trace, app)).toEqual([carried(trace)]);
    expect(join(`${trace}\nnext`, app)).toEqual([carried(trace), 'next']);
    expect(join(`${trace}\n${trace}`, app)).toEqual([carried(trace), carried(trace)]);
  });

  it('joins a traceback and the line that it was logged with', () => {
    expect(join(`order 17 failed\n${PYTHON}`)).toEqual([carried(`order 17 failed\n${PYTHON}`)]);
  });

  it('joins a Lua traceback that a program read from the log of nginx', () => {
    const head = '2026/11/20 09:00:00 [error] 7#7: *5 ';
    expect(join(head + LUA, 'nginx')).toEqual([LUA]);
  });

  it('joins frames whose tab rsyslog wrote as a number, or that lost their indent', () => {
    const java = 'java.lang.Error: x\n\tat com.example.A.b(A.java:1)';
    expect(join(java.replace('\t', '#011'))).toEqual([java]);
    const trace = 'Error: x\nat order (/app/shop.js:10:11)\nat main (/app/main.js:3:1)';
    expect(join(trace)).toEqual([trace]);
  });

  it.each([
    'one\ntwo\nthree',
    'panic: x\nlistening on (port 80)',
    'ValueError: x\nstarted',
    'at noon\nat night',
    '[error] a\n[error] b',
    'BUG: x\nCPU: 3',
  ])('does not join %j', (text) => {
    expect(join(text)).toEqual(text.split('\n'));
  });

  it('joins a blank line to the previous line', () => {
    expect(join('one\n\ntwo\n')).toEqual(['one', 'two']);
    expect(join('')).toEqual(['<11>Nov 20 11:25:49 web1 app:']);
  });

  it('ends a Python traceback with the line that names the error', () => {
    const trace = 'Traceback (most recent call last):\n  File "/a.py", line 1, in b\nValueError: x';
    expect(join(`${trace}\nstarted\n  with indent`)).toEqual([trace, 'started\n  with indent']);
    expect(join(`${trace}\n  not of it`)).toEqual([trace, '  not of it']);
  });

  it.each(nonEmpty(Object.entries(TRACES)))('joins the lines of %s', (_, make) => {
    const texts = [make(17), make(42)];
    expect(join(texts.join('\n')).map(flush)).toEqual(texts.map(carried).map(flush));
  });

  it.each(['- - - ', '- - -  '])('joins messages of RFC 5424, with a space before each or not: %j', (head) => {
    const { joiner, texts } = start();
    const given = Object.values(TRACES).map((make) => make(17));
    for (const text of given.join('\n').split('\n')) {
      const line = parseSyslog(Buffer.from(`<11>1 - web1 app ${head}${text}`), 0);
      if (line !== null) joiner.add(line, '192.0.2.1', 'web1');
    }
    joiner.flush();
    expect(texts().map(flush)).toEqual(given.map(carried).map(flush));
  });

  it('keeps apart two thousand messages with a space before each', () => {
    const { joiner, lines } = start();
    for (let i = 0; i < 2_000; i += 1) {
      const line = parseSyslog(Buffer.from(`<11>1 - web1 app - - -  message ${i}`), 0);
      if (line !== null) joiner.add(line, '192.0.2.1', 'web1');
    }
    joiner.flush();
    expect(lines).toHaveLength(2_000);
    expect(lines[7]?.log).toBe('message 7');
  });

  it.each<[string, (second: number) => string]>([
    ['RFC 5424', (second) => `1 1970-01-01T00:00:0${second}Z web1 app - - -`],
    ['RFC 3164', (second) => `Jan  1 00:00:0${second} web1 app:`],
    ['an ISO time without a zone', (second) => `1970-01-01T00:00:0${second} web1 app:`],
  ])('does not join lines that their sender wrote far apart: %s', (_, head) => {
    const { joiner, texts } = start();
    const send = (second: number, text: string) => {
      const line = parseSyslog(Buffer.from(`<11>${head(second)} ${text}`), 9);
      if (line !== null) joiner.add(line, '192.0.2.1', 'web1');
    };
    send(1, 'Error: a');
    send(2, '    at a (/a.js:1:1)');
    send(4, '    at b (/a.js:1:1)');
    send(7, '    at c (/a.js:1:1)');
    joiner.flush();
    expect(texts()).toEqual(['Error: a\n    at a (/a.js:1:1)\n    at b (/a.js:1:1)', '    at c (/a.js:1:1)']);
  });

  it('does not join a traceback to a line of a milder level', () => {
    expect(join(`order 17 failed\n${PYTHON}`, 'app', 12)).toEqual(['order 17 failed', carried(PYTHON)]);
    expect(join(`2026-11-20 09:00:00 INFO started\n${PYTHON}`)).toHaveLength(2);
  });

  it('separates programs and senders', () => {
    const { joiner, send, texts } = start();
    send('Error: a', 'one');
    send('Error: b', 'two');
    send('Error: c', 'one', 'web2');
    send('    at a (/a.js:1:1)', 'one');
    send('    at b (/b.js:1:1)', 'two');
    send('    at c (/c.js:1:1)', 'one', 'web2');
    joiner.flush();
    expect(texts()).toEqual(['a', 'b', 'c'].map((name) => `Error: ${name}\n    at ${name} (/${name}.js:1:1)`));
  });

  it('uses level, time and id of the first line, counts one, and does not join lines of another level', () => {
    const { joiner, send, lines } = start();
    send('Error: a');
    send('    at a (/a.js:1:1)');
    send('    at a (/a.js:1:1)', 'app', 'web1', 14);
    joiner.flush();
    expect(lines).toMatchObject([{ level: 4, count: 1, hostname: 'web1', appName: 'app' }, { level: 7 }]);
    expect(joiner.joined).toBe(1);
  });

  it('releases a line when nothing follows, and a trace that keeps growing', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { send, texts, joiner } = start({ windowMs: 10 });
    send('Error: a');
    expect(joiner.size).toBe(1);
    vi.advanceTimersByTime(20);
    expect([texts(), joiner.size]).toEqual([['Error: a'], 0]);
    for (let ms = 0; ms < 1_000 && texts().length === 1; ms += 1) {
      send('    at a (/a.js:1:1)');
      vi.advanceTimersByTime(1);
    }
    expect(texts()).toHaveLength(2);
  });

  it('releases a line of nginx at once', () => {
    const { send, texts } = start({ windowMs: 60_000 });
    send('2026/11/20 09:00:00 [error] 7#7: *5 no live upstreams, client: 192.0.2.1', 'nginx');
    expect(texts()).toHaveLength(1);
  });

  it('begins a new line after the maximum lines of a trace', () => {
    const { joiner, send, texts } = start({ maxLines: 10 });
    send('Error: a');
    for (let i = 0; i < 25; i += 1) send(`    at f${i} (/a.js:1:1)`);
    joiner.flush();
    expect(texts().map((text) => text.split('\n').length)).toEqual([10, 10, 6]);
  });

  it('truncates a long trace and states the cut-off length', () => {
    const { joiner, send, texts } = start();
    send('Error: a');
    for (let i = 0; i < 100; i += 1) send(`    at ${'x'.repeat(500)} (/a.js:1:1)`);
    joiner.flush();
    const [text = ''] = texts();
    expect(texts()).toHaveLength(1);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
    const sent = 'Error: a'.length + 100 * (1 + `    at ${'x'.repeat(500)} (/a.js:1:1)`.length);
    const kept = text.slice(0, text.indexOf(' [cut: '));
    expect(text.slice(kept.length)).toBe(` [cut: ${sent - kept.length} bytes]`);
  });

  it('releases the oldest line beyond the maximum of held lines', () => {
    const { joiner, send, texts } = start({ maxHeld: 3, windowMs: 60_000 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) send(`line of ${name}`, name);
    expect(joiner.size).toBe(3);
    expect(texts()).toEqual(['line of a', 'line of b']);
  });
});

describe('repeated lines', () => {
  const texts = [
    ...['plain', 'Error: x', '    at f (/a.js:1:2)', 'Caused by: y', 'Traceback (most recent call last):', 'panic: z'],
    ...['main.f(0x1)', '  File "a.py"', 'ValueError: v', '    ^', 'goroutine 1 [running]:', '#0 /app/a.php(12): f()'],
  ];
  const parsed = (text: string) => {
    const line = parseSyslog(Buffer.from(`<11>Nov 20 11:25:49 web1 app: ${text}`), 0);
    if (line === null) throw new Error('a line is read as none');
    return line;
  };
  const run = (runs: readonly (readonly [text: string, times: number])[], asOne: boolean) => {
    const { joiner, lines } = start();
    for (const [text, times] of runs) {
      if (asOne) joiner.add(parsed(text), '192.0.2.1', 'web1', times);
      else for (let i = 0; i < times; i += 1) joiner.add(parsed(text), '192.0.2.1', 'web1');
    }
    joiner.flush();
    const spread = lines.flatMap(({ log, count }) => Array.from({ length: count }, () => log));
    return { spread, received: lines.length + joiner.joined };
  };

  it('have the same result as lines that arrive one by one', () => {
    const runs = fc.array(fc.tuple(fc.constantFrom(...texts), fc.integer({ min: 1, max: 9 })), { maxLength: 12 });
    fc.assert(
      fc.property(runs, (some) => {
        expect(run(some, true)).toEqual(run(some, false));
      }),
    );
  });

  it('become three lines without a continuation', () => {
    const { joiner, lines } = start();
    joiner.add(parsed('plain'), '192.0.2.1', 'web1', 1_000);
    joiner.flush();
    expect(lines.map(({ count }) => count)).toEqual([1, 998, 1]);
  });
});
