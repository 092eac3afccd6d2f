// The fleet as it was at a time: the list, its totals, and the details.
import { describe, expect, it } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { agentEvent } from './fleet-rows.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const nowS = (): number => Math.floor(Date.now() / 1000);
const HOUR = 3_600;

/** Two agents: one was online with another kernel two hours ago, and one did not exist. */
function fleet(): FakeServer {
  const server = new FakeServer();
  server.agents = [
    agent(1, { hostname: 'web-1', state: 'offline', online: false, reason: 'lost', created: nowS() - 90 * HOUR }),
    agent(2, { hostname: 'new-1', created: nowS() - HOUR }),
  ];
  server.history.set(1, [
    agentEvent(3, { time: nowS() - HOUR, kind: 'offline', field: 'lost' }),
    agentEvent(2, { time: nowS() - HOUR, field: 'system_version.kernel', from: '5.15.0', to: '6.1.0-25' }),
    agentEvent(1, { time: nowS() - 3 * HOUR, kind: 'note', field: 'note', from: '', to: 'old note' }),
  ]);
  return server;
}

async function onAgents(columns = 110): Promise<Tui> {
  const tui = renderTui({ server: fleet(), columns, rows: 30 });
  await tui.waitForText('● live');
  tui.type(':agents\r');
  await tui.waitForText('1 of 2');
  return tui;
}

describe(':at', () => {
  it('shows the fleet of that time, and Escape returns to the present', async () => {
    await using tui = await onAgents();
    tui.type(':at -2h\r');
    await tui.waitForText(/at (\w{3} \d+ )?\d\d:\d\d {2}\? not known then/);
    await tui.waitForText('1 online  1 of 1');
    expect(tui.text()).toMatch(/● online\s+web-1\s+\?.*5\.15\.0/);
    expect(tui.text()).not.toContain('new-1');
    tui.press('escape');
    await tui.waitForText('1 offline  1 online  1 of 2');
    expect(tui.text()).toMatch(/○ offline\s+web-1.*6\.1\.0-25/);
    tui.type(':at 2h\r');
    await tui.waitForText('1 online  1 of 1');
    tui.type(':at now\r');
    await tui.waitForText('1 of 2');
  });

  it('keeps the filter, and offers no change of the past', async () => {
    await using tui = await onAgents();
    tui.type('/kernel:5.15*\r');
    await tui.waitForText('No agent matches /kernel:5.15*; Esc clears.');
    tui.type(':at 2h\r');
    await tui.waitForText('1 online  1 of 1');
    expect(tui.text()).toContain('/kernel:5.15*');
    tui.press('D', 'e', 't', 'M');
    await tui.waitForText('The past cannot be changed. Press Esc to return to now.');
    tui.type(':delete\r');
    await tui.waitForText('The past cannot be changed.');
    expect(tui.server.seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('shows the history up to that time, and what is not known of it', async () => {
    await using tui = await onAgents();
    tui.type(':at 2h\r');
    await tui.waitForText('1 of 1');
    tui.press('enter');
    await tui.waitForText(/Progress +\?/);
    tui.press('enter');
    await tui.waitForText('? is not known of that time.');
    tui.type(']]]]]]');
    await tui.waitForText('old note');
    expect(tui.text()).not.toContain('went silent');
  });

  it('does not follow events', async () => {
    await using tui = await onAgents();
    tui.type(':at 2h\r');
    await tui.waitForText('1 of 1');
    tui.server.emit('agent.offline', agent(1, { hostname: 'renamed', online: false }));
    tui.press('r');
    await tui.waitForText('1 of 1');
    expect(tui.text()).toMatch(/● online\s+web-1/);
  });

  it('is asked for by its key', async () => {
    await using tui = await onAgents();
    tui.press('@', 'a');
    await tui.waitForText('Show the fleet as it was');
    tui.type('2h\r');
    await tui.waitForText('1 online  1 of 1');
    tui.press('@', 'a');
    await tui.waitForText('Show the fleet as it was');
    tui.type('now\r');
    await tui.waitForText('1 of 2');
  });

  it('says which times it takes', async () => {
    await using tui = await onAgents();
    tui.type(':at soon\r');
    await tui.waitForText('"soon" is not a time. Allowed: 2h, 10:35, ');
  });
});

describe('a comparison', () => {
  it('shows two marked agents, those facts first that differ', async () => {
    await using tui = await onAgents();
    tui.press(' ', ' ', 'C');
    await tui.waitForText('web-1 and new-1');
    expect(tui.text()).toMatch(/Different \(\d\)/);
    expect(tui.text()).toMatch(/State\s+○ offline, went silent\s+● online/);
    expect(tui.text()).toMatch(/Same \(\d+\)/);
  });

  it('shows one agent now against then, and what is not known of then', async () => {
    await using tui = await onAgents(80);
    tui.press('C');
    await tui.waitForText('Compare web-1 with its state at another time');
    tui.type('2h\r');
    await tui.waitForText(/web-1 now and at/);
    expect(tui.text()).toMatch(/Kernel\s+│\s+│ {3}web-1 now\s+6\.1\.0-25\s+│\s+│ {3}at .*5\.15\.0/);
    expect(tui.text()).toMatch(/Not known of that time \(\d+\)/);
    tui.press('escape', 'j', 'C');
    await tui.waitForText('Compare new-1 with its state at another time');
    tui.type('2h\r');
    await tui.waitForText(/new-1 did not exist at/);
  });
});
