import { ROLES } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { agent, entry, FakeServer } from './fake-server.ts';
import { agentEvent, outage } from './fleet-rows.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const nowS = (): number => Math.floor(Date.now() / 1000);

async function onAgents(server: FakeServer, size: { columns?: number; rows?: number } = {}): Promise<Tui> {
  const tui = renderTui({ server, ...size });
  await tui.waitForText('● live');
  tui.press('3');
  await tui.waitForText('3 Agents');
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

  it('are narrowed by the value of the selected column', async () => {
    await using tui = await onAgents(fleet(), { columns: 150 });
    await tui.waitForText('1 of 4');
    tui.press('l', 'b', 'b');
    await tui.waitForText('/state:offline');
    await tui.waitForText('1 of 2');
    tui.press('l', 'b', 'n');
    await tui.waitForText('/state:offline -host:db-2');
    await tui.waitForText('1 of 1');
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

  it('follow the event stream: one goes offline, one is renewed, one is removed', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2), agent(3)];
    await using tui = await onAgents(server);
    await tui.waitForText('3 online');
    server.agents = [agent(1), agent(2, { online: false, state: 'offline', reason: 'lost' }), agent(4)];
    server.emit('agent.offline', server.agents[1]);
    await tui.waitForText(/○ offline\s+host-02/);
    server.emit('agent.removed', { id: 3 });
    await tui.waitForNoText('host-03');
    // A partial event makes the list read again.
    await tui.waitForText('host-04');
    expect(hosts(tui)).toEqual(['host-02', 'host-01', 'host-04']);
  });

  it('are read again when the server says that too much happened to agents', async () => {
    const server = new FakeServer();
    server.agents = [agent(1)];
    await using tui = await onAgents(server);
    await tui.waitForText('1 online');
    server.agents = [agent(1), agent(2)];
    server.emit('resync', { reason: 'burst', of: 'agent' });
    await tui.waitForText('host-02');
    await tui.waitForText('2 online');
  });

  it('keep the selection on its agent when the order changes', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2), agent(3)];
    await using tui = await onAgents(server);
    await tui.waitForText('1 of 3');
    tui.press('j');
    await tui.waitForText(/▌.*host-02/);
    server.agents = [agent(1), agent(2), agent(3, { online: false, state: 'offline', reason: 'lost' })];
    server.emit('agent.offline', server.agents[2]);
    await tui.waitForText('3 of 3');
    expect(tui.text()).toMatch(/▌.*host-02/);
  });

  it('are narrowed by the server: text, facets with its counts, keys, and what is typed', async () => {
    await using tui = await onAgents(fleet(), { columns: 120, rows: 40 });
    await tui.waitForText('1 of 4');
    tui.type('/WEB\r');
    await tui.waitFor('the two', () => hosts(tui).join() === 'web-1,web-2');
    tui.press('x');
    await tui.waitForText(/site=north +1/);
    expect(tui.text()).toMatch(/Environment[\s\S]*host +1[\s\S]*vm +1/);
    tui.press('escape', 'escape');
    await tui.waitForText('1 of 4');
    tui.press('u');
    await tui.waitForText('[away]');
    await tui.waitFor('those away', () => hosts(tui).join() === 'db-2,db-1');
    tui.press('escape');
    await tui.waitForText('1 of 4');
    tui.type(':agents label=site=north env=vm\r');
    await tui.waitForText('[env vm]  [site=north]');
    await tui.waitFor('the one', () => hosts(tui).join() === 'web-1');
    tui.type('b0bd');
    await tui.waitForText('[including deleted]');
    await tui.waitFor('all of them', () => hosts(tui).length === 5);
  });

  it('are filtered by the language, whose fields and labels are completed and checked', async () => {
    await using tui = await onAgents(fleet(), { columns: 120, rows: 30 });
    await tui.waitForText('1 of 4');
    tui.type('/colour:red');
    await tui.waitForText('There is no such field.');
    tui.press('escape');
    tui.type('/label.s');
    await tui.waitForText(/label\.site:\s+2/);
    tui.press('tab');
    await tui.waitForText('/label.site:');
    tui.type('n');
    await tui.waitForText(/north\s+1/);
    tui.type('orth OR state:offline\r');
    await tui.waitFor('the three', () => hosts(tui).join() === 'db-2,db-1,web-1');
  });

  it('are sorted by the server', async () => {
    await using tui = await onAgents(fleet());
    await tui.waitForText('1 of 4');
    tui.press('s', 'h');
    await tui.waitFor('names', () => hosts(tui).join() === 'db-1,db-2,web-1,web-2');
    expect(tui.text()).toContain('Host▲');
    tui.press('S');
    await tui.waitFor('names downwards', () => hosts(tui).join() === 'web-2,web-1,db-2,db-1');
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
    await using tui = await onAgents(server, { columns: 140, rows: 40 });
    await tui.waitForText('42% upgrading');
    tui.press('enter');
    await tui.waitForText('in the cellar');
    expect(tui.text()).toContain('(marked as bad)');
    expect(tui.text()).toMatch(/Reports every\s+30 s/);
    tui.type(']]');
    await tui.waitForText('glibc 2.36');
    tui.type(']]]]');
    await tui.waitForText('kernel: 6.1 → 6.2');
    expect(tui.text()).toMatch(/◆ labels\s+site=north {2}by admin/);
    tui.type(']]');
    await tui.waitForText('its disk is full');
    tui.type(']]');
    await tui.waitForText('"node_id": "node-1"');
    tui.type(']]');
    await tui.waitForText('[summary]');
    tui.press('q');
    await tui.waitForNoText('in the cellar');
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
    tui.type('c');
    await tui.waitForText('+    worker_connections 4096;');
    expect(tui.text()).toContain('/etc/nginx/one.conf');
    tui.press('escape');
    await tui.waitForNoText('worker_connections');
    tui.press('j');
    tui.type('c');
    await tui.waitForText('Choose a change');
    tui.type('three\r');
    await tui.waitForText('+    worker_connections 4096;');
    expect(tui.text()).toContain('/etc/nginx/␛three.conf');
    tui.press('escape');
    await tui.waitForNoText('worker_connections');
    tui.press('j');
    tui.type('c');
    await tui.waitForText('No changed lines are stored for this agent.');
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
      tui.press('enter');
      tui.type(']]]]]]');
      tui.press('tab');
      await tui.waitForText('/etc/nginx/one.conf: aa → bb');
      await tui.waitForText('Enter entry');
      tui.press('enter');
      await tui.waitForText('History of host-01');
      const maySee = permissions === ROLES.master;
      expect(tui.text().includes('changed lines ')).toBe(maySee);
      tui.press('enter');
      await tui.waitForText(maySee ? '+    worker_connections 4096;' : '╭─ ◆ configuration');
      tui.press('escape', 'enter');
      tui.type('kernel\r');
      await tui.waitForText(/╭─ ◆ changed · .*─╮[\s\S]*kernel: 6\.1 → 6\.2[\s\S]*by ann/);
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

  it('are sorted by what the server sorts by, by their states both ways', async () => {
    await using tui = await onAgents(fleet(), { columns: 120 });
    await tui.waitForText(/1 of \d/);
    tui.press('s');
    await tui.waitForText('Sort by');
    const offered = tui.lines().flatMap((line) => /│ [ ▌] \w {2}(\w+)/.exec(line)?.[1] ?? []);
    expect(offered).toEqual(['State', 'Host', 'Seen', 'Kernel', 'Agent', 'Since', 'Registered']);
    const first = (state: string) => (): boolean => tui.lines()[3]?.includes(state) === true;
    tui.press('s');
    await tui.waitForText('State▲');
    await tui.waitFor('who is away first', () => !first('● online')());
    tui.press('S');
    await tui.waitForText('State▼');
    await tui.waitFor('who is there first', first('● online'));
  });

  it('are counted by the values of a column, read or not', async () => {
    const server = new FakeServer();
    server.agents = Array.from({ length: 250 }, (_, index) => agent(index + 1, { env: index < 240 ? 'vm' : 'host' }));
    await using tui = await onAgents(server, { columns: 120 });
    await tui.waitForText('1 of 250');
    tui.type('5lF');
    await tui.waitForText('Env: 2 values in 250 agents');
    await tui.waitForText(/vm +━+ +240 +96%/);
  });

  it('say that there are none, and that none matches', async () => {
    await using tui = await onAgents(new FakeServer());
    await tui.waitForText('No agents yet.');
    tui.type(':agents env=moon\r');
    await tui.waitForText('No agent matches [env moon]; Esc clears.');
    tui.type(':agents state=ofline\r');
    await tui.waitForText('Invalid state: ofline.');
    expect(tui.text()).toContain('No agent matches [env moon]');
  });

  it('say why they cannot be read', async () => {
    const server = new FakeServer();
    server.refuse.set('/api/agents', { code: 'internal' });
    await using tui = await onAgents(server);
    await tui.waitForText('Internal server error.');
  });
});
