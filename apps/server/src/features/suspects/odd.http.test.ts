// Odd one out: how failing hosts differ from healthy hosts of the same sort, at the time of the first error.
import { afterEach, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { watch } from '../../../test/alert-calls.ts';
import { MadeError } from '../../../test/fleet.ts';
import { removeFleet, useSteadyApi } from '../../../test/steady-api.ts';

const MINUTE_MS = 60_000;
const api = useSteadyApi();
const { beat } = agentCalls(api);
afterEach(() => removeFleet(api));

type Agent = Awaited<ReturnType<typeof api.agent>>;
const nowS = () => Math.floor(api.now() / 1000);

/** Adds hosts with facts, and a label that makes them twins. */
async function addHosts(n: number, facts: object, site = 'north'): Promise<Agent[]> {
  const added: Agent[] = [];
  for (let i = 0; i < n; i += 1) {
    const agent = await api.agent();
    await beat(agent, facts);
    await api.admin.agent.update({ params: { id: agent.id }, body: { labels: { site } } });
    added.push(agent);
  }
  return added;
}

const certificate = (fingerprint: string) => [
  {
    ...{ place: '/etc/ssl/shop.pem', subject: 'CN=shop', issuer: 'CN=ca', fingerprint: fingerprint.padStart(16, '0') },
    expire: nowS() + 90 * 86_400,
  },
];
const system = (kernel: string) => ({ system_version: { kernel, libc: '2.41' } });

async function errorOn(agents: readonly Agent[]): Promise<number> {
  const error = new MadeError(api.server.deps.db);
  const ids = await Promise.all(agents.map(({ id }) => error.onAgent(id, [nowS()])));
  return ids[0] ?? 0;
}

describe('GET /admin-api/log_server/errlog/{id}/odd', () => {
  it('ranks what failing hosts have and their twins have not, as it was when the error began', async () => {
    const failing = await addHosts(2, system('6.13'));
    const twins = await addHosts(4, system('6.12'));
    await addHosts(3, system('6.13'), 'south');
    // Each host has a certificate of its own, so another one is not odd.
    for (const [i, agent] of [...failing, ...twins].entries())
      await beat(agent, { certificates: certificate(String(i)) });
    const change = { seq: 1, ago: 60, kind: 'package', field: 'nginx', from: '1.26', to: '1.28' };
    await beat(failing[0] as Agent, { changes: [change] });
    api.advance(MINUTE_MS);
    const id = await errorOn(failing);
    api.advance(10 * MINUTE_MS);
    for (const agent of failing) await beat(agent, system('6.14'));
    const { data, meta } = await api.admin.errlog.odd({ params: { id } });
    expect(meta).toMatchObject({ failing: 2, twins: 4, twins_by: 'site=north', complete: true });
    const [first, ...others] = data;
    expect(first).toMatchObject({
      kind: 'fact',
      field: 'system_version.kernel',
      value: '6.13',
      twins: '6.12',
      score: 0.8,
    });
    expect(first?.agents.map((agent) => agent.id).sort()).toEqual(failing.map((agent) => agent.id).sort());
    expect(others).toMatchObject([{ kind: 'package', field: 'nginx', value: '1.28', twins: '', score: 0.4 }]);
  });

  it('compares contents of files that were hashed under one key, and otherwise only that they were changed', async () => {
    const hosts = [...(await addHosts(1, {})), ...(await addHosts(4, {}))];
    const [own, common] = [
      ['/etc/own.conf', ''],
      ['/etc/common.conf', 'abcdef:'],
    ] as const;
    for (const [i, agent] of hosts.entries()) {
      const hash = i === 0 ? '0123456789ab' : 'ba9876543210';
      const changes = [own, common].map(([field, label], at) => {
        return { seq: at + 1, ago: 60, kind: 'config', field, from: `${label}000000000000`, to: label + hash };
      });
      await beat(agent, { changes });
    }
    const id = await errorOn(hosts.slice(0, 1));
    const { data } = await api.admin.errlog.odd({ params: { id } });
    expect(data.filter(({ kind }) => kind === 'config')).toMatchObject([
      { field: '/etc/common.conf', value: 'abcdef:0123456789ab', twins: 'abcdef:ba9876543210', score: 0.8 },
    ]);
  });

  it('shows nothing of hosts to callers that may not read agents', async () => {
    const failing = await addHosts(1, system('6.13'));
    await addHosts(3, system('6.12'));
    const id = await errorOn(failing);
    const { token } = await api.admin.apiToken.create({ body: { name: 'errors', scopes: ['errlog:read'] } });
    const { data, meta } = await api.using(token).errlog.odd({ params: { id } });
    expect({ data, ...meta }).toMatchObject({ data: [], failing: 0, twins: 0, complete: false });
  });

  it('is in the message about an error before which nothing changed', async () => {
    const failing = await addHosts(1, system('6.13'));
    await addHosts(5, system('6.12'));
    api.advance(90 * MINUTE_MS);
    for (const agent of failing) await beat(agent, {});
    const rule = await watch(api, { kind: 'errlog.new' });
    await errorOn(failing);
    await rule.round();
    const [message] = await rule.messages();
    expect(message?.data['cause']).toMatchObject({
      change: null,
      why: expect.stringContaining('The failing host differs from 5 twins in system_version.kernel: 6.13, 6.12 there.'),
    });
  });
});

describe('GET /api/agents/{id}/odd', () => {
  it('compares a host with those of its labels, by its vitals, too', async () => {
    const [odd] = await addHosts(1, { vitals: { memory: 99 } });
    const twins = await addHosts(4, { vitals: { memory: 40 } });
    await api.server.jobs.runAgents();
    const { data } = await api.admin.agent.odd({ params: { id: odd?.id ?? 0 } });
    expect(data).toMatchObject([{ kind: 'vitals', field: 'memory', value: 'over 90 %', twins: 'at most 90 %' }]);
    expect((await api.admin.agent.odd({ params: { id: twins[0]?.id ?? 0 } })).data).toEqual([]);
    await expect(api.admin.agent.odd({ params: { id: 2_000_000_000 } })).rejects.toMatchObject({ status: 404 });
  });
});
