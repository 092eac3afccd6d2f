import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentCalls, FACTS } from '../../../test/agent-calls.ts';
import { isOf } from '../../../test/event-calls.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';

const YEAR_S = 365 * 86_400;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { agentOf, beat } = agentCalls(() => api);

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
    await beat(agent, { shipper });
    await beat(agent, { shipper: { ...shipper, lines: 11 } });
    const current = () => agentOf(agent.id, 'detail=1');
    await expect.poll(current).toMatchObject({ shipper: { ...shipper, lines: 11 }, modified: before.modified });
    // The stored facts are reported again before the facts in between are stored.
    await beat(agent, { shipper });
    await beat(agent, { shipper: { ...shipper, lines: 11 } });
    await api.server.jobs.runAll();
    expect(await current()).toMatchObject({ shipper: { ...shipper, lines: 11 } });
    await beat(agent, { progress: { current: 7, detail: 'at it' }, shipper });
    expect(await agentOf(agent.id, 'detail=1')).toMatchObject({
      shipper,
      progress: { current: 7, detail: 'at it' },
    });
    expect(await changesOf(agent.id)).toEqual([]);
  });

  it('tells a restart, a reboot and a set clock apart', async () => {
    const agent = await api.agent();
    const nowS = Math.floor(api.now() / 1000);
    await using stream = await listenEvents(api.admin);
    await beat(agent, { boot_time: nowS - 1_000, started: nowS - 900 });
    await beat(agent, { boot_time: nowS - 1_003, started: nowS - 900 });
    expect(await changesOf(agent.id)).toEqual([]);
    await beat(agent, { started: nowS - 500 });
    await beat(agent, { boot_time: nowS - 100, started: nowS - 90 });
    // The clock was a year behind and is set.
    await beat(agent, { boot_time: nowS - 100 + YEAR_S, started: nowS - 90 });
    expect(await changesOf(agent.id)).toEqual([
      ['restarted', 'started', String(nowS - 900), String(nowS - 500)],
      ['rebooted', 'boot_time', String(nowS - 1_000), String(nowS - 100)],
      ['restarted', 'started', String(nowS - 500), String(nowS - 90)],
    ]);
    expect(await agentOf(agent.id, 'detail=1')).toMatchObject({ boot_time: nowS - 100 + YEAR_S, started: nowS - 90 });
    await stream.first((event) => isOf(agent.id)(event) && event.data.boot_time === nowS - 100 + YEAR_S);
  });

  it('leaves managed settings, and gets them with the answer', async () => {
    const agent = await api.agent();
    await beat(agent, { autorun_tools: true });
    const { db } = api.server.deps;
    const data = { settingsManaged: true, autorunTools: false, catchTransientEvent: true };
    await db.write((tx) => tx.prisma.agent.update({ where: { id: agent.id }, data }));
    const settings = { autorun_tools: false, catch_transient_event: true };
    for (const body of [
      {},
      { autorun_tools: true, catch_transient_event: false },
      { ip: '192.0.2.3', autorun_tools: true },
    ]) {
      expect((await beat(agent, body)).body.data).toEqual({ interval: 30, settings });
    }
    expect(await agentOf(agent.id)).toMatchObject(settings);
    expect((await changesOf(agent.id)).map(([, field]) => field)).toEqual(['autorun_tools', 'ip']);
  });
});

describe('the verdict on a kernel', () => {
  it('is bad if a rule matches or the agent says so, and follows the kernel', async () => {
    const { db } = api.server.deps;
    const rule = { pattern: '5.10.0-2?-*', reason: 'loses packets', createdMs: 1n, createdBy: 'admin' };
    await db.write((tx) => tx.prisma.kernelRule.create({ data: rule }));
    const body = { node_id: 'bad kernel', hostname: 'h', system_version: { kernel: '5.10.0-21-amd64' } };
    const { id, secret } = await api.admin.agent.register({ body });
    const agent = { id, secret };
    expect(await agentOf(id, 'detail=1')).toMatchObject({ bad_kernel: true, bad_kernel_reason: 'loses packets' });
    await beat(agent, { bad_kernel: false });
    expect((await agentOf(id)).bad_kernel).toBe(true);
    await beat(agent, { system_version: { kernel: '5.10.0-3-amd64' } });
    expect(await agentOf(id, 'detail=1')).toMatchObject({ bad_kernel: false, bad_kernel_reason: '' });
    await beat(agent, { bad_kernel: true });
    expect(await agentOf(id, 'detail=1')).toMatchObject({ bad_kernel: true, bad_kernel_reason: '' });
    expect(
      (await changesOf(id)).filter(([, field]) => field === 'bad_kernel').map(([, , , to]) => to?.split(':')[0]),
    ).toEqual(['false', 'true']);
  });
});
