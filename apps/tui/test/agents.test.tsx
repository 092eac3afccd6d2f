import { describe, expect, it } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { renderTui, type Tui } from './render-tui.tsx';

async function onAgents(server: FakeServer, size: { columns?: number; rows?: number } = {}): Promise<Tui> {
  const tui = renderTui({ server, ...size });
  await tui.waitForText('● live');
  tui.press('3');
  await tui.waitForText('3 Agents');
  return tui;
}

describe('the agents', () => {
  it('are listed with state, address and age, the offline ones first', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2, { online: false, last_reported: Math.floor(Date.now() / 1000) - 7200 })];
    await using tui = await onAgents(server);
    await tui.waitForText('1 offline  1 online  1 of 2');
    expect(tui.lines()[3]).toMatch(/○ offline\s+host-02\s+2h\s+10\.0\.0\.2\s+host\s+6\.1\.0-25/);
    expect(tui.lines()[4]).toMatch(/● online\s+host-01\s+\d+s\s+10\.0\.0\.1/);
  });

  it('age by themselves', async () => {
    const server = new FakeServer();
    server.agents = [agent(1, { last_reported: Math.floor(Date.now() / 1000) - 3 })];
    await using tui = await onAgents(server);
    await tui.waitForText(/host-01\s+[34]s/);
    await tui.waitForText(/host-01\s+[56]s/);
  });

  it('follow the event stream: one goes offline, one comes, one is deleted', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2), agent(3)];
    await using tui = await onAgents(server);
    await tui.waitForText('3 online');
    server.emit('agent.offline', agent(2, { online: false }));
    await tui.waitForText('1 offline  2 online');
    server.emit('agent.registered', agent(4, { hostname: 'newcomer' }));
    await tui.waitForText('newcomer');
    server.emit('agent.changed', agent(3, { is_deleted: true }));
    await tui.waitForNoText('host-03');
  });

  it('keep the selection on its agent when the order changes', async () => {
    const server = new FakeServer();
    server.agents = [agent(1), agent(2), agent(3)];
    await using tui = await onAgents(server);
    await tui.waitForText('1 of 3');
    tui.press('j');
    await tui.waitForText(/▌.*host-02/);
    server.emit('agent.offline', agent(3, { online: false }));
    await tui.waitForText('3 of 3');
    expect(tui.text()).toMatch(/▌.*host-02/);
  });

  it('show every fact of the selected one', async () => {
    const server = new FakeServer();
    server.agents = [
      agent(1, { bad_kernel: true, note: 'in the cellar', progress: { current: 42, detail: 'upgrading' } }),
    ];
    await using tui = await onAgents(server, { columns: 140, rows: 40 });
    await tui.waitForText('42% upgrading');
    tui.press('enter');
    await tui.waitForText('in the cellar');
    expect(tui.text()).toContain('(marked as bad)');
    expect(tui.text()).toContain('glibc 2.36');
    expect(tui.text()).toMatch(/Reports every\s+30 s/);
    tui.press('q');
    await tui.waitForNoText('in the cellar');
  });

  it('say that there are none', async () => {
    await using tui = await onAgents(new FakeServer());
    await tui.waitForText('No agents yet.');
  });

  it('say why they cannot be read', async () => {
    const server = new FakeServer();
    server.refuse.set('/api/agents', { code: 'internal' });
    await using tui = await onAgents(server);
    await tui.waitForText('Something went wrong on our side.');
  });
});
