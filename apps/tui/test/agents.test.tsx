import { ROLES } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { agent, entry, FakeServer } from './fake-server.ts';
import { agentEvent, outage } from './fleet-rows.ts';
import { openTui, type Tui } from './render-tui.tsx';

const nowS = (): number => Math.floor(Date.now() / 1000);

async function onAgents(server: FakeServer, size: { columns?: number; rows?: number } = {}): Promise<Tui> {
  const tui = await openTui('● live', { server, ...size });
  await tui.press('3').until('3 Agents');
  return tui;
}

const hosts = (tui: Tui): string[] =>
  tui.lines().flatMap((line) => /[●○◇·✖] (?:online|offline|pending|inactive|deleted) +(\S+)/.exec(line)?.[1] ?? []);

/** A fleet in every state. */
function fleet(): FakeServer {
  const server = new FakeServer();
  server.agents = [
    agent(1, { hostname: 'web-1', env: 'vm', labels: { site: 'north' } }),
    agent(2, { hostname: 'web-2', labels: { site: 'south', tier: '' }, bad_kernel: true, bad_kernel_reason: 'stalls' }),
    agent(3, { hostname: 'db-1', online: false, state: 'offline', reason: 'lost', state_since: nowS() - 600 }),
    agent(4, { hostname: 'db-2', online: false, state: 'offline', reason: 'shut_down', state_since: nowS() - 60 }),
    agent(5, { hostname: 'old-1', online: false, state: 'deleted', reason: 'deleted', is_deleted: true }),
  ];
  return server;
}

describe('the agents', () => {
  it('are listed with state, reason, address and age, those away first, the latest of them on top', async () => {
    await using tui = await onAgents(fleet(), { columns: 150 });
    await tui.waitForText('2 offline  2 online  1 of 4');
    expect(hosts(tui)).toEqual(['db-2', 'db-1', 'web-1', 'web-2']);
    expect(tui.lines()[3]).toMatch(/○ offline\s+db-2\s+\d+s\s+shut down\s+10\.0\.0\.4\s+host\s+6\.1\.0-25/);
    expect(tui.lines()[4]).toContain('went silent');
    expect(tui.lines()[6]).toContain('▲ bad kernel: stalls');
  });

  it('age by themselves', async () => {
    const server = new FakeServer();
    server.agents = [agent(1)];
    await using tui = await onAgents(server);
    const seen = (): string => /host-01\s+(\d+)s/.exec(tui.text())?.[1] ?? '';
    await tui.waitFor('an age', () => seen() !== '');
    const first = Number(seen());
    await tui.waitFor('a greater age', () => Number(seen()) > first);
  });

  it('follow the event stream: one goes offline, one is renewed, one is removed, and too much to tell', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2), agent(3)];
    await using tui = await onAgents(server);
    await tui.waitForText('3 online');
    await tui.press('j').until(/▌.*host-02/);
    server.agents = [agent(1), agent(2, { online: false, state: 'offline', reason: 'lost' }), agent(4)];
    server.emit('agent.offline', server.agents[1]);
    // The selection stays on its agent.
    await tui.waitForText(/▌ ○ offline\s+host-02/);
    server.emit('agent.removed', { id: 3 });
    await tui.waitForNoText('host-03');
    // A partial event makes the list read again.
    await tui.waitForText('host-04');
    expect(hosts(tui)).toEqual(['host-02', 'host-01', 'host-04']);
    server.agents.push(agent(5));
    server.emit('resync', { reason: 'burst', of: 'agent' });
    await tui.waitForText('host-05', '3 online');
  });

  it('are narrowed by the server: text, facets with its counts, keys, and what is typed', async () => {
    await using tui = await onAgents(fleet(), { columns: 120, rows: 40 });
    await tui.waitForText('1 of 4');
    tui.type('/WEB\r');
    await tui.waitFor('the two', () => hosts(tui).join() === 'web-1,web-2');
    await tui.press('x').until(/site=north +1/);
    expect(tui.text()).toMatch(/Environment[\s\S]*host +1[\s\S]*vm +1/);
    await tui.press('escape', 'escape').until('1 of 4');
    await tui.press('u').until('[away]');
    await tui.waitFor('those away', () => hosts(tui).join() === 'db-2,db-1');
    await tui.press('escape').until('1 of 4');
    await tui.type(':agents label=site=north env=vm\r').until('[env vm]  [site=north]');
    await tui.waitFor('the one', () => hosts(tui).join() === 'web-1');
    await tui.type('b0bd').until('[including deleted]');
    await tui.waitFor('all of them', () => hosts(tui).length === 5);
  });

  it('are filtered by the language, whose fields and labels are completed and checked', async () => {
    await using tui = await onAgents(fleet(), { columns: 120, rows: 30 });
    await tui.waitForText('1 of 4');
    await tui.type('/colour:red').until('There is no such field.');
    await tui.press('escape', '/label.s').until(/label\.site:\s+2/);
    await tui.press('tab').until('/label.site:');
    await tui.type('n').until(/north\s+1/);
    tui.type('orth OR state:offline\r');
    await tui.waitFor('the three', () => hosts(tui).join() === 'db-2,db-1,web-1');
  });

  it('show every fact of the selected one, its history, the errors of its host, and all of it raw', async () => {
    const server = new FakeServer();
    server.agents = [
      agent(1, { bad_kernel: true, note: 'in the cellar', progress: { current: 42, detail: 'upgrading' } }),
    ];
    server.history.set(1, [
      agentEvent(2),
      agentEvent(1, { kind: 'labels', field: '', from: '', to: 'site=north', actor: 'admin' }),
    ]);
    server.errlog = [entry(7, { source: 'host-01', log: 'its disk is full' })];
    await using tui = await onAgents(server, { columns: 160, rows: 40 });
    await tui.waitForText('42% upgrading');
    await tui.press('enter').until('in the cellar');
    expect(tui.text()).toContain('(marked as bad)');
    expect(tui.text()).toMatch(/Reports every\s+30 s/);
    await tui.type(']]').until('glibc 2.36');
    await tui.type(']]]]').until('kernel: 6.1 → 6.2');
    expect(tui.text()).toMatch(/◆ labels\s+site=north {2}by admin/);
    await tui.type(']]').until('over 90 %');
    expect(tui.text()).toMatch(/CPU\s+[▁▂▃▄▅▆▇█ ]+█\s+97 % now, over 80 %/);
    expect(tui.text()).toMatch(/Disk \/var\s+.*95 % now, over 90 %/);
    await tui.type(']]').until('its disk is full');
    await tui.type(']]').until('"node_id": "node-1"');
    await tui.type(']]').until('[summary]');
    await tui.press('q').untilGone('in the cellar');
  });

  it('show the changed lines of a configuration file, of the only one or of a chosen one', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2), agent(3)];
    const change = (id: number, field: string) =>
      agentEvent(id, { kind: 'config', field, from: 'aa', to: 'bb', has_diff: true });
    server.history.set(1, [change(2, '/etc/nginx/one.conf'), agentEvent(1)]);
    server.history.set(2, [change(4, '/etc/nginx/two.conf'), change(3, '/etc/nginx/\u001bthree.conf')]);
    await using tui = await onAgents(server, { columns: 140, rows: 40 });
    await tui.waitForText('1 of 3');
    await tui.type('c').until('+    worker_connections 4096;');
    expect(tui.text()).toContain('/etc/nginx/one.conf');
    await tui.press('escape').untilGone('worker_connections');
    await tui.press('j', 'c').until('Choose a change');
    await tui.type('three\r').until('+    worker_connections 4096;');
    expect(tui.text()).toContain('/etc/nginx/␛three.conf');
    await tui.press('escape').untilGone('worker_connections');
    await tui.press('j', 'c').until('No changed lines are stored for this agent.');
  });

  it('show the changed lines behind an entry of the history by Enter, and the text of other entries', async () => {
    const server = new FakeServer();
    server.agents = [agent(1)];
    server.history.set(1, [
      agentEvent(2, { kind: 'config', field: '/etc/nginx/one.conf', from: 'aa', to: 'bb', has_diff: true }),
      agentEvent(1, { field: 'system_version.kernel', from: '6.1', to: '6.2', actor: 'ann' }),
    ]);
    for (const permissions of [ROLES.master, ['agent:read', 'errlog:read'] as const]) {
      server.permissions = permissions;
      await using tui = await onAgents(server, { columns: 100, rows: 30 });
      await tui.waitForText('1 of 1');
      await tui.press('enter', ']]]]]]', 'tab').until('/etc/nginx/one.conf: aa → bb', 'Enter entry');
      await tui.press('enter').until('History of host-01');
      const maySee = permissions === ROLES.master;
      expect(tui.text().includes('changed lines ')).toBe(maySee);
      await tui.press('enter').until(maySee ? '+    worker_connections 4096;' : '╭─ ◆ configuration');
      tui.press('escape', 'enter');
      await tui.type('kernel\r').until(/╭─ ◆ changed · .*─╮[\s\S]*kernel: 6\.1 → 6\.2[\s\S]*by ann/);
    }
  });

  it('say calmly that many went silent together, and who is still away', async () => {
    const server = fleet();
    server.outages = [outage(1, { lost: 12, returned: 3, sample: [{ id: 3, hostname: 'db-1' }] })];
    await using tui = await onAgents(server, { columns: 120 });
    await tui.waitForText(/▲ 12 agents went silent together at .*, 3 agents back; 9 still away: db-1, …/);
    server.outages = [outage(1, { ended: nowS(), lost: 12, returned: 12 })];
    server.emit('agent.outage', server.outages[0]);
    await tui.waitForText('The outage is over: 12 of 12 agents are back.');
  });

  it('are sorted by what the server sorts by, both ways', async () => {
    await using tui = await onAgents(fleet(), { columns: 120 });
    await tui.waitForText(/1 of \d/);
    await tui.press('s').until('Sort by');
    const offered = tui.lines().flatMap((line) => /│ [ ▌] \w {2}(\w+)/.exec(line)?.[1] ?? []);
    expect(offered).toEqual(['State', 'Host', 'Seen', 'Kernel', 'Agent', 'Since', 'Registered']);
    await tui.press('h').until('Host▲');
    await tui.waitFor('names', () => hosts(tui).join() === 'db-1,db-2,web-1,web-2');
    await tui.press('S').until('Host▼');
    await tui.waitFor('names downwards', () => hosts(tui).join() === 'web-2,web-1,db-2,db-1');
    const first = (state: string) => (): boolean => tui.lines()[3]?.includes(state) === true;
    await tui.press('s', 's').until('State▲');
    await tui.waitFor('who is away first', () => !first('● online')());
    await tui.press('S').until('State▼');
    await tui.waitFor('who is there first', first('● online'));
  });

  it('are counted by the values of a column, read or not', async () => {
    const server = new FakeServer();
    server.agents = Array.from({ length: 250 }, (_, index) => agent(index + 1, { env: index < 240 ? 'vm' : 'host' }));
    await using tui = await onAgents(server, { columns: 120 });
    await tui.waitForText('1 of 250');
    await tui.type('5lF').until('Env: 2 values in 250 agents', /vm +━+ +240 +96%/);
  });

  it('say that there are none, and that none matches', async () => {
    await using tui = await onAgents(new FakeServer());
    await tui.waitForText('No agents yet.');
    await tui.type(':agents env=moon\r').until('No agent matches [env moon]; Esc clears.');
    await tui.type(':agents state=ofline\r').until('Invalid state: ofline.');
    expect(tui.text()).toContain('No agent matches [env moon]');
  });
});
