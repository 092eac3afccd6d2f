// Senders for Loki and Elasticsearch, through their own clients.
import { once } from 'node:events';
import { Client } from '@elastic/elasticsearch';
import { pino } from 'pino';
import pinoLoki from 'pino-loki';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from 'winston';
import LokiTransport from 'winston-loki';
import { startApi, useApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';

const api = useApi();
let token: string;
beforeAll(async () => {
  ({ token } = await api.admin.apiToken.create({ body: { name: 'shippers', scopes: ['errlog:write'] } }));
});

const linesOf = async (service: string) =>
  (await api.admin.line.list({ query: { filter: `service:${service}`, limit: 1_000 } })).data;

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const push = (path: string, body: string, headers: Record<string, string>) =>
  api.fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body });
const streams = (service: string, ...texts: string[]) =>
  JSON.stringify({
    streams: [{ stream: { app: service }, values: texts.map((text) => [`${Date.now()}000000`, text]) }],
  });

describe('POST /loki/api/v1/push', () => {
  const path = '/loki/api/v1/push';

  it('stores what pino-loki sends', async () => {
    const service = word();
    const transport = pinoLoki({
      host: api.url,
      labels: { app: service, host: `host-${service}` },
      basicAuth: { username: 'any', password: token },
      batching: false,
    });
    const logger = pino({ level: 'debug' }, transport);
    logger.error({ code: 'E7' }, 'payment failed');
    transport.end();
    await once(transport, 'close');
    await expect.poll(() => linesOf(service)).toHaveLength(1);
    const [line] = await linesOf(service);
    expect(line).toMatchObject({ level: 4, host: `host-${service}` });
    expect(line?.log).toContain('payment failed');
  });

  it('stores what winston-loki sends', async () => {
    const service = word();
    const transport = new LokiTransport({
      host: api.url,
      basicAuth: `any:${token}`,
      labels: { app: service },
      batching: false,
    });
    const logger = createLogger({ transports: [transport] });
    logger.warn('stock is low', { labels: { shelf: 'A7' }, item: 17 });
    await expect.poll(() => linesOf(service)).toHaveLength(1);
    const [line] = await linesOf(service);
    expect(line).toMatchObject({ level: 5, fields: { shelf: 'A7' } });
    expect(line?.log).toContain('stock is low');
    logger.close();
  });

  it.each([
    ['API-Token', () => ({ 'API-Token': token })],
    ['Bearer', () => ({ Authorization: `Bearer ${token}` })],
    ['Basic', () => ({ Authorization: basic(`tenant:${token}`) })],
    ['ApiKey', () => ({ Authorization: `ApiKey ${token}` })],
    ['ApiKey in base64', () => ({ Authorization: `ApiKey ${Buffer.from(`id:${token}`).toString('base64')}` })],
  ])('takes a token as %s, and answers 204 without a body', async (_name, headers) => {
    const service = word();
    const response = await fetch(api.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers() },
      body: streams(service, 'x'),
    });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await linesOf(service)).toHaveLength(1);
  });

  it('refuses anybody else, and what it cannot read', async () => {
    const own = { Authorization: `Bearer ${token}` };
    const answers = [
      await push(path, streams('x', 'x'), {}),
      await push(path, streams('x', 'x'), { Authorization: basic('a:qd_t_wrong') }),
      await push(`${path}?token=${token}`, streams('x', 'x'), {}),
      await push(path, '{}', own),
      await push(path, streams('x', ' '), own),
      await push(path, 'x', { ...own, 'Content-Type': 'text/plain' }),
      await push(path, 'no snappy', { ...own, 'Content-Type': 'application/x-protobuf' }),
    ];
    expect(answers.map(({ status, body }) => [status, body.err.code])).toEqual([
      [401, 'credential_missing'],
      [401, 'credential_invalid'],
      [401, 'credential_missing'],
      [400, 'bad_request'],
      [400, 'nothing_accepted'],
      [415, 'unsupported_media_type'],
      [400, 'bad_request'],
    ]);
  });
});

describe('POST /_bulk', () => {
  it('stores what the client of Elasticsearch sends, and names what it refuses', async () => {
    const service = word();
    const client = new Client({ node: api.url, auth: { apiKey: token }, maxRetries: 0 });
    expect((await client.info()).version.number).toMatch(/^\d+\.\d+\.\d+$/);
    const documents = Array.from({ length: 300 }, (_, i) => ({
      '@timestamp': new Date().toISOString(),
      message: `error: disk ${i} is full`,
      service: { name: service },
      host: { name: `host-${service}` },
    }));
    const stats = await client.helpers.bulk({
      datasource: documents,
      onDocument: () => ({ create: { _index: 'logs-app' } }),
    });
    expect(stats).toMatchObject({ total: 300, successful: 300, failed: 0 });
    expect(await linesOf(service)).toHaveLength(300);
    const [line] = await linesOf(service);
    expect(line).toMatchObject({ level: 4, host: `host-${service}`, fields: { index: 'logs-app' } });

    const mixed = await client.bulk({
      index: 'from-path',
      operations: [{ create: {} }, { message: 'kept', service }, { delete: { _id: '1' } }],
    });
    expect([mixed.errors, mixed.items.map((item) => Object.values(item)[0]?.status)]).toEqual([true, [201, 400]]);
    await client.close();
  });

  it('stores a repeated request once where its documents have ids', async () => {
    const service = word();
    const body = `${JSON.stringify({ create: { _id: service } })}\n${JSON.stringify({ message: 'once', service })}\n`;
    const send = () => push('/_bulk', body, { 'API-Token': token, 'Content-Type': 'application/x-ndjson' });
    for (const { status, body: answer } of [await send(), await send()])
      expect([status, (answer as unknown as { errors: boolean }).errors]).toEqual([200, false]);
    expect(await linesOf(service)).toHaveLength(1);
  });

  it('asks for documents again that a quota refuses, one by one', async () => {
    await using own = await startApi({ SOURCE_QUOTA: '1' });
    const made = await own.admin.apiToken.create({ body: { name: 'shippers', scopes: ['errlog:write'] } });
    const client = new Client({ node: own.url, auth: { apiKey: made.token }, maxRetries: 0 });
    const operations = Array.from({ length: 100 }, (_, i) => [
      { create: { _id: `${i}` } },
      { message: `m ${i}` },
    ]).flat();
    expect((await client.bulk({ index: 'a', operations })).errors).toBe(false);
    const { errors, items } = await client.bulk({
      index: 'a"status":201',
      operations: [{ create: {} }, { message: 'x' }, { delete: { _id: '1' } }, { index: {} }, { message: 'y' }],
    });
    expect([errors, items.map((item) => Object.values(item)[0]?.status)]).toEqual([true, [429, 400, 429]]);
    expect(items[0]?.create?.error?.type).toBe('es_rejected_execution_exception');
    expect((await own.admin.line.list({ query: { limit: 1_000 } })).data).toHaveLength(100);
    await client.close();
  });

  it('refuses what is no bulk request, and senders without a credential', async () => {
    const answers = [
      await push('/_bulk', '{"create":{}}\n{"m":1}', {}),
      await push('/logs/_bulk', '{"merge":{}}\n{"m":1}', { 'API-Token': token }),
      await push('/_bulk', '', { 'API-Token': token }),
    ];
    expect(answers.map(({ status, body }) => [status, body.err.code])).toEqual([
      [401, 'credential_missing'],
      [400, 'bad_request'],
      [400, 'body_missing'],
    ]);
  });
});
