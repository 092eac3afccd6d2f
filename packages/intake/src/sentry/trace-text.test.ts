import { fingerprint, hasTrace } from '@quarterdeck/core/fingerprint';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { readExceptions } from './frames.ts';
import { traceText } from './trace-text.ts';

interface Case {
  readonly platform: string;
  /** As the SDK sends it: causes and far calls first. */
  readonly values: readonly object[];
  /** As the language prints it. */
  readonly printed: string;
}

const error = (type: string, value: string, frames: readonly object[], more: object = {}) => ({
  type,
  value,
  stacktrace: { frames },
  ...more,
});

/** Errors in the form of each SDK, beside what the program itself prints of them. */
const CASES: readonly Case[] = [
  {
    platform: 'node',
    values: [
      error('TypeError', 'card declined', [
        { filename: '/app/index.js', function: 'main', lineno: 9, colno: 3 },
        { filename: '/app/pay.js', function: 'charge', lineno: 4, colno: 9 },
      ]),
      error('Error', 'checkout failed', [
        { filename: 'node:internal/timers', function: 'listOnTimeout', lineno: 5, colno: 1 },
        { filename: '/app/index.js', function: '?', module: 'index', lineno: 12, colno: 5 },
      ]),
    ],
    printed: `Error: checkout failed
    at /app/index.js:12:5
    at listOnTimeout (node:internal/timers:5:1) {
  [cause]: TypeError: card declined
      at charge (/app/pay.js:4:9)
      at main (/app/index.js:9:3)
}`,
  },
  {
    platform: 'python',
    values: [
      error('KeyError', "'price'", [{ abs_path: '/app/cart.py', filename: 'cart.py', function: 'total', lineno: 5 }], {
        mechanism: { source: '__cause__' },
      }),
      error(
        'CheckoutError',
        'no total',
        [
          { abs_path: '/app/main.py', function: '<module>', lineno: 20, context_line: '    checkout()\n' },
          { abs_path: '/app/shop.py', function: 'checkout', lineno: 11, context_line: '    raise CheckoutError()' },
        ],
        { module: 'shop.errors' },
      ),
    ],
    printed: `Traceback (most recent call last):
  File "/app/cart.py", line 5, in total
KeyError: 'price'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/main.py", line 20, in <module>
    checkout()
  File "/app/shop.py", line 11, in checkout
    raise CheckoutError()
shop.errors.CheckoutError: no total`,
  },
  {
    platform: 'java',
    values: [
      error(
        'SQLException',
        'connection lost',
        [{ module: 'com.acme.Db', function: 'query', filename: 'Db.java', lineno: 88 }],
        {
          module: 'java.sql',
        },
      ),
      error(
        'IllegalStateException',
        'no cart',
        [
          { module: 'java.lang.Thread', function: 'run', filename: 'Thread.java', lineno: 1583 },
          { module: 'com.acme.Shop', function: 'order', filename: 'Shop.java', lineno: 12 },
        ],
        { module: 'java.lang' },
      ),
    ],
    printed: `java.lang.IllegalStateException: no cart
\tat com.acme.Shop.order(Shop.java:12)
\tat java.lang.Thread.run(Thread.java:1583)
Caused by: java.sql.SQLException: connection lost
\tat com.acme.Db.query(Db.java:88)`,
  },
  {
    platform: 'csharp',
    values: [
      error('System.TimeoutException', 'no answer', [
        { module: 'Shop.Db', function: 'Query(String sql)', filename: '/src/Db.cs', lineno: 44 },
      ]),
      error('System.InvalidOperationException', 'no cart', [
        { module: 'Shop.Cart', function: 'Total()', filename: '/src/Cart.cs', lineno: 7 },
      ]),
    ],
    printed: `System.InvalidOperationException: no cart
 ---> System.TimeoutException: no answer
   at Shop.Db.Query(String sql) in /src/Db.cs:line 44
   --- End of inner exception stack trace ---
   at Shop.Cart.Total() in /src/Cart.cs:line 7`,
  },
  {
    platform: 'ruby',
    values: [
      error('ZeroDivisionError', 'divided by 0', [
        { abs_path: '/app/shop.rb', function: '<main>', lineno: 20 },
        { abs_path: '/app/cart.rb', function: 'Cart#sum', lineno: 7 },
      ]),
    ],
    printed: `/app/cart.rb:7:in 'Cart#sum': divided by 0 (ZeroDivisionError)
\tfrom /app/shop.rb:20:in '<main>'`,
  },
  {
    platform: 'php',
    values: [
      error('PDOException', 'server has gone away', [
        { filename: '/db.php', abs_path: '/app/db.php', lineno: 30 },
        { filename: '/db.php', abs_path: '/app/db.php', function: 'query', lineno: 9 },
      ]),
      error('RuntimeException', 'no cart', [
        { abs_path: '/app/index.php', lineno: 3 },
        { abs_path: '/app/shop.php', function: 'Shop::order', lineno: 12 },
        { abs_path: '/app/cart.php', function: 'total()', lineno: 5 },
      ]),
    ],
    printed: `PDOException: server has gone away in /app/db.php:9
Stack trace:
#0 /app/db.php(30): query()
#1 {main}

Next RuntimeException: no cart in /app/cart.php:5
Stack trace:
#0 /app/shop.php(12): total()
#1 /app/index.php(3): Shop::order()
#2 {main}`,
  },
  {
    platform: 'go',
    values: [
      error('*errors.errorString', 'no cart', [
        { module: 'main', function: 'main', abs_path: '/app/main.go', lineno: 20 },
        { module: 'github.com/acme/shop', function: '(*Cart).Add', abs_path: '/app/cart.go', lineno: 12 },
      ]),
    ],
    printed: `*errors.errorString: no cart
github.com/acme/shop.(*Cart).Add
\t/app/cart.go:12
main.main
\t/app/main.go:20`,
  },
  {
    platform: 'dart',
    values: [
      error('StateError', 'Bad state: no cart', [
        { abs_path: 'package:shop/main.dart', function: 'main', lineno: 20, colno: 3 },
        { abs_path: 'package:shop/cart.dart', function: 'Cart.total', lineno: 7, colno: 5 },
      ]),
    ],
    printed: `StateError: Bad state: no cart
#0      Cart.total (package:shop/cart.dart:7:5)
#1      main (package:shop/main.dart:20:3)`,
  },
];

const textOf = ({ platform, values }: Omit<Case, 'printed'>) => traceText(readExceptions({ values }), platform);

describe('the stack trace of an event', () => {
  it.each(nonEmpty(CASES))('of $platform is what the language prints', ({ printed, ...given }) => {
    expect(textOf(given)).toBe(printed);
    expect(hasTrace(printed)).toBe(true);
  });

  it.each(nonEmpty(CASES))('of $platform makes one group for other lines and another for other functions', (given) => {
    const change = (name: string, value: unknown): Omit<Case, 'printed'> => ({
      ...given,
      values: given.values.map((one) =>
        JSON.parse(JSON.stringify(one, (key, own) => (key === name && own !== '<module>' ? value : own))),
      ),
    });
    expect(fingerprint(textOf(change('lineno', 77)))).toBe(fingerprint(given.printed));
    expect(fingerprint(textOf(change('function', 'elsewhere')))).not.toBe(fingerprint(given.printed));
  });

  it('keeps the nearest calls of a recursion, and the error, within the length of a line', () => {
    const frames = Array.from({ length: 5_000 }, (_, i) => ({
      abs_path: `/app/${'deep/'.repeat(20)}walk.py`,
      function: `walk_${i === 4_999 ? 'last' : 'again'}`,
      lineno: i + 1,
    }));
    const text = textOf({ platform: 'python', values: [error('RecursionError', 'too deep', frames)] });
    expect(text).toMatch(/^Traceback .*in walk_last\nRecursionError: too deep$/s);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
  });

  it('takes single errors, lists and what is none of them', () => {
    expect(traceText(readExceptions([{ type: 'A', value: 'x' }]), 'node')).toBe('A: x');
    expect(traceText(readExceptions({ type: 'A' }), '')).toBe('A');
    for (const odd of [undefined, null, 1, 'x', {}, { values: 7 }, { values: [null, 3, {}] }])
      expect(readExceptions(odd)).toEqual([]);
  });

  it('keeps line breaks in names from looking like calls', () => {
    const frames = [{ abs_path: '/a.js\n    at forged (/b.js:1:1)', function: 'f\r\ng', lineno: 1 }];
    const text = textOf({ platform: 'node', values: [error('E', 'x', frames)] });
    expect(text.split('\n')).toHaveLength(2);
  });
});
