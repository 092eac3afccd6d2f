// The host, the service and the fields of lines over HTTP.
import { gzipSync } from 'node:zlib';
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRLOG_PATH, errlogCalls } from '../../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../../test/errlog-counters.ts';
import { newPlace, startApi, type TestApi } from '../../../../test/start-api.ts';
import { word } from '../../../../test/word.ts';
import { fingerprint } from '../../../fingerprint/fingerprint.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { newApp, send, listOf } = errlogCalls(() => api);

async function newToken(name: string) {
  const { id, token } = await api.admin.apiToken.create({ body: { name } });
  return { id, client: createClient({ url: api.url, apiToken: token }) };
}

/** The sources of an application's groups, each once. */
async function sourcesOf(appId: number): Promise<(string | undefined)[]> {
  return [...new Set((await listOf(appId)).map(({ source }) => source))].sort();
}

describe('the source of a line', () => {
  it('is its host, otherwise the token, otherwise the user', async () => {
    const app_id = newApp();
    const name = word();
    const host = `web-${name}`;
    const named = await newToken(`ci-${name}`);
    const unnamed = await newToken('');
    const line = { level: 4, log: word(), app_id };
    await named.client.errlog.append({ body: [line, { ...line, host }] });
    await unnamed.client.errlog.append({ body: line });
    await api.admin.errlog.append({ body: [line, { ...line, host }] });
    const expected = ['admin', `API token ${unnamed.id}`, `ci-${name}`, host].sort();
    expect(await sourcesOf(app_id)).toEqual(expected);
    expect((await listOf(app_id)).find(({ source }) => source === host)?.count).toBe(2);
  });

  it('of an agent is the agent, and of nobody else', async () => {
    const app_id = newApp();
    const agent = await api.agent();
    const line = { level: 4, log: word(), app_id };
    await agent.client.errlog.append({ body: { ...line, host: 'web1', service: 'shop' } });
    const [entry] = await listOf(app_id);
    expect(entry).toMatchObject({ source: `host-${agent.nodeId}`, fingerprint: fingerprint(line.log, 'shop') });
    const { data } = await api.admin.errlog.occurrences({ params: { id: entry?.id ?? 0 } });
    expect(data).toMatchObject([{ fields: { host: 'web1' } }]);

    const forged = await newToken(`agent ${agent.id}`);
    const shop = { ...line, service: 'shop' };
    await forged.client.errlog.append({ body: [shop, { ...shop, host: ` agent ${agent.id} x` }] });
    const resource = { attributes: [{ key: 'host.name', value: { stringValue: `agent ${agent.id}` } }] };
    const record = { body: { stringValue: word() } };
    const body = JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] });
    const headers = { 'edge-token': api.adminToken, 'Content-Type': 'application/json' };
    expect((await api.fetch('/v1/logs', { method: 'POST', headers, body })).status).toBe(200);
    const own = await api.admin.errlog.sources({ query: { agent_id: agent.id } });
    expect(own.data.map(({ groups }) => groups)).toEqual([1]);
    expect((await sourcesOf(app_id)).slice(0, 2)).toEqual([`host agent ${agent.id}`, `host agent ${agent.id} x`]);
  });

  it('is not this server, whatever a line names', async () => {
    const app_id = newApp();
    await api.admin.errlog.append({ body: { level: 4, log: word(), app_id, node_type: 1, host: 'quarterdeck' } });
    expect((await listOf(app_id)).map(({ src }) => src)).not.toContain(0);
  });
});

describe('the service of a line', () => {
  it('is a part of what makes a group', async () => {
    const app_id = newApp();
    const line = { level: 4, log: 'job failed', app_id };
    const services = ['cron', 'backup', 'cron', undefined];
    await api.admin.errlog.append({ body: services.map((service) => ({ ...line, service: service ?? null })) });
    const entries = await listOf(app_id);
    const prints = ['cron', 'backup', ''].map((service) => fingerprint('job failed', service));
    expect(entries.map(({ count, fingerprint: print }) => [print, count]).sort()).toEqual(
      [
        [prints[0], 2],
        [prints[1], 1],
        [prints[2], 1],
      ].sort(),
    );
    await expectTrueCounters(api.server.deps.db);
  });
});

describe('the fields of a line', () => {
  it('are stored, and what is lost is in the receipt', async () => {
    const app_id = newApp();
    const line = { level: 4, log: word(), app_id };
    const lines = [line, 'text', { ...line, fields: { tries: 3 }, user: { name: 'ann' }, long: 'x'.repeat(5_000) }];
    const warnings = [{ index: 2, fields: ['long'], message: 'The value is cut after 4096 characters' }];
    const small = await send(lines);
    expect(small.body.data).toMatchObject({ accepted: 2, refused: [{ index: 1 }], warnings, warned: 1 });
    const [entry] = await listOf(app_id);
    const { data } = await api.admin.errlog.occurrences({ params: { id: entry?.id ?? 0 } });
    expect(data.map(({ fields }) => fields)).toEqual([{ tries: '3', 'user.name': 'ann', long: 'x'.repeat(4_096) }, {}]);
    // A compressed body is read on a thread.
    const headers = { 'edge-token': api.adminToken, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const body = gzipSync(JSON.stringify(lines.map((one) => (one === line ? { ...line, service: 'shop' } : one))));
    const zipped = await api.fetch(ERRLOG_PATH, { method: 'POST', headers, body });
    expect(zipped.body.data).toEqual(small.body.data);
    expect((await listOf(app_id)).map(({ fingerprint: print }) => print)).toContain(fingerprint(line.log, 'shop'));
  });

  it('may be many in a batch', async () => {
    const app_id = newApp();
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i]));
    const lines = Array.from({ length: 5_000 }, () => ({ level: 4, log: 'x', app_id, fields }));
    expect((await send(lines)).body.data).toEqual({ accepted: 5_000, refused: [] });
  });

  it('of OpenTelemetry that are lost are in the answer', async () => {
    const attributes = [{ key: 'long', value: { stringValue: 'x'.repeat(5_000) } }];
    const logRecords = [{}, { body: { stringValue: word() }, attributes }];
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    const headers = { 'edge-token': api.adminToken, 'Content-Type': 'application/json' };
    const { partialSuccess } = (await api.fetch('/v1/logs', { method: 'POST', headers, body })).body;
    expect(partialSuccess.rejectedLogRecords).toBe('1');
    expect(partialSuccess.errorMessage).toContain(
      'Not kept as sent in 1 records, first in record 1: long. The value is cut after 4096 characters.',
    );
  });
});

describe('new names of one credential', () => {
  it('are a thousand an hour, of hosts and of services; further lines are stored under "other"', async () => {
    await using own = await startApi();
    const { token } = await own.admin.apiToken.create({ body: { name: 'shipper' } });
    const { errlog } = createClient({ url: own.url, apiToken: token });
    const lines = Array.from({ length: 1_002 }, (_, i) => ({ level: 4, log: 'x', host: `h${i}`, service: `s${i}` }));
    const first = await errlog.append({ body: [{ level: 4, log: 'x' }, ...lines] });
    const message = 'Too many new names within an hour: 2 lines are stored under other';
    expect(first).toMatchObject({
      accepted: 1_003,
      warnings: [{ index: 1_001, fields: ['host', 'service'], message }],
      warned: 2,
    });
    const sources = async () => (await own.admin.errlog.sources({ query: { page_size: 2_000 } })).data;
    const names = (await sources()).map(({ name }) => name);
    expect(names).toHaveLength(1_003);
    expect(names).toEqual(expect.arrayContaining(['quarterdeck', 'shipper', 'h0', 'h999', 'other']));
    const { data } = await own.admin.errlog.list({ query: { detail: 1, page_size: 2_000 } });
    const other = data.filter(({ source }) => source === 'other');
    expect(other).toMatchObject([{ count: 2, fingerprint: fingerprint('x', 'other') }]);
    expect(own.logged.join()).toContain('log lines stored under the host or service \\"other\\"');

    // Known names and other credentials have no limit.
    expect(await errlog.append({ body: { level: 4, log: 'x', host: 'h7' } })).toEqual({ accepted: 1, refused: [] });
    const fresh = { level: 4, log: 'x', host: 'h1001' };
    expect(await own.admin.errlog.append({ body: fresh })).toEqual({ accepted: 1, refused: [] });
    expect((await sources()).map(({ name }) => name)).toContain('h1001');
  });
});

describe('hosts with a source', () => {
  it('are known after a restart', async () => {
    await using place = await newPlace();
    const linesOf = (prefix: string) =>
      Array.from({ length: 1_000 }, (_, i) => ({ level: 4, log: 'x', host: `${prefix}${i}` }));
    const accepted = { accepted: 1_000, refused: [] };
    {
      await using before = await startApi(place.sharing);
      expect(await before.admin.errlog.append({ body: linesOf('old') })).toEqual(accepted);
    }
    await using after = await startApi(place.sharing);
    expect(await after.admin.errlog.append({ body: linesOf('new') })).toEqual(accepted);
    expect(await after.admin.errlog.append({ body: linesOf('old') })).toEqual(accepted);
  });
});

describe('a dry run', () => {
  it('shows host, service and fields, and admits no name', async () => {
    const line = { level: 4, log: 'job failed', host: 'web1', service: 'cron', user: 'ann' };
    const { preview } = await api.admin.errlog.append({ query: { dry_run: true }, body: line });
    expect(preview).toMatchObject([
      {
        ...{ host: 'web1', source: 'web1', service: 'cron', fields: { user: 'ann' } },
        fingerprint: fingerprint('job failed', 'cron'),
      },
    ]);
  });
});
