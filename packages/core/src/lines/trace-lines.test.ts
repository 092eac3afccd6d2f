import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TRACES } from '../../../../test/traces.ts';
import { Trace } from './trace-lines.ts';

/** Splits lines into entries; blank lines belong to the entry before them. */
function entriesOf(text: string): string[] {
  const entries: string[][] = [];
  let trace: Trace | undefined;
  for (const line of text.split('\n')) {
    if (trace !== undefined && (line === '' || trace.add(line))) entries.at(-1)?.push(line);
    else {
      trace = new Trace(line);
      entries.push([line]);
    }
  }
  return entries.map((lines) => lines.join('\n'));
}

const isTrace = (text: string) => {
  const [head = '', ...rest] = text.split('\n');
  const trace = new Trace(head);
  for (const line of rest) trace.add(line);
  return trace.isTrace;
};

describe('an entry', () => {
  it.each(Object.entries(TRACES))('has all lines of %s', (_, make) => {
    expect(entriesOf(make(17))).toEqual([make(17)]);
    expect(entriesOf(`${make(17)}\n${make(42)}`)).toEqual([make(17), make(42)]);
  });

  it('has no lines of another one, in any order', () => {
    const others = [
      'order 17 done',
      '2026-11-20 09:00:00 INFO started',
      'GET /a 200',
      'at noon',
      '#12 of 20',
      '{"a":1}',
    ];
    const one = fc.oneof(
      fc.constantFrom(...others),
      fc.tuple(fc.constantFrom(...Object.values(TRACES)), fc.integer({ min: 1, max: 99 })).map(([make, n]) => make(n)),
    );
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 8 }), (texts) => {
        // Two messages of PostgreSQL have one number only if they are the same.
        fc.pre(new Set(texts).size === texts.length);
        expect(entriesOf(texts.join('\n'))).toEqual(texts);
      }),
    );
  });

  it.each([
    ['    indented\n    indented too'],
    [' one\n two\n three'],
    ['one\n two'],
    ['\tone\n\ttwo'],
    ['/srv/a.js:10\nstarted'],
    ['thread pool panicked\nstarted'],
    ['File "/etc/depot" is missing\nFile "/etc/key" is missing'],
    ['ERROR:  a\nDETAIL: b'],
    ['[7] ERROR:  a\nanother [7] DETAIL:  b'],
    ['[5-1] ERROR:  a\n[6-1] ERROR:  b'],
    ['started\n}'],
    ['started\ncreated by admin'],
    ['started\ngoroutine pool is full'],
    ['started\nSuppressed: 5 messages'],
    ['ValueError: a\nDuring handling of the above exception, another exception occurred:'],
  ])('does not join %j', (text) => {
    expect(entriesOf(text)).toEqual(text.split('\n'));
  });

  it.each([
    '2026-11-20 09:00:00,123 INFO started',
    'started [info]',
    'WARNING: no error here',
    'level=info msg="no errors"',
    'listening on port 8080',
  ])('does not join a traceback to %j', (line) => {
    const trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in b\nValueError: no';
    expect(entriesOf(`${line}\n${trace}`)).toEqual([line, trace]);
    expect(entriesOf(`${line}\n${trace.replaceAll(/^/gm, '  | ').replace('|', '+ Exception Group')}`)).toHaveLength(2);
  });

  it.each(['2026-11-20 09:00:00,123 ERROR order 17', 'order 17 failed', 'Process SpawnProcess-1:', '[error] INFO'])(
    'joins a traceback to %j',
    (line) => {
      const trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in b\nValueError: no';
      expect(entriesOf(`${line}\n${trace}`)).toEqual([`${line}\n${trace}`]);
    },
  );

  it('has an exception of Java below the line of an error that it was logged with', () => {
    const trace = 'java.lang.IllegalStateException: closed\n\tat test.depot.Gate.open(Gate.java:7)';
    for (const line of ['09:00:00.123 [main] ERROR t.d.Gate - order 17', '2026-11-20 09:00:00 SEVERE no']) {
      expect(entriesOf(`${line}\n${trace}\n${trace}`)).toEqual([`${line}\n${trace}`, trace]);
    }
    for (const line of [
      '09:00:00.123 [main] WARN t.d.Gate - failed',
      'order 17 failed',
      'java.lang.Error: ERROR: no',
    ]) {
      expect(entriesOf(`${line}\n${trace}`)).toEqual([line, trace]);
    }
  });

  it('has no traceback below a line that its sender marked as mild', () => {
    expect(new Trace('order 17 failed', '', true).add('Traceback (most recent call last):')).toBe(false);
    expect(new Trace('order 17 failed', '', false).add('Traceback (most recent call last):')).toBe(true);
  });

  it('is a trace when it has a title or frames', () => {
    const texts = ['psql', 'PostgreSQL', 'PostgreSQL over syslog'];
    for (const [name, make] of Object.entries(TRACES))
      expect([name, isTrace(make(7))]).toEqual([name, !texts.includes(name)]);
    for (const text of ['started', 'options {\n  port: 80\n}', 'order:\n  one\n  two', '/srv/a.js:10']) {
      expect([text, isTrace(text)]).toEqual([text, false]);
    }
  });
});
