// Envelopes in the forms of the SDKs for Python, PHP, Go and Java, as their documentation describes them.
import { expect, it } from 'vitest';
import { readSentryEnvelope } from './sentry.ts';

const NOW = 1_790_000_000;
const AT = '2026-09-21T14:13:20';
const ID = '9ec79c33ec9942ab8353589fcb2e04dc';
const TRACE = '771a43a4192642f0b136d5159a501700';

interface Form {
  readonly sdk: string;
  readonly event: object;
  readonly log: string;
  readonly line: object;
  readonly fields: Readonly<Record<string, string>>;
}

const FORMS: readonly Form[] = [
  {
    sdk: 'sentry.python.flask 2.46.0',
    event: {
      timestamp: `${AT}.123456Z`,
      platform: 'python',
      level: 'error',
      server_name: 'web1',
      environment: 'production',
      release: 'shop@1.4.2',
      logger: 'shop.cart',
      transaction: 'checkout',
      logentry: { message: 'checkout of %s failed', params: ['42'] },
      exception: {
        values: [
          {
            module: null,
            type: 'KeyError',
            value: "'price'",
            mechanism: { type: 'logging', handled: true },
            stacktrace: {
              frames: [
                {
                  filename: 'cart.py',
                  abs_path: '/app/cart.py',
                  function: 'total',
                  module: 'cart',
                  lineno: 5,
                  pre_context: ['def total(items):'],
                  context_line: "    return sum(i['price'] for i in items)",
                  post_context: [''],
                  vars: { card: "'4111 1111'" },
                  in_app: true,
                },
              ],
            },
          },
        ],
      },
      breadcrumbs: {
        values: [{ type: 'log', level: 'info', category: 'shop', message: 'cart opened', timestamp: `${AT}Z` }],
      },
      extra: { 'sys.argv': ['app.py'] },
      modules: { flask: '3.1.2' },
      contexts: {
        trace: { trace_id: TRACE, span_id: '8e0b6a8f7c3d2b1a' },
        runtime: { name: 'CPython', version: '3.13.7', build: '3.13.7 (main)' },
      },
      request: {
        url: 'https://shop.example/checkout',
        method: 'POST',
        query_string: 'card=1',
        headers: { Cookie: 's' },
      },
      user: { ip_address: '192.0.2.7' },
    },
    log: `checkout of 42 failed
Traceback (most recent call last):
  File "/app/cart.py", line 5, in total
    return sum(i['price'] for i in items)
KeyError: 'price'`,
    line: { level: 4, host: 'web1', service: '17', reqId: TRACE, logTime: NOW },
    fields: {
      environment: 'production',
      release: 'shop@1.4.2',
      logger: 'shop.cart',
      transaction: 'checkout',
      'exception.type': 'KeyError',
      'request.method': 'POST',
      'request.url': 'https://shop.example/checkout',
      span_id: '8e0b6a8f7c3d2b1a',
      runtime: 'CPython 3.13.7',
      breadcrumbs: `${AT}Z info shop cart opened`,
      'sys.argv': '["app.py"]',
    },
  },
  {
    sdk: 'sentry.php.laravel 4.20.0',
    event: {
      timestamp: NOW + 0.25,
      platform: 'php',
      level: 'fatal',
      server_name: 'php1',
      environment: 'staging',
      tags: { service: 'shop' },
      contexts: {
        os: { name: 'Linux', version: '6.12.0' },
        runtime: { name: 'php', sapi: 'fpm-fcgi', version: '8.4.11' },
      },
      exception: {
        values: [
          {
            type: 'RuntimeException',
            value: 'no cart',
            mechanism: { type: 'generic', handled: false, data: { code: 0 } },
            stacktrace: {
              frames: [
                { filename: '/index.php', lineno: 3, in_app: true, abs_path: '/app/index.php', function: null },
                {
                  filename: '/shop.php',
                  lineno: 12,
                  in_app: true,
                  abs_path: '/app/shop.php',
                  function: 'App\\Shop::order',
                },
              ],
            },
          },
        ],
      },
    },
    log: `RuntimeException: no cart in /app/shop.php:12
Stack trace:
#0 /app/index.php(3): App\\Shop::order()
#1 {main}`,
    line: { level: 3, host: 'php1', service: 'shop', reqId: '', logTime: NOW },
    fields: {
      environment: 'staging',
      'exception.type': 'RuntimeException',
      handled: 'false',
      runtime: 'php 8.4.11',
      os: 'Linux 6.12.0',
    },
  },
  {
    sdk: 'sentry.go 0.36.0',
    event: {
      timestamp: `${AT}.5+00:00`,
      platform: 'go',
      level: 'error',
      server_name: 'go1',
      release: 'shop@2',
      user: { id: '7' },
      tags: { region: 'eu' },
      contexts: {
        device: { arch: 'amd64', num_cpu: 2 },
        os: { name: 'linux' },
        runtime: { go_maxprocs: 2, name: 'go', version: 'go1.25.1' },
        trace: { trace_id: TRACE, span_id: 'a1b2c3d4e5f60718' },
      },
      exception: [
        { type: '*net.OpError', value: 'dial tcp 192.0.2.1:5432: connection refused' },
        {
          type: '*shop.Error',
          value: 'no cart: dial tcp 192.0.2.1:5432: connection refused',
          stacktrace: {
            frames: [
              { function: 'main', module: 'main', abs_path: '/app/main.go', lineno: 20, in_app: true },
              { function: '(*Shop).Order', module: 'shop/order', abs_path: '/app/order.go', lineno: 12, in_app: true },
            ],
          },
        },
      ],
    },
    log: `*shop.Error: no cart: dial tcp 192.0.2.1:5432: connection refused
shop/order.(*Shop).Order
\t/app/order.go:12
main.main
\t/app/main.go:20
*net.OpError: dial tcp 192.0.2.1:5432: connection refused`,
    line: { level: 4, host: 'go1', service: '17', reqId: TRACE, logTime: NOW },
    fields: {
      release: 'shop@2',
      region: 'eu',
      'user.id': '7',
      'exception.type': '*shop.Error',
      span_id: 'a1b2c3d4e5f60718',
      runtime: 'go go1.25.1',
      os: 'linux',
    },
  },
  {
    sdk: 'sentry.java.spring-boot.jakarta 8.24.0',
    event: {
      timestamp: `${AT}.999Z`,
      platform: 'java',
      level: 'warning',
      server_name: 'java1',
      environment: 'production',
      logger: 'com.acme.Shop',
      message: { formatted: 'order 7 failed', message: 'order {} failed', params: ['7'] },
      threads: { values: [{ id: 1, name: 'main', crashed: false }] },
      exception: {
        values: [
          {
            type: 'SQLException',
            value: 'closed',
            module: 'java.sql',
            thread_id: 1,
            stacktrace: {
              frames: [{ filename: 'Db.java', function: 'query', module: 'com.acme.Db', lineno: 88, in_app: true }],
            },
          },
          {
            type: 'IllegalStateException',
            value: 'no cart',
            module: 'java.lang',
            thread_id: 1,
            stacktrace: {
              frames: [
                { filename: 'Thread.java', function: 'run', module: 'java.lang.Thread', lineno: 1583, in_app: false },
                { filename: 'Shop.java', function: 'order', module: 'com.acme.Shop', lineno: 12, in_app: true },
              ],
            },
          },
        ],
      },
      debug_meta: { images: [] },
      contexts: { runtime: { name: 'OpenJDK', version: '21.0.8' } },
    },
    log: `order 7 failed
java.lang.IllegalStateException: no cart
\tat com.acme.Shop.order(Shop.java:12)
\tat java.lang.Thread.run(Thread.java:1583)
Caused by: java.sql.SQLException: closed
\tat com.acme.Db.query(Db.java:88)`,
    line: { level: 5, host: 'java1', service: '17', reqId: '', logTime: NOW },
    fields: {
      environment: 'production',
      logger: 'com.acme.Shop',
      'exception.type': 'IllegalStateException',
      runtime: 'OpenJDK 21.0.8',
    },
  },
];

it.each([...FORMS])(
  'an event of $sdk becomes the line that its program would log',
  ({ sdk, event, log, line, fields }) => {
    const [name = '', version = ''] = sdk.split(' ');
    const payload = JSON.stringify({ event_id: ID, ...event, sdk: { name, version, packages: [], integrations: [] } });
    const header = JSON.stringify({ event_id: ID, sent_at: `${AT}Z`, sdk: { name, version } });
    const item = JSON.stringify({
      type: 'event',
      content_type: 'application/json',
      length: Buffer.byteLength(payload),
    });
    const { lines } = readSentryEnvelope(Buffer.from(`${header}\n${item}\n${payload}\n`), {
      project: '17',
      nowS: NOW,
      userIp: undefined,
    });
    expect(lines).toMatchObject([line]);
    expect(lines[0]?.log).toBe(log);
    const { event_id, platform, sdk: shown, trace_id: _, ...others } = lines[0]?.fields ?? {};
    expect([event_id, platform, shown]).toEqual([ID, 'platform' in event ? event.platform : '', sdk]);
    expect(others).toEqual(fields);
  },
);
