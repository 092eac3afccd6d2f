// Entries of common loggers, in the forms of their documentation.
import { describe, expect, it } from 'vitest';
import { readJson } from './json-entry.ts';
import { FieldSet } from './line-fields.ts';
import { UTC_ZONE } from './time-zone.ts';

const NOW = Date.UTC(2026, 10, 27, 12) / 1000;
const SENT = Date.UTC(2026, 10, 26, 20, 30) / 1000;
const ISO = '2026-11-26T20:30:00.000Z';
const ERROR = { level: 4, log: 'no stock', logTime: SENT };

function read(object: unknown) {
  const fields = new FieldSet();
  const entry = readJson(JSON.stringify(object), NOW, { fields, zone: UTC_ZONE });
  return { ...entry, fields: fields.takeWithLost() };
}

describe('an entry', () => {
  it.each<[string, object, object?]>([
    ['CLEF', { '@t': ISO, '@l': 'Error', '@m': 'no stock', '@r': ['x'] }],
    ['CLEF of information', { '@t': ISO, '@m': 'up' }, { level: 7, log: 'up' }],
    ['CLEF, a template', { '@t': ISO, '@mt': 'up {User} {@A:l}', User: 'nb', A: [1] }, { log: 'up nb [1]' }],
    [
      'CLEF, an exception',
      { '@t': ISO, '@l': 'Fatal', '@m': 'no', '@x': 'X: y\n   at A.B()' },
      { level: 3, isTrace: true },
    ],
    ['Serilog', { Timestamp: ISO, Level: 'Error', MessageTemplate: 'no {A}', RenderedMessage: 'no stock' }],
    [
      'Serilog without its rendered message',
      { Timestamp: ISO, Level: 'Warning', MessageTemplate: 'no {A}', Properties: { A: 'stock' } },
      { level: 5, log: 'no stock' },
    ],
    ['.NET console', { Timestamp: ISO, EventId: 1, LogLevel: 'Error', Category: 'C', Message: 'no stock' }],
    ['ECS', { '@timestamp': ISO, 'log.level': 'error', message: 'no stock', ecs: { version: '1.6' } }],
    ['ECS, nested', { '@timestamp': ISO, log: { level: 'ERROR', logger: 'a' }, message: 'no stock' }],
    ['Google', { severity: 'ERROR', message: 'no stock', timestamp: { seconds: SENT, nanos: 1 } }],
    ['Google, default', { severity: 'DEFAULT', textPayload: 'x', timestamp: ISO }, { level: 7, log: 'x' }],
    [
      'Bunyan',
      { name: 'a', hostname: 'h', pid: 1, level: 50, msg: 'no stock', time: ISO, v: 0 },
      { ...ERROR, host: 'h' },
    ],
    [
      'Zap',
      { level: 'error', ts: SENT + 0.5, caller: 'a.go:1', msg: 'no stock', errorVerbose: 'no\nmain.f\n\t/a.go:1' },
      { isTrace: true },
    ],
    ['Zerolog', { level: 'error', time: SENT, message: 'no stock' }],
    ['logrus', { level: 'error', time: ISO, msg: 'no stock', error: 'gone' }],
    ['slog', { time: ISO, level: 'ERROR+1', msg: 'no stock' }],
    ['hclog', { '@level': 'error', '@message': 'no stock', '@timestamp': ISO, '@module': 'm' }],
    ['python-json-logger', { asctime: '2026-11-26 20:30:00,123', levelname: 'ERROR', message: 'no stock' }],
    ['structlog', { event: 'no stock', level: 'error', timestamp: ISO }],
    [
      'loguru',
      {
        text: 'x | no stock\n',
        record: { level: { name: 'ERROR', no: 40 }, message: 'no stock', time: { timestamp: SENT + 0.1 } },
      },
    ],
    [
      'Log4j JsonLayout',
      {
        instant: { epochSecond: SENT, nanoOfSecond: 1 },
        level: 'ERROR',
        message: 'no stock',
        thrown: { name: 'java.io.X', message: 'gone', extendedStackTrace: 'java.io.X: gone\n\tat a.B.c(B.java:1)' },
      },
      { ...ERROR, log: 'no stock\njava.io.X: gone\n\tat a.B.c(B.java:1)', isTrace: true },
    ],
    [
      'Logback JsonEncoder',
      {
        timestamp: SENT * 1000,
        level: 'ERROR',
        message: 'no stock',
        throwable: {
          className: 'java.io.X',
          message: 'gone',
          stepArray: [{ className: 'a.B', methodName: 'c', fileName: 'B.java', lineNumber: 1 }],
        },
      },
      { ...ERROR, log: 'no stock\njava.io.X: gone\n\tat a.B.c(B.java:1)' },
    ],
    [
      'WildFly',
      {
        timestamp: '2026-11-26T21:30:00.123+01:00',
        level: 'ERROR',
        message: 'no stock',
        exception: { exceptionType: 'java.io.X', message: 'gone', frames: [{ class: 'a.B', method: 'c', line: 1 }] },
      },
      { ...ERROR, log: 'no stock\njava.io.X: gone\n\tat a.B.c(Unknown Source:1)' },
    ],
    [
      'Open Liberty',
      {
        type: 'liberty_message',
        ibm_datetime: '2026-11-26T20:30:00.000+0000',
        loglevel: 'SEVERE',
        message: 'no stock',
      },
    ],
    ['Monolog', { message: 'no stock', level: 400, level_name: 'ERROR', channel: 'a', datetime: ISO }],
    ['Monolog, a number alone', { message: 'no stock', level: 400, datetime: { date: '2026-11-26 20:30:00.123456' } }],
    [
      'Caddy',
      {
        level: 'error',
        ts: SENT + 0.25,
        logger: 'http.log.error',
        msg: 'no stock',
        request: { method: 'GET', uri: '/' },
      },
    ],
    [
      'Traefik, an access log',
      { RequestMethod: 'GET', RequestPath: '/a', DownstreamStatus: 502, level: 'info', msg: '', time: ISO },
      { level: 7, log: 'GET /a 502', logTime: SENT },
    ],
    [
      'Envoy, an access log',
      { start_time: ISO, method: 'GET', path: '/a', protocol: 'HTTP/1.1', response_code: 503 },
      { log: 'GET /a 503', logTime: SENT },
    ],
    ['slog of Rust', { msg: 'no stock', level: 'ERRO', ts: ISO }],
    ['a letter', { level: 'E', msg: 'no stock', time: ISO }],
    ['PostgreSQL', { timestamp: '2026-11-26 20:30:00.123 UTC', pid: 1, error_severity: 'ERROR', message: 'no stock' }],
    ['MySQL', { prio: 1, err_code: 10584, msg: 'no stock', time: ISO, label: 'Error' }],
    ['Kibana', { type: 'log', '@timestamp': ISO, tags: ['error', 'es'], pid: 1, message: 'no stock' }],
    ['Azure', { time: ISO, level: 'Error', properties: { message: 'no stock' } }],
    ['macOS', { severity: 'error', eventMessage: 'no stock', timestamp: '2026-11-26 20:30:00.123456+0000' }],
    ['ECS with a severity of syslog', { syslog: { severity: { code: 3 } }, message: 'no stock', time: ISO }],
    ['the attributes of Python', { levelname: 'ERROR', msg: 'no stock', created: SENT + 0.1 }],
    [
      'Falco',
      { hostname: 'h', output: '20:30:00.1: Warning no stock', priority: 'Warning', rule: 'r', time: ISO, tags: ['a'] },
      { level: 5, log: '20:30:00.1: Warning no stock', logTime: SENT, host: 'h', fields: { hostname: 'h', rule: 'r' } },
    ],
    [
      'nginx, an access log',
      { time_iso8601: '2026-11-26T20:30:00+00:00', request: 'GET /a HTTP/1.1', status: '200' },
      { log: 'GET /a HTTP/1.1 200', logTime: SENT },
    ],
    ['MongoDB', { t: { $date: ISO }, s: 'E', c: 'NETWORK', id: 22943, ctx: 'l', msg: 'no stock', attr: { a: 1 } }],
    ['GELF', { version: '1.1', host: 'h', short_message: 'no stock', level: 3, timestamp: SENT + 0.1 }],
    [
      'CloudEvents',
      { specversion: '1.0', type: 'a.b', source: '/s', id: '1', time: ISO, data: { message: 'no stock' } },
      { log: 'no stock', logTime: SENT },
    ],
    [
      'CloudEvents without a text',
      { specversion: '1.0', type: 'a.b', id: '1', time: ISO },
      { log: 'a.b', logTime: SENT },
    ],
    ['Rust tracing', { timestamp: ISO, level: 'ERROR', fields: { message: 'no stock', a: 1 }, target: 'app' }],
    [
      'OpenTelemetry in a file',
      { timeUnixNano: `${SENT}000000000`, severityNumber: 17, body: { stringValue: 'no stock' } },
    ],
    [
      'the journal of systemd',
      { MESSAGE: 'no stock', PRIORITY: '3', __REALTIME_TIMESTAMP: `${SENT}000000`, _HOSTNAME: 'h' },
      { ...ERROR, host: 'h' },
    ],
    ['Nextcloud', { reqId: 'r', level: 3, time: '2026-11-26T20:30:00+00:00', app: 'core', message: 'no stock' }],
    ['winston with colours', { level: '\u001B[31merror\u001B[39m', message: 'no stock', timestamp: ISO }],
    ['log4js', { startTime: ISO, categoryName: 'a', level: { level: 40_000, levelStr: 'ERROR' }, message: 'no stock' }],
    ['roarr', { context: { logLevel: 50 }, message: 'no stock', time: SENT * 1000 }],
    [
      'AWS Lambda',
      { timestamp: ISO, level: 'ERROR', message: { errorType: 'X', errorMessage: 'no stock' }, requestId: 'r' },
    ],
    ['Datadog', { status: 'error', message: 'no stock', timestamp: ISO }],
  ])('of %s is read', (_, object, expected = ERROR) => {
    expect(read(object)).toMatchObject(expected);
  });
});

describe('a level', () => {
  it.each<[string, object, number | undefined]>([
    ['a number of an unknown scale', { level: 3, message: 'm' }, undefined],
    ['0 of an unknown scale', { level: 0, message: 'm' }, undefined],
    ['our own table', { level: 3, log: 'm' }, 3],
    ['a status of HTTP', { status: 404, message: 'm' }, undefined],
    ['another use of the word', { level: 'Metadata', message: 'm' }, undefined],
  ])('of %s', (_, object, level) => {
    expect(readJson(JSON.stringify(object), NOW)?.level).toBe(level);
  });

  it('that is not understood stays as a field', () => {
    expect(read({ level: 3, message: 'm' }).fields).toEqual({ level: '3' });
  });
});

describe('a message', () => {
  it.each<[unknown, string]>([
    [7, '7'],
    [false, 'false'],
    [['a', 1], '["a",1]'],
    [{ msg: 'inner' }, 'inner'],
    [{ a: 1 }, '{"a":1}'],
  ])('%j is its text', (message, log) => {
    expect(readJson(JSON.stringify({ level: 'info', message }), NOW)).toMatchObject({ level: 7, log });
  });

  it('may be missing where a level or a time is known', () => {
    const text = '{"level":"error","code":5}';
    expect(readJson(text, NOW)).toEqual({ log: text, level: 4, isTrace: false });
    expect(readJson('{"code":5}', NOW)).toBeUndefined();
  });
});

it('keeps the members of nested objects that have no meaning', () => {
  expect(read({ log: { level: 'error', logger: 'a' }, message: 'm', fields: { message: 'x', b: 2 } }).fields).toEqual({
    'log.logger': 'a',
    message: 'x',
    b: '2',
  });
});
