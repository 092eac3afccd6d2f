import { request } from 'node:http';
import { type Logger, SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import { describe, expect, it } from 'vitest';
import { useApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';

const api = useApi();

const EXPORTERS = { json: JsonExporter, protobuf: ProtobufExporter };

/** Sends the logs of `emit` with the SDK of OpenTelemetry. */
async function exportLogs(kind: keyof typeof EXPORTERS, service: string, emit: (logger: Logger) => void, gzip = false) {
  const exporter = new EXPORTERS[kind]({
    url: `${api.url}/v1/logs`,
    headers: { Authorization: `Bearer ${api.adminToken}` },
    ...(gzip ? { compression: 'gzip' as never } : {}),
  });
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'host.name': `web-${service}` }),
    processors: [new BatchLogRecordProcessor({ exporter })],
  });
  emit(provider.getLogger('test'));
  await provider.forceFlush();
  await provider.shutdown();
}

async function entriesOf(source: string) {
  const { data } = await api.admin.errlog.list({ query: { detail: 1, page_size: 200 } });
  return data.filter((entry) => entry.source === source);
}

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, token = api.adminToken) =>
  api.fetch('/v1/logs', {
    method: 'POST',
    headers: { 'edge-token': token, 'Content-Type': 'application/json', ...headers },
    body,
  });
const requestWith = (...logRecords: object[]) => JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
const record = (log: string) => ({ body: { stringValue: log } });

describe.each([
  ['json', true],
  ['protobuf', false],
] as const)('the exporter of OpenTelemetry, %s, gzip %s', (kind, gzip) => {
  it('has its logs stored', async () => {
    const service = word();
    const error = new RangeError('out of stock');
    await exportLogs(
      kind,
      service,
      (logger) => {
        for (let i = 0; i < 3; i += 1) {
          logger.emit({ severityNumber: SeverityNumber.WARN, body: `slow query took ${i} ms`, attributes: { i } });
        }
        logger.emit({ severityNumber: SeverityNumber.INFO, body: { order: 17, items: ['a', null, 2.5, true] } });
        logger.emit({
          severityNumber: SeverityNumber.ERROR,
          body: 'order failed',
          attributes: {
            'exception.type': error.name,
            'exception.message': error.message,
            'exception.stacktrace': error.stack ?? '',
            request_id: `r-${service}`,
          },
        });
      },
      gzip,
    );
    const entries = await entriesOf(`web-${service}`);
    expect(entries.map(({ level, count, node_type }) => [level, count, node_type]).sort()).toEqual([
      [4, 1, 0],
      [5, 3, 0],
      [7, 1, 0],
    ]);
    const logOf = (level: number) => entries.find((entry) => entry.level === level)?.log;
    expect(logOf(5)).toBe('slow query took 2 ms');
    expect(JSON.parse(logOf(7) ?? '')).toEqual({ order: 17, items: ['a', null, 2.5, true] });
    expect(logOf(4)).toBe(`order failed\n${error.stack}`);
    const byId = await api.admin.errlog.list({ query: { req_id: `r-${service}` } });
    expect(byId.data).toMatchObject([{ level: 4, count: 1 }]);
  });
});

describe('POST /v1/logs', () => {
  it('answers in the type of the request', async () => {
    const all = await post(requestWith(record(word())));
    expect([all.status, all.headers.get('content-type'), all.body]).toEqual([
      200,
      'application/json; charset=utf-8',
      {},
    ]);
    const some = await post(requestWith(record(word()), {}, {}));
    expect(some.body.partialSuccess).toMatchObject({ rejectedLogRecords: '2' });
    expect(some.body.partialSuccess.errorMessage).toContain('not stored');
    const none = await fetch(`${api.url}/v1/logs`, {
      method: 'POST',
      headers: { 'edge-token': api.adminToken, 'Content-Type': 'application/x-protobuf' },
      // One resource with one scope with one empty record.
      body: new Uint8Array([0x0a, 4, 0x12, 2, 0x12, 0]),
    });
    expect([none.status, none.headers.get('content-type')]).toEqual([200, 'application/x-protobuf']);
    expect([...(await none.bytes()).subarray(2, 4)]).toEqual([0x08, 1]);
  });

  it.each([
    ['no JSON', '{', {}, 400, 'malformed_json'],
    ['no request', '[]', {}, 400, 'bad_request'],
    ['no protobuf', 'hello', { 'Content-Type': 'application/x-protobuf' }, 400, 'bad_request'],
    ['another type', '{}', { 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['another encoding', '{}', { 'Content-Encoding': 'compress' }, 415, 'unsupported_media_type'],
    ['broken gzip', '{}', { 'Content-Encoding': 'gzip' }, 400, 'bad_request'],
    ['too many records', requestWith(...Array.from({ length: 10_001 }, () => record('x'))), {}, 413, 'too_large'],
    ['too many bytes', ' '.repeat(8 * 1024 * 1024 + 1), {}, 413, 'too_large'],
  ])('refuses %s', async (_name, body, headers, status, code) => {
    const answer = await post(body, headers);
    expect([answer.status, answer.body.err.code]).toEqual([status, code]);
  });

  it('trusts an agent about the service, not about the host', async () => {
    const agent = await api.agent();
    const name = word();
    const text = word();
    const attributes = Object.entries({ 'service.name': name, 'host.name': 'web1' });
    const resource = { attributes: attributes.map(([key, stringValue]) => ({ key, value: { stringValue } })) };
    const body = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record(text)] }] }] };
    const { status } = await api.ask('POST', '/v1/logs', body, { 'api-token': agent.secret });
    expect(status).toBe(200);
    const [entry, ...others] = await entriesOf(`host-${agent.nodeId}`);
    expect([entry?.fingerprint, others]).toEqual([fingerprint(text, name), []]);
  });

  it('answers no other method', async () => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    request(`${api.url}/v1/logs`, (res) => resolve(res.resume().statusCode)).end();
    expect(await promise).toBe(405);
  });
});
