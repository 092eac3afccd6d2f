// The host, the service and the fields of lines over HTTP.
import { gzipSync } from 'node:zlib';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../../test/thoroughness.ts';
import { errlogCalls } from '../../../../test/errlog-calls.ts';
import { useApi } from '../../../../test/start-api.ts';
import { word } from '../../../../test/word.ts';

const api = useApi();

const { newApp, send, listOf } = errlogCalls(() => api);

async function newToken(name: string) {
  const { id, token } = await api.admin.apiToken.create({ body: { name } });
  return { id, client: api.using(token) };
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
    const body = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] };
    expect((await api.ask('POST', '/v1/logs', body)).status).toBe(200);
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
    const body = gzipSync(JSON.stringify(lines.map((one) => (one === line ? { ...line, service: 'shop' } : one))));
    const zipped = await send(body, undefined, { headers: { 'Content-Encoding': 'gzip' } });
    expect(zipped.body.data).toEqual(small.body.data);
    expect((await listOf(app_id)).map(({ fingerprint: print }) => print)).toContain(fingerprint(line.log, 'shop'));
  });

  it('may be many in a batch', async () => {
    const app_id = newApp();
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i]));
    const LINES = atMost(500, 5_000);
    const lines = Array.from({ length: LINES }, () => ({ level: 4, log: 'x', app_id, fields }));
    expect((await send(lines)).body.data).toEqual({ accepted: LINES, refused: [] });
  });

  it('of OpenTelemetry that are lost are in the answer', async () => {
    const attributes = [{ key: 'long', value: { stringValue: 'x'.repeat(5_000) } }];
    const logRecords = [{}, { body: { stringValue: word() }, attributes }];
    const body = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
    const { partialSuccess } = (await api.ask('POST', '/v1/logs', body)).body;
    expect(partialSuccess.rejectedLogRecords).toBe('1');
    expect(partialSuccess.errorMessage).toContain(
      'Not kept as sent in 1 records, first in record 1: long. The value is cut after 4096 characters.',
    );
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
