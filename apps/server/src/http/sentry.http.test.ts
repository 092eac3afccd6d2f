// Sentry: the SDK for Node.js as programs use it, and requests of others by their documentation.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, useApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';
import { newSecret } from '../auth/secrets.ts';

const api = useApi();
let key: string;
beforeAll(async () => {
  ({ token: key } = await api.admin.apiToken.create({ body: { name: 'dsn', kind: 'sentry' } }));
});

const newId = () => randomUUID().replaceAll('-', '');
const dsnOf = (url: string, secret: string) => `${url.replace('//', `//${secret}@`)}/17`;

/** An envelope with one event of a service. */
const envelopeOf = (service: string, header: object = {}, event: object = {}) =>
  `${JSON.stringify(header)}\n{"type":"event"}\n${JSON.stringify({ message: 'x', tags: { service }, ...event })}\n`;

interface Send {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly on?: Pick<TestApi, 'fetch'>;
}
/** Sends as an SDK in a browser does, which sets no header. */
const send = ({ body = envelopeOf('x'), headers = {}, path = `?sentry_key=${key}&sentry_version=7`, on = api }: Send) =>
  on.fetch(`/api/17/envelope/${path}`, { method: 'POST', headers: { 'Content-Type': 'text/plain', ...headers }, body });

const linesOf = async (service: string, on: Pick<TestApi, 'admin'> = api) =>
  (await on.admin.line.list({ query: { filter: `service:${service}`, limit: 1_000 } })).data;

describe('the SDK of Sentry for Node.js', () => {
  it('sends errors with their causes, messages and logs of a program until it crashes', async () => {
    const service = word();
    const program = new URL('../../test/sentry-program.ts', import.meta.url).pathname;
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, [program, dsnOf(api.url, key), service], (error, _out, text) =>
        resolve({ code: error?.code, stderr: text }),
      );
    });
    expect(code).toBe(1);
    const lines = await linesOf(service);
    const found = (text: string) => lines.find(({ log }) => log.startsWith(text));
    for (const line of lines) expect(line).toMatchObject({ host: `host-${service}`, service });

    expect(found('Error: checkout failed')).toMatchObject({
      level: 4,
      fields: {
        release: 'shop@1.4.2',
        environment: 'staging',
        tenant: 'acme',
        'user.id': '42',
        'user.name': 'ada',
        breadcrumbs: expect.stringContaining('cart item added'),
        sdk: expect.stringMatching(/^sentry\.javascript\.node 11\./),
      },
    });
    expect(found('Error: checkout failed')?.log).toMatch(
      /^Error: checkout failed\n {4}at checkout \([^\n]*sentry-program\.ts:\d+:\d+\)\n.* \{\n {2}\[cause\]: TypeError: card declined\n {6}at chargeCard \(/s,
    );
    expect(found('stock is low')).toMatchObject({ level: 5 });
    expect(found('order 7 lost')).toMatchObject({ level: 4, fields: { queue: 'orders' } });
    expect(found('RangeError: out of stock')).toMatchObject({ level: 3, fields: { handled: 'false' } });
    // As the program prints it, so that a log of it has the same group.
    const printed = /^RangeError: out of stock\n {4}at .*\n/m.exec(stderr)?.[0].replaceAll('file://', '');
    expect(found('RangeError: out of stock')?.log).toContain(printed);
    const text = JSON.stringify(lines);
    for (const personal of ['ada@example.com', '192.0.2.7']) expect(text).not.toContain(personal);
  });

  it('groups by the fingerprint that a program chose', async () => {
    const service = word();
    for (const message of ['no answer for berlin', 'disk is full'])
      await send({ body: envelopeOf(service, {}, { message, fingerprint: ['payment'] }) });
    await send({ body: envelopeOf(service, {}, { message: 'disk is full' }) });
    const groups = (await linesOf(service)).map(({ group }) => group);
    expect([groups.length, new Set(groups).size]).toEqual([3, 2]);
  });
});

describe('POST /api/{project}/envelope', () => {
  it.each([
    ['the query', () => ({})],
    ['X-Sentry-Auth', () => ({ path: '', headers: { 'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${key}` } })],
    ['Authorization', () => ({ path: '', headers: { Authorization: `Sentry sentry_key=${key},sentry_version=7` } })],
  ] as const)('takes the key of a DSN in %s', async (_name, more) => {
    const service = word();
    const answer = await send({ body: envelopeOf(service), ...more() });
    expect(answer.status).toBe(200);
    expect(await linesOf(service)).toHaveLength(1);
  });

  it.each([
    ['plain', (body: string) => body],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('takes it in an envelope, %s', async (encoding, encode) => {
    const service = word();
    const frames = Array.from({ length: 3_000 }, (_, i) => ({ function: `${newId()}${i}`, filename: 'a.js' }));
    const exception = { values: [{ type: 'E', stacktrace: { frames } }] };
    const body = encode(envelopeOf(service, { dsn: dsnOf(api.url, key) }, { exception }));
    const headers: Record<string, string> = encoding === 'plain' ? {} : { 'Content-Encoding': encoding };
    expect((await send({ body, path: '', headers })).status).toBe(200);
    expect(await linesOf(service)).toHaveLength(1);
  });

  it('stores an event once, however often it is sent, and answers with its id', async () => {
    const service = word();
    const id = newId();
    for (const sent_at of ['2026-11-28T00:00:00Z', '2026-11-28T00:00:09Z']) {
      const { status, body } = await send({ body: envelopeOf(service, { event_id: id, sent_at }, { event_id: id }) });
      expect([status, body]).toEqual([200, { id }]);
    }
    expect(await linesOf(service)).toHaveLength(1);
  });

  it('counts what it does not store in the ledger, unknown types too', async () => {
    await using own = await startApi();
    const { token } = await own.admin.apiToken.create({ body: { name: 'browser', kind: 'sentry' } });
    const items = ['session', 'session', 'transaction', 'replay_recording', 'brand_new']
      .map((type) => `{"type":"${type}"}\n{}\n`)
      .join('');
    const answer = await send({ on: own, body: `{}\n${items}`, path: `?sentry_key=${token}` });
    expect([answer.status, answer.body]).toEqual([200, {}]);
    const { data, meta } = await own.admin.ledger.list({ query: {} });
    expect(data).toMatchObject([
      {
        received: 0,
        dropped: { sentry_session: 2, sentry_transaction: 1, sentry_replay_recording: 1, sentry_brand_new: 1 },
      },
    ]);
    expect(meta.gaps).toEqual([]);
    expect((await own.admin.errlog.sources({ query: {} })).data).toContainEqual(
      expect.objectContaining({ id: data[0]?.src, name: 'browser' }),
    );
  });

  it('bounds the types that one key can invent', async () => {
    await using own = await startApi();
    const { token } = await own.admin.apiToken.create({ body: { kind: 'sentry' } });
    const items = Array.from({ length: 200 }, (_, i) => `{"type":"made_up_${i}"}\n{}\n`).join('');
    await send({ on: own, body: `{}\n${items}`, path: `?sentry_key=${token}` });
    const [row] = (await own.admin.ledger.list({ query: {} })).data;
    expect(Object.keys(row?.dropped ?? {})).toHaveLength(33);
    expect(row?.dropped['sentry_other']).toBe(168);
  });

  it('refuses unreadable bodies and unknown parameters', async () => {
    const answers = [
      await send({ body: 'hello' }),
      await send({ body: '' }),
      await send({ body: '{}\n{"type":"event"}\n7' }),
      await send({ path: `?sentry_key=${key}&filter=x` }),
      await send({ headers: { 'Content-Encoding': 'lzma' } }),
      await send({ headers: { 'Content-Encoding': 'gzip' }, body: 'hello' }),
    ];
    expect(answers.map(({ status, body }) => [status, body.err.code])).toEqual([
      [400, 'bad_request'],
      [400, 'body_missing'],
      [400, 'nothing_accepted'],
      [400, 'unknown_field'],
      [415, 'unsupported_media_type'],
      [400, 'bad_request'],
    ]);
  });

  it('asks a program with too much to say to wait, in the words of its SDK', async () => {
    await using own = await startApi({ SOURCE_QUOTA: '1' });
    const { token } = await own.admin.apiToken.create({ body: { kind: 'sentry' } });
    const many = JSON.stringify({ items: Array.from({ length: 100 }, () => ({ body: 'x' })) });
    const path = `?sentry_key=${token}`;
    expect((await send({ on: own, path, body: `{}\n{"type":"log"}\n${many}\n` })).status).toBe(200);
    const { status, headers, body } = await send({ on: own, path });
    expect([status, body.err.code]).toEqual([429, 'rate_limited']);
    expect(headers.get('x-sentry-rate-limits')).toBe(`${headers.get('retry-after')}::key`);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('keeps the address of a user where the setting says so', async () => {
    await using own = await startApi({ SENTRY_USER_IP: 'on' });
    const { token } = await own.admin.apiToken.create({ body: { kind: 'sentry' } });
    const service = word();
    const user = { id: 1, ip_address: '{{auto}}' };
    await send({ on: own, path: `?sentry_key=${token}`, body: envelopeOf(service, {}, { user }) });
    expect(await linesOf(service, own)).toMatchObject([{ fields: { 'user.ip': '127.0.0.1' } }]);
  });

  it('lets scripts of the listed origins read the wait', async () => {
    await using own = await startApi({ CORS_ORIGINS: 'https://shop.example' });
    const { token } = await own.admin.apiToken.create({ body: { kind: 'sentry' } });
    const from = async (origin: string) =>
      (await send({ on: own, path: `?sentry_key=${token}`, headers: { Origin: origin } })).headers;
    const listed = await from('https://shop.example');
    expect(listed.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(listed.get('access-control-expose-headers')).toContain('X-Sentry-Rate-Limits');
    expect((await from('https://other.example')).get('access-control-allow-origin')).toBeNull();
  });
});

describe('POST /api/{project}/store', () => {
  it('stores one event, under the project without a tag', async () => {
    const [id, project] = [newId(), word()];
    const event = { event_id: id, platform: 'python', logentry: { message: 'boom' }, server_name: `host-${project}` };
    const answer = await api.fetch(`/api/${project}/store/`, {
      method: 'POST',
      headers: { 'X-Sentry-Auth': `Sentry sentry_key=${key}`, 'Content-Encoding': 'gzip' },
      body: gzipSync(JSON.stringify(event)),
    });
    expect([answer.status, answer.body]).toEqual([200, { id }]);
    expect(await linesOf(project)).toMatchObject([{ log: 'boom', host: `host-${project}` }]);
  });
});

describe('a release', () => {
  const changesOf = async (service: string) =>
    (await api.admin.change.list({ query: { service } })).data.map(({ kind, name, before, after, hosts }) => ({
      kind,
      name,
      before,
      after,
      hosts,
    }));
  const sendRelease = (service: string, event: object) => send({ body: envelopeOf(service, {}, event) });

  it('that begins is a deployment of its service, once for each environment', async () => {
    const service = word();
    const server_name = `host-${service}`;
    await sendRelease(service, { release: 'v1', environment: 'production', server_name });
    await sendRelease(service, { release: 'v1', environment: 'production', server_name: 'another' });
    await sendRelease(service, { release: 'v1', environment: 'staging', server_name });
    await sendRelease(service, { release: 'v2', environment: 'production' });
    await sendRelease(service, { message: 'without a release' });
    const deploy = { kind: 'deploy', name: service };
    expect(await changesOf(service)).toEqual([
      { ...deploy, before: 'v1', after: 'v2', hosts: [] },
      { ...deploy, name: `${service} (staging)`, before: '', after: 'v1', hosts: [server_name] },
      { ...deploy, before: '', after: 'v1', hosts: [server_name] },
    ]);
  });

  it('becomes history of the agent of its host, and of no other', async () => {
    const service = word();
    const [own, other] = [await api.agent(), await api.agent()];
    await sendRelease(service, { release: 'v1', server_name: `host-${own.nodeId}` });
    const historyOf = async (id: number) =>
      (await api.admin.agent.events({ params: { id }, query: { kind: 'change' } })).data;
    expect(await historyOf(own.id)).toMatchObject([{ field: 'deploy', name: service, to: 'v1' }]);
    expect(await historyOf(other.id)).toEqual([]);
  });

  it('is no deployment again after a restart of the server', async () => {
    const own = await startApi();
    const { token } = await own.admin.apiToken.create({ body: { kind: 'sentry' } });
    const body = envelopeOf('shop', {}, { release: 'v1' });
    await send({ on: own, body, path: `?sentry_key=${token}` });
    await own.server.stop();
    await using again = await startApi(own.sharing);
    await send({ on: again, body, path: `?sentry_key=${token}` });
    expect((await again.admin.change.list({ query: {} })).meta.count).toBe(1);
  });

  it('can be invented only a few times an hour', async () => {
    const service = word();
    const items = Array.from({ length: 30 }, (_, i) => ({
      body: 'x',
      attributes: { service: { value: service }, 'sentry.release': { value: `v${i}` } },
    }));
    const { token } = await api.admin.apiToken.create({ body: { kind: 'sentry' } });
    for (const some of [items.slice(0, 15), items.slice(15)]) {
      await send({ body: `{}\n{"type":"log"}\n${JSON.stringify({ items: some })}\n`, path: `?sentry_key=${token}` });
    }
    expect(await changesOf(service)).toHaveLength(20);
  });
});

describe('the key of a DSN', () => {
  it('has the scope to write and nothing else, and keeps its kind when it is rotated', async () => {
    const made = await api.admin.apiToken.create({ body: { kind: 'sentry', scopes: ['errlog:write'] } });
    expect(made.token).toMatch(/^qd_s_/);
    const rotated = await api.admin.apiToken.rotate({ params: { id: made.id }, body: {} });
    expect(rotated.token).toMatch(/^qd_s_/);
    const shown = await api.admin.apiToken.get({ params: { id: made.id }, query: { detail: 1 } });
    expect(shown).toMatchObject({ kind: 'sentry', scopes: ['errlog:write'] });
    expect((await send({ path: `?sentry_key=${made.token}` })).status).toBe(401);
    expect((await send({ path: `?sentry_key=${rotated.token}` })).status).toBe(200);
    for (const scopes of [['errlog:read'], ['errlog:write', 'errlog:read']] as const) {
      const refused = api.admin.apiToken.create({ body: { kind: 'sentry', scopes: [...scopes] } });
      await expect(refused).rejects.toMatchObject({ status: 400, fields: [{ path: 'body.scopes' }] });
    }
  });

  it('is issued only by those who may write themselves', async () => {
    const { client } = await api.person('viewer');
    await expect(client.apiToken.create({ body: { kind: 'sentry' } })).rejects.toMatchObject({ status: 400 });
  });

  it.each([
    ['API-Token', (secret: string) => ({ 'API-Token': secret })],
    ['edge-token', (secret: string) => ({ 'edge-token': secret })],
    ['Auth', (secret: string) => ({ Auth: secret })],
    ['Bearer', (secret: string) => ({ Authorization: `Bearer ${secret}` })],
    ['Basic', (secret: string) => ({ Authorization: `Basic ${Buffer.from(`a:${secret}`).toString('base64')}` })],
  ])('is no credential elsewhere as %s', async (_name, headersOf) => {
    const headers = headersOf(key);
    const log = JSON.stringify([{ log: 'x', level: 4 }]);
    const post = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: log };
    const answers = [
      await api.fetch('/admin-api/user/me', { headers }),
      await api.fetch('/admin-api/api_token/self', { headers }),
      await api.fetch('/admin-api/log_server/errlog', post),
      await api.fetch('/v1/logs', post),
      await api.fetch('/loki/api/v1/push', post),
      await send({ path: '', headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
  });

  it('is neither a session nor an API token nor an invented secret', async () => {
    const { token } = await api.admin.apiToken.create({ body: { scopes: ['errlog:write'] } });
    for (const secret of [api.adminToken, token, newSecret('session'), 'qd_s_x', 'x'.repeat(10_000)]) {
      const answers = [
        await send({ path: `?sentry_key=${secret}` }),
        await send({ path: '', headers: { 'X-Sentry-Auth': `Sentry sentry_key=${secret}` } }),
        await send({ path: '', body: envelopeOf('x', { dsn: dsnOf(api.url, secret) }) }),
      ];
      expect(answers.map(({ status, body }) => [status, body.err.code])).toEqual(
        answers.map(() => [401, 'credential_invalid']),
      );
    }
    expect((await send({ path: '' })).body.err.code).toBe('credential_missing');
  });

  it('in an envelope is looked for in no more than a mebibyte', async () => {
    const body = envelopeOf('x', { dsn: dsnOf(api.url, key) }, { message: 'x'.repeat(1024 * 1024) });
    expect((await send({ path: '', body })).status).toBe(413);
    expect((await send({ body })).status).toBe(200);
  });

  it('is refused once it is disabled, expired, revoked by its secret or used from elsewhere', async () => {
    const make = (more: object = {}) => api.admin.apiToken.create({ body: { kind: 'sentry', ...more } });
    const codeOf = async (secret: string) => (await send({ path: `?sentry_key=${secret}` })).body.err?.code;
    const [off, old, leaked, far] = [
      await make(),
      await make({ expire: api.now() + 60_000 }),
      await make(),
      await make({ allowed_cidrs: ['192.0.2.0/24'] }),
    ];
    expect(await codeOf(off.token)).toBeUndefined();
    await api.admin.apiToken.disable({ params: { id: off.id } });
    expect(await api.admin.apiToken.revoke({ body: { tokens: [leaked.token] } })).toEqual({ revoked: 1 });
    api.advance(60_001);
    expect([
      await codeOf(off.token),
      await codeOf(old.token),
      await codeOf(leaked.token),
      await codeOf(far.token),
    ]).toEqual(['credential_invalid', 'token_expired', 'credential_invalid', 'address_not_allowed']);
  });

  it('is in no line of the log of this server', async () => {
    await send({});
    await send({ body: 'hello' });
    await send({ path: `?sentry_key=${key}&odd=1` });
    expect(api.logged.join('\n')).not.toContain(key.slice(5));
  });
});
