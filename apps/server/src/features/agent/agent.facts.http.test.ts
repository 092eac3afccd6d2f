import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { agentCalls, FACTS } from '../../../test/agent-calls.ts';
import { isOf } from '../../../test/event-calls.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const api = useSteadyApi();

const { agentOf, beat } = agentCalls(api);

/** The history of an agent without registration and presence. */
async function changesOf(agentId: number) {
  const rows = await api.server.deps.db.read.prisma.agentChange.findMany({
    where: { agentId },
    orderBy: { id: 'asc' },
  });
  return rows
    .filter(({ kind }) => kind !== 'registered' && kind !== 'online')
    .map(({ kind, field, before, after }) => [kind, field, before, after]);
}

describe('the key of hashes of files', () => {
  it('is handed out to agents that have another one or none, the same to all of an installation', async () => {
    const agents = [await api.agent(), await api.agent()];
    const keys = await Promise.all(
      agents.map(async (agent, i) => (await beat(agent, { hash_key: ['', '0123456789abcdef'][i] })).body.data.hash_key),
    );
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/), keys[0]]);
    const name = createHash('sha256').update(Buffer.from(keys[0], 'base64url')).digest('hex').slice(0, 16);
    for (const agent of agents) {
      expect((await beat(agent, { hash_key: name })).body.data).toEqual({ interval: 30 });
      expect((await beat(agent)).body.data).toEqual({ interval: 30 });
    }
    expect(JSON.stringify(await agentOf(agents[0]?.id ?? 0, 'detail=1'))).not.toContain(keys[0]);
  });
});

describe('a report with news', () => {
  it('adds a history entry for each changed fact, with both values', async () => {
    const agent = await api.agent();
    const { hostname } = await agentOf(agent.id);
    await beat(agent, FACTS);
    expect(await changesOf(agent.id)).toEqual([
      ['changed', 'hostname', hostname, 'db-1.example.org'],
      ['changed', 'ip', '', '2001:db8::1'],
      ['changed', 'env', 'unknown', 'container'],
      ['changed', 'system_name', '', 'Debian GNU/Linux 13 (trixie)'],
      ['changed', 'package.version', '0', '9007199254740991'],
      ['changed', 'package.timestamp', '0', '1790000000'],
      ['changed', 'dependency.stap_version', '', '5.2'],
      ['changed', 'dependency.odb_version', '', '1.0'],
      ['changed', 'system_version.kernel_package', '', 'linux-image-6.12'],
      ['changed', 'system_version.kernel_bid', '', 'abcdef'],
      ['changed', 'system_version.kernel_distro', '', 'debian'],
      ['changed', 'system_version.libc', '', '2.41'],
      ['changed', 'system_version.kernel', '', '6.12.1'],
      ['changed', 'catch_transient_event', 'false', 'true'],
      ['changed', 'autorun_tools', 'false', 'true'],
      ['changed', 'bad_kernel', 'false', 'true'],
    ]);
    for (const body of [FACTS, {}, { system_version: { kernel: '6.12.1' } }]) await beat(agent, body);
    expect(await changesOf(agent.id)).toHaveLength(16);
    await beat(agent, { system_version: { kernel: '6.12.2', libc: '2.41' } });
    expect((await changesOf(agent.id)).slice(16)).toEqual([['changed', 'system_version.kernel', '6.12.1', '6.12.2']]);
  });

  it('adds history for a registration with other facts', async () => {
    const agent = await api.agent();
    await beat(agent, { ip: '192.0.2.1', started: 1_000 });
    const hostname = (await agentOf(agent.id)).hostname;
    const body = { node_id: agent.nodeId, hostname, ip: '192.0.2.2', started: 2_000, force: true };
    await api.admin.agent.register({ body });
    expect((await changesOf(agent.id)).slice(1)).toEqual([
      ['restarted', 'started', '1000', '2000'],
      ['changed', 'ip', '192.0.2.1', '192.0.2.2'],
    ]);
  });

  it('stores progress without history', async () => {
    const agent = await api.agent();
    const shipper = { files: 2, lines: 10, bytes_waiting: 0, lines_dropped: 0, lines_refused: 0 };
    const before = await agentOf(agent.id, 'detail=1');
    expect(before.shipper).toBe(null);
    api.advance(1_000);
    await beat(agent, { shipper });
    await beat(agent, { shipper: { ...shipper, lines: 11 } });
    const current = () => agentOf(agent.id, 'detail=1');
    await api.server.jobs.runAgents();
    expect(await current()).toMatchObject({ shipper: { ...shipper, lines: 11 }, modified: before.modified });
    api.advance(1_000);
    // The stored facts are reported again before the facts in between are stored.
    await beat(agent, { shipper });
    await beat(agent, { shipper: { ...shipper, lines: 11 } });
    await api.server.jobs.runAgents();
    expect(await current()).toMatchObject({ shipper: { ...shipper, lines: 11 } });
    await beat(agent, { progress: { current: 7, detail: 'at it' }, shipper });
    expect(await agentOf(agent.id, 'detail=1')).toMatchObject({
      shipper,
      progress: { current: 7, detail: 'at it' },
    });
    expect(await changesOf(agent.id)).toEqual([]);
  });

  it('tells a restart from a reboot, and announces it', async () => {
    const agent = await api.agent();
    const nowS = Math.floor(api.now() / 1000);
    await using stream = await listenEvents(api.admin);
    await beat(agent, { boot_time: nowS - 1_000, started: nowS - 900 });
    expect(await changesOf(agent.id)).toEqual([]);
    await beat(agent, { started: nowS - 500 });
    await beat(agent, { boot_time: nowS - 100, started: nowS - 90 });
    expect((await changesOf(agent.id)).map(([kind]) => kind)).toEqual(['restarted', 'rebooted', 'restarted']);
    await stream.first((event) => isOf(agent.id)(event) && event.data.boot_time === nowS - 100);
  });
});
