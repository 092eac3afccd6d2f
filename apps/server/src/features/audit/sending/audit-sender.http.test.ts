import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { createLease } from '@quarterdeck/core/sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { idsAfter, record, recordMany } from '../../../../test/audit-entries.ts';
import { scrape } from '../../../../test/scrape.ts';
import { DIALECT, newPlace, startApi, type TestApi, useApi } from '../../../../test/start-api.ts';
import { idsIn, listenSyslog } from '../../../../test/syslog-receiver.ts';
import { createAuditSender } from './audit-sender.ts';
import type { otlpRequest } from './send-otlp.ts';

const receiver = useApi();

const newest = async (api: TestApi) => (await idsAfter(api, 0)).at(-1) ?? 0;

/** A receiver of OTLP that may be away. */
async function listenOtlp() {
  const received: number[] = [];
  const state = { isAway: true, received };
  const server = createHttpServer((request, response) => {
    void json(request).then((body) => {
      const { resourceLogs } = body as ReturnType<typeof otlpRequest>;
      const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
      if (!state.isAway) received.push(...records.map(({ body: { stringValue } }) => JSON.parse(stringValue).id));
      response.writeHead(state.isAway ? 503 : 200).end('{}');
    });
  });
  const { port } = await new Promise<{ port: number }>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address() as { port: number }));
  });
  onTestFinished(() => void server.close());
  return Object.assign(state, { url: `http://127.0.0.1:${port}/v1/logs` });
}

describe('sending the audit log', () => {
  it('reaches a receiver of syslog, whole and in order', async () => {
    const syslog = await listenSyslog(createServer());
    await using api = await startApi({ AUDIT_SYSLOG: `tcp://127.0.0.1:${syslog.port}` });
    const before = await newest(api);
    await recordMany(api, 120);
    await api.server.jobs.runAll();
    const ids = await idsAfter(api, before);
    await expect.poll(() => idsIn(syslog.text()).slice(-ids.length)).toEqual(ids);
  });

  it('reaches a receiver of OTLP, with the headers of the setting', async () => {
    const { token } = await receiver.admin.apiToken.create({ body: { scopes: ['errlog:write'] } });
    await using api = await startApi({
      AUDIT_OTLP: `${receiver.url}/v1/logs`,
      AUDIT_OTLP_HEADERS: `API-Token=${token}`,
    });
    await record(api, { detail: { text: 'é sent' } });
    await api.server.jobs.runAll();
    const sent = async () => (await receiver.admin.line.list({ query: { q: 'sent' } })).data;
    // A batch that a busy receiver answers too late is sent again.
    await expect.poll(async () => (await sent()).length).toBeGreaterThan(0);
    const data = await sent();
    expect(data[0]).toMatchObject({ service: 'quarterdeck', fields: { 'quarterdeck.audit.action': 'test.done' } });
    expect(JSON.parse(data[0]?.log ?? '')).toMatchObject({ action: 'test.done', detail: { text: 'é sent' } });
    expect(api.logged.join('')).not.toContain(token);
    const isCounted = /^quarterdeck_audit_entries_sent_total\{receiver="otlp"\} [1-9]/m;
    await expect.poll(() => scrape(api)).toMatch(isCounted);
    expect(await scrape(api)).toMatch(/^quarterdeck_audit_send_failures_total\{receiver="otlp"\} \d+$/m);
  });

  it('goes on where it stopped, in order, when the receiver or the server was away', async () => {
    await using place = await newPlace();
    const otlp = await listenOtlp();
    const settings = { ...place.sharing, AUDIT_OTLP: otlp.url };
    let first = 0;
    {
      await using api = await startApi(settings);
      first = await newest(api);
      await recordMany(api, 5);
      for (let i = 0; i < 4; i += 1) await api.server.jobs.runAll();
      expect(api.logged.filter((line) => line.includes('audit entries cannot be sent'))).toHaveLength(1);
    }
    otlp.isAway = false;
    await using api = await startApi(settings);
    await recordMany(api, 5);
    await api.server.jobs.runAll();
    const ids = await idsAfter(api, first);
    await expect.poll(() => otlp.received.slice(-ids.length)).toEqual(ids);
  });

  it('waits longer after each failure, and sends again what it does not know to be received', async () => {
    const { db, log } = receiver.server.deps;
    let nowMs = 0;
    let isAway = true;
    const received: number[] = [];
    const lease = { hold: async () => true, keep: async () => true };
    const sender = createAuditSender({ db, log, now: () => nowMs }, lease, 'syslog', async (entries) => {
      received.push(...entries.map(({ id }) => id));
      if (isAway) throw Object.assign(new Error('token=canary'), { code: 'ECONNRESET' });
    });
    const never = () => false;
    for (let i = 0; i < 3; i += 1) await sender.run(never);
    expect(sender.stats().failures).toBe(1);
    for (const [i, ms] of [1_000, 2_000, 4_000].entries()) {
      nowMs += ms - 1;
      await sender.run(never);
      expect(sender.stats().failures).toBe(i + 1);
      nowMs += 1;
      await sender.run(never);
      expect(sender.stats().failures).toBe(i + 2);
    }
    isAway = false;
    received.length = 0;
    nowMs += 600_000;
    await sender.run(never);
    expect(received).toEqual(await idsAfter(receiver, 0));
    const count = received.length;
    await sender.run(never);
    expect(received).toHaveLength(count);
    expect(receiver.logged.join('')).not.toContain('canary');
  });

  it.skipIf(DIALECT === 'sqlite')('does not go back where a server was stopped while it sent', async () => {
    await using place = await newPlace();
    await using api = await startApi(place.sharing);
    await using other = await startApi(place.sharing);
    const received: number[] = [];
    const create = ({ server: { deps }, now }: TestApi, meanwhile: () => Promise<void>) => {
      const lease = createLease(deps.db, 'audit_export', 30_000, now);
      return createAuditSender({ db: deps.db, log: deps.log, now }, lease, 'syslog', async (entries) => {
        await meanwhile();
        received.push(...entries.map(({ id }) => id));
      });
    };
    const never = () => false;
    const second = create(other, async () => {});
    await recordMany(api, 3);
    const first = create(api, async () => {
      await recordMany(other, 3);
      other.advance(31_000);
      await second.run(never);
    });
    await first.run(never);
    const [sent, all] = [received.length, (await idsAfter(api, 0)).length];
    await second.run(never);
    expect(received.length).toBe(sent);
    // Entries of the first batch came twice, and no others.
    expect(new Set(received).size).toBe(all);
    expect(received.length).toBe(2 * all - 3);
  });

  it.skipIf(DIALECT === 'sqlite')('is done by one of several servers', async () => {
    const syslog = await listenSyslog(createServer());
    await using place = await newPlace();
    const settings = { ...place.sharing, AUDIT_SYSLOG: `tcp://127.0.0.1:${syslog.port}` };
    await using api = await startApi(settings);
    await using other = await startApi(settings);
    await recordMany(api, 20);
    await Promise.all([api, other, api].map(({ server }) => server.jobs.runAll()));
    const ids = idsIn(syslog.text());
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(ids.length).toBeGreaterThanOrEqual(20);
  });
});
