import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  Server as TlsServer,
} from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../../../../packages/core/test/postgres.ts';
import { IS_THOROUGH } from '../../../../../../test/thoroughness.ts';
import { record } from '../../../../test/audit-entries.ts';
import { makeAuthority } from '../../../../test/certificates.ts';
import { findProgram } from '../../../../test/programs.ts';
import { startProxyProgram } from '../../../../test/proxy-process.ts';
import { scrape } from '../../../../test/scrape.ts';
import { DIALECT, newPlace, startApi, type TestApi } from '../../../../test/start-api.ts';
import { createLease } from '../../../sql/lease.ts';
import { createAuditSender } from './audit-sender.ts';

const rsyslogd = findProgram('rsyslogd');
const openssl = findProgram('openssl');

async function recordMany(api: TestApi, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await record(api, { detail: { text: `é ${i}` } });
}

/** Ids of the entries after an id. */
async function idsAfter(api: TestApi, id: number): Promise<number[]> {
  const { data } = await api.admin.audit.list({ query: { page_size: 1000 } });
  return data
    .map((entry) => entry.id)
    .filter((one) => one > id)
    .reverse();
}

const newest = async (api: TestApi) => (await idsAfter(api, 0)).at(-1) ?? 0;

/** Lets a server of TCP or TLS listen; returns its port and what it has read. */
async function listen(server: Server, port = 0): Promise<{ port: number; text: () => string }> {
  let text = '';
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, text: () => text };
}

/** Ids of the entries in messages with octet counting. */
function idsIn(text: string): number[] {
  const ids: number[] = [];
  for (let rest = text; rest !== ''; ) {
    const [length = ''] = rest.split(' ', 1);
    const message = rest.slice(length.length + 1, length.length + 1 + Number(length));
    expect(message).toMatch(/^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ quarterdeck \d+ [\w.]+ \[meta sequenceId="\d+"\] \{/);
    ids.push(JSON.parse(message.slice(message.indexOf('] {') + 2)).id);
    rest = rest.slice(length.length + 1 + Number(length));
  }
  return ids;
}

describe('sending the audit log', () => {
  it.skipIf(rsyslogd === undefined).each(IS_THOROUGH ? ['tcp', 'udp'] : ['tcp'])(
    'reaches rsyslog over %s, whole and in order',
    async (transport) => {
      const port = await freePort();
      let folder = '';
      const ready = await freePort();
      await using _daemon = await startProxyProgram({
        program: rsyslogd ?? '',
        port: ready,
        files: (dir) => {
          folder = dir;
          const load = ['imtcp', 'imudp', 'imptcp'].map((module) => `module(load="${module}")`).join('\n');
          const inputs = `input(type="im${transport}" port="${port}" address="127.0.0.1")\ninput(type="imptcp" port="${ready}" address="127.0.0.1")`;
          const form = '%syslogfacility-text% %app-name% %msgid% %structured-data% %msg%\\n';
          const action = `action(type="omfile" file="${dir}/out" template="form")`;
          const config = `global(workDirectory="${dir}" maxMessageSize="64k")\n${load}\ntemplate(name="form" type="string" string="${form}")\n${action}\n${inputs}\n`;
          return { out: '', 'rsyslog.conf': config };
        },
        args: (dir) => ['-n', '-f', `${dir}/rsyslog.conf`, '-i', `${dir}/pid`],
      });
      await using api = await startApi({ AUDIT_SYSLOG: `${transport}://127.0.0.1:${port}` });
      const before = await newest(api);
      await recordMany(api, 120);
      await api.server.jobs.runAll();
      const ids = await idsAfter(api, before);
      const lines = await vi.waitUntil(
        () => {
          const text = readFileSync(join(folder, 'out'), 'utf8')
            .split('\n')
            .filter((line) => line.includes(' quarterdeck '));
          return text.length >= ids.length && text;
        },
        { timeout: 10_000, interval: 50 },
      );
      expect(lines.slice(-ids.length).map((line) => Number(/sequenceId="(\d+)"/.exec(line)?.[1]))).toEqual(ids);
      const line = lines.find((one) => one.includes('é 7"') || one.includes('\\u00e9 7"')) ?? '';
      expect(line).toMatch(/^\S+ quarterdeck test\.done \[meta sequenceId="\d+"\] ?\{"id":/);
      expect(JSON.parse(line.slice(line.indexOf('{"id"')))).toMatchObject({
        action: 'test.done',
        detail: { text: 'é 7' },
      });
    },
  );

  it.skipIf(openssl === undefined)('reaches a receiver over TLS, whose certificate it checks', async () => {
    using authority = makeAuthority(openssl ?? '');
    const receiver = await listen(createTlsServer(authority.issue('receiver')));
    const known = getCACertificates('default');
    await using api = await startApi({ AUDIT_SYSLOG: `tls://127.0.0.1:${receiver.port}` });
    await recordMany(api, 3);
    const last = await newest(api);
    await api.server.jobs.runAll();
    expect(receiver.text()).toBe('');
    expect(api.logged.filter((line) => line.includes('audit entries cannot be sent'))).toHaveLength(1);
    setDefaultCACertificates([...known, authority.cert]);
    onTestFinished(() => setDefaultCACertificates(known));
    api.advance(600_000);
    await api.server.jobs.runAll();
    const ids = idsIn(receiver.text());
    expect(ids).toEqual(await idsAfter(api, (ids[0] ?? 0) - 1));
    expect(ids).toContain(last);
  });

  it('reaches a receiver of OTLP, with the headers of the setting', async () => {
    await using receiver = await startApi();
    const { token } = await receiver.admin.apiToken.create({ body: { scopes: ['errlog:write'] } });
    await using api = await startApi({
      AUDIT_OTLP: `${receiver.url}/v1/logs`,
      AUDIT_OTLP_HEADERS: `API-Token=${token}`,
    });
    await record(api, { detail: { text: 'é sent' } });
    await api.server.jobs.runAll();
    const { data } = await receiver.admin.line.list({ query: { q: 'sent' } });
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ service: 'quarterdeck', fields: { 'quarterdeck.audit.action': 'test.done' } });
    expect(JSON.parse(data[0]?.log ?? '')).toMatchObject({ action: 'test.done', detail: { text: 'é sent' } });
    expect(api.logged.join('')).not.toContain(token);
    const metrics = await scrape(api);
    expect(metrics).toMatch(/^quarterdeck_audit_entries_sent_total\{receiver="otlp"\} [1-9]/m);
    expect(metrics).toContain('quarterdeck_audit_send_failures_total{receiver="otlp"} 0\n');
  });

  it('goes on where it stopped, in order, when the receiver or the server was away', async () => {
    await using place = await newPlace();
    const port = await freePort();
    const settings = { ...place.sharing, AUDIT_SYSLOG: `tcp://127.0.0.1:${port}` };
    let first = 0;
    {
      await using api = await startApi(settings);
      first = await newest(api);
      await recordMany(api, 5);
      for (let i = 0; i < 4; i += 1) await api.server.jobs.runAll();
      expect(api.logged.filter((line) => line.includes('audit entries cannot be sent'))).toHaveLength(1);
    }
    const receiver = await listen(createServer(), port);
    await using api = await startApi(settings);
    await recordMany(api, 5);
    await api.server.jobs.runAll();
    const ids = await idsAfter(api, first);
    await expect.poll(() => idsIn(receiver.text()).length).toBeGreaterThanOrEqual(ids.length);
    expect(idsIn(receiver.text()).slice(-ids.length)).toEqual(ids);
  });

  it('waits longer after each failure, and sends again what it does not know to be received', async () => {
    await using api = await startApi();
    const { db, log } = api.server.deps;
    let isAway = true;
    const received: number[] = [];
    const lease = { hold: async () => true, keep: async () => true };
    const sender = createAuditSender({ db, log, now: api.now }, lease, 'syslog', async (entries) => {
      received.push(...entries.map(({ id }) => id));
      if (isAway) throw Object.assign(new Error('token=canary'), { code: 'ECONNRESET' });
    });
    const never = () => false;
    for (let i = 0; i < 3; i += 1) await sender.run(never);
    expect(sender.stats().failures).toBe(1);
    for (const ms of [1_000, 2_000, 4_000]) {
      api.advance(ms - 500);
      await sender.run(never);
      const { failures } = sender.stats();
      api.advance(501);
      await sender.run(never);
      expect(sender.stats().failures).toBe(failures + 1);
    }
    isAway = false;
    received.length = 0;
    api.advance(600_000);
    await sender.run(never);
    expect(received).toEqual(await idsAfter(api, 0));
    const count = received.length;
    await sender.run(never);
    expect(received).toHaveLength(count);
    expect(api.logged.join('')).not.toContain('canary');
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
    const receiver = await listen(createServer());
    await using place = await newPlace();
    const settings = { ...place.sharing, AUDIT_SYSLOG: `tcp://127.0.0.1:${receiver.port}` };
    await using api = await startApi(settings);
    await using other = await startApi(settings);
    await recordMany(api, 20);
    await Promise.all([api, other, api].map(({ server }) => server.jobs.runAll()));
    const ids = idsIn(receiver.text());
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(ids.length).toBeGreaterThanOrEqual(20);
  });
});
