// Changes before an error began.
import type { ChangeWindow, SuspectedChange } from '@quarterdeck/core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { addHistory, hosts, MadeError, manyHosts } from '../../../test/fleet.ts';
import { removeFleet, useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const HOUR_S = 3_600;
const KERNEL = { kind: 'changed', field: 'system_version.kernel', before: '6.12.1', after: '6.12.9' } as const;

const api = useSteadyApi();
let T = 0;
beforeAll(async () => {
  T = Math.floor(api.now() / 1000) - 6 * HOUR_S;
});

const { beat } = agentCalls(api);
const db = () => api.server.deps.db;
const born = () => T - 100 * HOUR_S;
const changesOf = (id: number, query = {}) => api.admin.errlog.changes({ params: { id }, query });
/** Returns the window of the error's beginning. */
async function beginning(id: number, query = {}): Promise<ChangeWindow> {
  const { windows } = await changesOf(id, query);
  return windows.find(({ kind }) => kind === 'first_seen') as ChangeWindow;
}
const named = ({ kind, field, to }: SuspectedChange) => [kind, field, to].filter((part) => part !== '').join(' ');
// The others are the test's own.
beforeEach(() => removeFleet(api));

describe('GET /admin-api/log_server/errlog/{id}/changes', () => {
  it('names the change that those with the error have in common and the others do not', async () => {
    const ill = await manyHosts(db(), 10, born());
    const well = await manyHosts(db(), 30, born());
    const error = new MadeError(db());
    // Each breaks at its own time, a quarter of an hour after its change; one without any change.
    const ids: number[] = [];
    for (const [i, agent] of ill.entries()) {
      const onset = T + i * 7_200;
      if (i > 0) await addHistory(db(), [agent], onset - 900, KERNEL);
      ids.push(await error.onAgent(agent, [onset]));
    }
    await addHistory(db(), well.slice(0, 2), T + 7_200 - 60, KERNEL);
    // Decoys: everybody rebooted; some changed something else, some after the error; some never had the error.
    for (let i = 0; i < ill.length; i += 1)
      await addHistory(db(), [...ill, ...well], T + i * 7_200 - 1_200, { kind: 'rebooted' });
    await addHistory(db(), ill, T + 30 * HOUR_S, {
      kind: 'changed',
      field: 'system_version.libc',
      before: '1',
      after: '2',
    });
    await addHistory(db(), well, T - 60, { kind: 'changed', field: 'dependency.odb_version', before: '1', after: '2' });
    await addHistory(db(), ill.slice(0, 1), T - 60, { kind: 'note', field: 'note', after: 'x' });

    const window = await beginning(ids[3] ?? 0);
    expect(window).toMatchObject({
      time: T,
      from: T - HOUR_S,
      count: 1,
      usual: 0,
      affected: 10,
      unaffected: 30,
      unknown: 0,
    });
    expect(window.changes.map(named)).toEqual(['changed system_version.kernel 6.12.9', 'rebooted']);
    expect(window.changes[0]).toMatchObject({
      kind: 'changed',
      field: 'system_version.kernel',
      from: '6.12.1',
      to: '6.12.9',
      before: 900,
      affected: { with: 9, of: 10 },
      unaffected: { with: 2, of: 30 },
      first: T + 7_200 - 900,
      last: T + 9 * 7_200 - 900,
      score: 0.9995,
      strength: 'strong',
      explanation:
        '9 of 10 agents with this error changed system_version.kernel from 6.12.1 to 6.12.9 within an hour before it; 2 of 30 others did.',
    });
    expect(window.changes[0]?.agents).toHaveLength(9);
    const names = await db().read.prisma.agent.findMany({ where: { id: { in: ill } } });
    for (const { id, hostname, time } of window.changes[0]?.agents ?? []) {
      expect(names.find((row) => row.id === id)?.hostname).toBe(hostname);
      expect(time).toBe(T + ill.indexOf(id) * 7_200 - 900);
    }
    expect(window.changes[1]).toMatchObject({
      affected: { with: 10, of: 10 },
      unaffected: { with: 30, of: 30 },
      strength: 'weak',
    });
    expect(window.summary.split('\n')).toEqual([
      expect.stringMatching(/^“\w+ failed” began on 10 hosts \(.+, .+, .+, 7 more\) between .+ and .+ UTC\.$/),
      window.changes[0]?.explanation,
      expect.stringMatching(/^A strong cause\. Next: look at host-.+\.$/),
    ]);
  });

  it('names the change whose lines have the address in the error', async () => {
    const agent = await api.agent();
    const file = (seq: number, field: string, diff: string) => ({
      ...{ seq, ago: 300 / seq, kind: 'config', field, from: 'aa', to: 'bb', diff },
    });
    const lines = '@@ -1,2 +1,2 @@\n listen 10.9.0.1:7001\n-peer 10.9.0.1:7000\n+peer 10.9.0.2:7000\n';
    await beat(agent, { changes: [file(1, '/etc/shop/peers.ini', lines), file(2, '/etc/shop/news.ini', '')] });
    const firstFor = async (log: string) => {
      const id = await new MadeError(db(), 3, log).onAgent(agent.id, [Math.floor(api.now() / 1000)]);
      return (await beginning(id)).changes.find(({ kind }) => kind === 'config')?.field;
    };
    expect(await firstFor('dial tcp 10.9.0.2:7000: connection refused')).toBe('/etc/shop/peers.ini');
    // A port that is the same before and after proves nothing.
    expect(await firstFor('dial tcp 10.9.0.3:7000: connection refused')).toBe('/etc/shop/news.ini');
  });

  it('looks back as far and shows as many as the query says', async () => {
    const [agent = 0] = await manyHosts(db(), 1, born());
    const id = await new MadeError(db()).onAgent(agent, [T]);
    await addHistory(db(), [agent], T - 2 * HOUR_S, KERNEL);
    await addHistory(db(), [agent], T - 90, { kind: 'restarted' });
    expect((await beginning(id)).changes.map(named)).toEqual(['restarted']);
    expect((await beginning(id, { within: 60 })).changes).toEqual([]);
    const far = await beginning(id, { within: 3 * HOUR_S });
    expect(far.changes.map(named)).toEqual(['changed system_version.kernel 6.12.9', 'restarted']);
    expect(far.changes[0]?.explanation).toBe(
      'The only agent with this error changed system_version.kernel from 6.12.1 to 6.12.9 within 3 hours before it; there are no other agents.',
    );
    expect((await beginning(id, { within: 3 * HOUR_S, limit: 1 })).changes).toHaveLength(1);
  });

  it('takes an agent with several sources for one, from when the error first began on any', async () => {
    const [agent = 0] = await manyHosts(db(), 3, born());
    const error = new MadeError(db());
    await error.onAgent(agent, [T + HOUR_S], T + HOUR_S, 7);
    const id = await error.onAgent(agent, [T]);
    await addHistory(db(), [agent], T - 60, {
      kind: 'settings',
      field: 'autorun_tools',
      before: 'false',
      after: 'true',
    });
    await addHistory(db(), [agent], T + HOUR_S - 120, KERNEL);
    const window = await beginning(id);
    expect(window).toMatchObject({ time: T, affected: 1, unaffected: 2, unknown: 0 });
    expect(window.changes.map(named)).toEqual(['settings autorun_tools true']);
  });

  it('goes by when a line came in where its sender is ahead of time, and waits for a report that is due', async () => {
    const [agent = 0] = await manyHosts(db(), 2, born());
    const id = await new MadeError(db()).onAgent(agent, [T + 2 * HOUR_S], T);
    await addHistory(db(), [agent], T + HOUR_S, KERNEL);
    // The host booted, its programs failed at once, and its agent reported it with its first report.
    await addHistory(db(), [agent], T + 50, { kind: 'rebooted' });
    // A change by an administrator is known at once.
    await addHistory(db(), [agent], T + 50, { kind: 'settings', field: 'autorun_tools', after: 'true' });
    const window = await beginning(id);
    expect(window.time).toBe(T);
    expect(window.changes.map((change) => [named(change), change.before])).toEqual([['rebooted', 0]]);
  });

  it('names the label of the affected agents where no change explains the error', async () => {
    const [ill, well] = [await manyHosts(db(), 6, born()), await manyHosts(db(), 30, born())];
    await db().write(async (tx) => {
      const data = [...ill, ...well].map((agentId, i) => ({ agentId, name: 'site', value: i < 7 ? 'ams' : 'fra' }));
      await tx.prisma.agentLabel.createMany({ data });
    });
    const error = new MadeError(db());
    const [id = 0] = await error.onAgents(ill, [T]);
    await addHistory(db(), well.slice(0, 3), T - 60, KERNEL);
    const window = await beginning(id);
    expect(window.label).toEqual({
      name: 'site',
      value: 'ams',
      affected: { with: 6, of: 6 },
      unaffected: { with: 1, of: 30 },
    });
    expect(window.summary).toContain('All on site=ams; no change explains it.');
    await addHistory(db(), ill, T - 60, { kind: 'package', field: 'openssl', before: '3.0', after: '3.1' });
    const explained = await beginning(id);
    expect(explained).toMatchObject({ label: null, changes: [{ strength: 'strong', field: 'openssl' }] });
  });

  it('counts a change that a host with a short interval sees within a minute', async () => {
    const fleet = await manyHosts(db(), 12, born());
    const error = new MadeError(db());
    const [id = 0] = await error.onAgents(fleet.slice(0, 3), [T]);
    await db().write((tx) => tx.prisma.agent.updateMany({ data: { intervalS: 5 } }));
    await addHistory(db(), fleet.slice(0, 3), T + 40, { kind: 'disk', field: '/var', after: 'at least 98 % used' });
    expect((await beginning(id)).changes).toMatchObject([{ kind: 'disk', affected: { with: 3 } }]);
    await addHistory(db(), fleet.slice(0, 3), T + 70, { kind: 'dns', field: 'nameservers', after: '10.0.0.2' });
    expect((await beginning(id)).changes).toHaveLength(1);
  });

  it('says which hosts are silent since before the error', async () => {
    const fleet = await manyHosts(db(), 4, born());
    const error = new MadeError(db());
    const [id = 0] = await error.onAgents(fleet.slice(0, 3), [T]);
    const reported = (ids: readonly number[], atS: number) =>
      db().write((tx) =>
        tx.prisma.agent.updateMany({ where: { id: { in: [...ids] } }, data: { lastReportedMs: BigInt(atS * 1000) } }),
      );
    await reported(fleet, T + 30);
    expect((await beginning(id)).summary).not.toContain('not reported');
    await reported(fleet.slice(0, 2), T - 30);
    expect((await beginning(id)).summary).toContain('2 of 3 hosts have not reported since before it began');
  });

  it('names a change from outside with its address, and the hosts that it concerns', async () => {
    const names = Array.from({ length: 12 }, () => `host-${word()}`);
    const fleet = await hosts(db(), names, born());
    const error = new MadeError(db());
    const [id = 0] = await error.onAgents(fleet.slice(0, 4), [T]);
    const url = 'https://ci.example.com/run/7';
    const deploy = { kind: 'deploy', before: 'v1', after: 'v2', time: T - 90 };
    const { id: changeId } = await api.admin.change.create({
      body: { ...deploy, name: 'checkout', url, hosts: names.slice(0, 4) },
    });
    await api.admin.change.create({ body: { ...deploy, name: 'search' } });
    const { changes, summary } = await beginning(id);
    expect(changes[0]).toMatchObject({
      ...{ kind: 'change', field: 'deploy', name: 'checkout', from: 'v1', to: 'v2', strength: 'strong' },
      ...{ url, change_id: changeId, affected: { with: 4, of: 4 }, unaffected: { with: 0, of: 8 } },
    });
    expect(changes[1]).toMatchObject({ name: 'search', url: '', unaffected: { with: 8, of: 8 } });
    expect(summary).toContain(`Next: open ${url}.`);
  });

  it('knows the host behind a source of syslog by its name, or by its address where it gave no name', async () => {
    const name = word();
    const names = [`${name}-1`, `${name}-2`, `${name}-2`, `${name}-4`, `${name}-5`];
    const made = await hosts(db(), names, born(), (i) => `192.0.2.${i + 1}`);
    await addHistory(db(), made, T - 60, { kind: 'restarted' });
    const error = new MadeError(db());
    const syslog = (host: string, address: string) => error.on({ nodeType: 2, nodeId: -1, name: host, address }, [T]);
    const id = await syslog(`${name}-1`, '192.0.2.200');
    await syslog('192.0.2.4', '192.0.2.4');
    // Two hosts with one name; a host behind a relay that has an agent; nobody that is known.
    await syslog(`${name}-2`, '192.0.2.2');
    await syslog(`${name}-relayed`, '192.0.2.5');
    await syslog(`${name}-none`, '192.0.2.77');
    const window = await beginning(id);
    expect(window).toMatchObject({ affected: 2, unknown: 3, unaffected: 3 });
    const known = window.changes[0]?.agents.map((agent) => agent.id).sort((a, b) => a - b);
    expect(known).toEqual([made[0], made[3]]);
  });

  it('does not count who was not there: registered later, deleted before, purged', async () => {
    const [ill = 0, gone = 0] = await manyHosts(db(), 2, born());
    const [late = 0] = await manyHosts(db(), 1, T + HOUR_S);
    const [deleted = 0, here = 0, purged = 0] = await manyHosts(db(), 3, born());
    await addHistory(db(), [ill, late, deleted, here, purged, gone], T - 60, { kind: 'restarted' });
    const error = new MadeError(db());
    const id = await error.onAgent(ill, [T]);
    await error.onAgent(late, [T]);
    await error.onAgent(gone, [T]);
    await db().write(async (tx) => {
      await tx.prisma.agent.update({
        where: { id: deleted },
        data: { isDeleted: true, deletedMs: BigInt((T - 5_000) * 1000) },
      });
      await tx.prisma.agent.deleteMany({ where: { id: { in: [purged, gone] } } });
    });
    const window = await beginning(id);
    expect(window).toMatchObject({ affected: 1, unaffected: 1, unknown: 2 });
    expect(window.changes[0]).toMatchObject({ affected: { with: 1, of: 1 }, unaffected: { with: 1, of: 1 } });
    expect(window.changes[0]?.agents[0]?.id).toBe(ill);
  });

  it('reads no history of agents for a caller that may not see it', async () => {
    const ill = await manyHosts(db(), 1, born());
    const error = new MadeError(db());
    const id = await error.onAgent(ill[0] ?? 0, [T]);
    await addHistory(db(), ill, T - 60, KERNEL);
    const { token } = await api.admin.apiToken.create({ body: { scopes: ['errlog:read'] } });
    const readBy = async (headers: Record<string, string>) => {
      const tables = new Set<string>();
      const { statementTimes } = db();
      statementTimes.onStatement = ({ table }) => void tables.add(table);
      const { body } = await api.fetch(`/admin-api/log_server/errlog/${id}/changes`, { headers });
      statementTimes.onStatement = undefined;
      return { tables, windows: body.data.windows };
    };
    const shown = await readBy({ 'edge-token': api.adminToken });
    expect(shown.windows).toMatchObject([{ time: T, affected: 1, changes: [{ field: KERNEL.field }] }]);
    expect(shown.tables).toContain('agent_change');
    const hidden = await readBy({ 'API-Token': token });
    expect(hidden.windows).toMatchObject([{ time: T, affected: 1, label: null, summary: '', changes: [] }]);
    expect(hidden.tables).not.toContain('agent_change');
    expect(hidden.tables).not.toContain('agent_label');
  });

  it('says where history does not reach back', async () => {
    const [agent = 0] = await manyHosts(db(), 1, born());
    const id = await new MadeError(db()).onAgent(agent, [T]);
    expect((await changesOf(id)).complete).toBe(true);
    const from = (ms: number) =>
      db().write((tx) => tx.prisma.agent.update({ where: { id: agent }, data: { historyFromMs: BigInt(ms) } }));
    await from((T - HOUR_S) * 1000);
    expect((await changesOf(id)).complete).toBe(true);
    await from((T - HOUR_S) * 1000 + 1);
    expect((await changesOf(id)).complete).toBe(false);
  });

  it('says nothing of agents where no agent is known, and 404 of what is not there', async () => {
    const source = { nodeType: 1, nodeId: 3, name: word(), address: '' };
    const id = await new MadeError(db()).on(source, [T]);
    const { windows, complete } = await changesOf(id);
    expect(windows).toMatchObject([{ kind: 'first_seen', time: T, affected: 0, unknown: 1, changes: [] }]);
    expect(complete).toBe(true);
    await expect(changesOf(2 ** 31 - 1)).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });
});
