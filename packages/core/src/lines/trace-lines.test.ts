import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
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
  it.each(nonEmpty(Object.entries(TRACES)))('has all lines of %s', (_, make) => {
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

describe('a trace below the line of a logger', () => {
  it.each([
    [
      'of log4net',
      '2026-11-26 20:30:00,123 [1] ERROR Foo - no\nSystem.InvalidOperationException: Outer\n   at App.Svc.Run() in /src/Svc.cs:line 40',
    ],
    [
      'of Serilog, with inner exceptions',
      '2026-11-26 20:30:00.000 +00:00 [ERR] no\nSystem.AggregateException: Outer\n ---> System.NullReferenceException: x\n   at App.Db.Get() in /src/Db.cs:line 12\n   --- End of inner exception stack trace ---\n   at App.Svc.Run()\n--- End of stack trace from previous location ---\n   at App.Program.Main()',
    ],
    [
      'of Reactor',
      'ERROR no\njava.lang.IndexOutOfBoundsException: x\n\tat a.B.c(B.java:1)\n\tSuppressed: r.OnAssemblyException: \nAssembly trace from producer [r.MonoSingle] :\n\tr.Flux.single(Flux.java:7380)\nError has been observed at the following site(s):\n\t*__checkpoint ⇢ x\n\t|_ Flux.single\nOriginal Stack Trace:\n\t\tat a.B.c(B.java:1)',
    ],
    [
      'of java.util.logging',
      'Nov 26, 2026 8:30:00 PM org.x.Y log\nSEVERE: no\njava.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)\nCaused by: java.io.IOException: y',
    ],
    ['of Kotlin', 'ERROR no\nkotlin.UninitializedPropertyAccessException: x\n\tat a.BKt.main(B.kt:1)'],
    [
      'of Elixir',
      '20:30:00.123 [error] GenServer Shop terminating\n** (RuntimeError) boom\n    (shop 0.1.0) lib/shop.ex:3: Shop.handle_call/3\nLast message (from #PID<0.1.0>): :go\nState: %{}',
    ],
    [
      'of Go, a chain of errors',
      'level=error msg=no\nmain.f\n\t/app/main.go:12\ngithub.com/acme/shop.(*Cart).Add\n\t/app/cart.go:3\nruntime.main\n\t/usr/lib/go/src/runtime/proc.go:250',
    ],
    [
      'of Rust with anyhow',
      'Error: no stock\n\nCaused by:\n    0: one\n    1: two\n\nStack backtrace:\n   0: anyhow::error\n   1: app::main',
    ],
    [
      'of Julia',
      'ERROR: LoadError: no\nStacktrace:\n [1] error(s::String)\n   @ Base ./error.jl:35\nin expression starting at /a.jl:5',
    ],
    [
      'of Rails with frames of gems',
      "ActionView::Template::Error (no):\n    1: <p>\n  \napp/views/a.html.erb:2:in `a'\nactionview (7.0) lib/a.rb:3:in `render'",
    ],
  ])('%s is one entry', (_, text) => {
    expect(entriesOf(`${text}\n2026-11-26 20:30:01 INFO after`)).toEqual([text, '2026-11-26 20:30:01 INFO after']);
    expect(isTrace(text)).toBe(true);
  });
});

describe('a trace', () => {
  it.each([
    [
      'of Ruby with its cause',
      "/app/pay.rb:12:in 'Pay#charge': boom (RuntimeError)\n\tfrom /app/pay.rb:20:in 'Pay#run'\n/app/pay.rb:8:in 'Integer#/': divided by 0 (ZeroDivisionError)\n\tfrom /app/pay.rb:8:in 'Pay#rate'",
    ],
    [
      'of Rust with notes',
      "thread '<unnamed>' (15) panicked at /w/a.rs:833:37:\nno entry\n\nstack backtrace:\n   0:     0x7d91ce5e8be4 - core::fmt\nnote: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.",
    ],
    [
      'of Swift',
      'Fatal error: Index out of range: file a.swift, line 3\nCurrent stack trace:\n0    libswiftCore.dylib                 0x00007f2c11223344 $ss5print + 12\n1    shop                               0x00000001000f0000 main + 3',
    ],
    [
      'of Dart',
      'Unhandled exception:\nBad state: x\n#0      main (file:///a.dart:1:2)\n<asynchronous suspension>\n#1      run (file:///a.dart:3:4)',
    ],
    [
      'of PowerShell',
      'boom\nAt C:\\jobs\\shop.ps1:3 char:5\n+ throw "boom"\n+     ~~~~~~\n    + CategoryInfo          : OperationStopped\n    + FullyQualifiedErrorId : boom',
    ],
    [
      'of Perl',
      'boom at shop.pl line 3.\n\tmain::take("a") called at shop.pl line 7\n\tmain::run() called at shop.pl line 9',
    ],
    [
      'of Erlang',
      '=ERROR REPORT==== 26-Nov-2026::20:30:00 ===\n** Generic server shop terminating\n** Last message in was go\n** Reason for termination ==\n** {badarg,[{shop,f,1}]}',
    ],
  ])('%s is one entry', (_, text) => {
    expect(entriesOf(`${text}\n2026-11-26 20:30:01 INFO after`)).toEqual([text, '2026-11-26 20:30:01 INFO after']);
    expect(isTrace(text)).toBe(true);
  });

  it.each([
    ['ERROR a.b.C failed\nmain.go was read'],
    ['INFO started\nSystem.IO.IOException: x'],
    ['ERROR no\nshop started'],
    ['Nov 26, 2026 8:30:00 PM org.x.Y log\nNov 26, 2026 8:30:01 PM org.x.Y log'],
    ['one\n** (of two)'],
    ['one\nnote: this is one'],
  ])('takes no line of another entry: %j', (text) => {
    expect(entriesOf(text)).toEqual(text.split('\n'));
  });
});

it.each([":1:in '(A", 'a.', 'Aa.', 'Error', '1   a 0x', '(a) a.ex:', ' called at ', '** (', '\t'])(
  'copes with 64 KiB of %j',
  (piece) => {
    const text = `${piece.repeat(65_536 / piece.length)})`;
    const trace = new Trace(text);
    for (const line of [text, `\t${text}`, text]) trace.add(line);
    expect(trace.isTrace).toBeTypeOf('boolean');
  },
);
