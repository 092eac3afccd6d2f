// The fleet as it was at a time: the list, its totals, and the details.
import { describe, expect, it } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { agentEvent } from './fleet-rows.ts';
import { openTui, type Tui } from './render-tui.tsx';

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
  const tui = await openTui('● live', { server: fleet(), columns, rows: 30 });
  await tui.type(':agents\r').until('1 of 2');
  return tui;
}

describe(':at', () => {
  it('shows the fleet of that time, and Escape returns to the present', async () => {
    await using tui = await onAgents();
    await tui.type(':at -2h\r').until(/at (\w{3} \d+ )?\d\d:\d\d {2}\? not known then/, '1 online  1 of 1');
    expect(tui.text()).toMatch(/● online\s+web-1\s+\?.*5\.15\.0/);
    expect(tui.text()).not.toContain('new-1');
    await tui.press('escape').until('1 offline  1 online  1 of 2');
    expect(tui.text()).toMatch(/○ offline\s+web-1.*6\.1\.0-25/);
    await tui.type(':at 2h\r').until('1 online  1 of 1');
    await tui.type(':at now\r').until('1 of 2');
  });

  it('keeps the filter, and offers no change of the past', async () => {
    await using tui = await onAgents();
    await tui.type('/kernel:5.15*\r').until('No agent matches /kernel:5.15*; Esc clears.');
    await tui.type(':at 2h\r').until('1 online  1 of 1');
    expect(tui.text()).toContain('/kernel:5.15*');
    await tui.press('D', 'e', 't', 'M').until('The past cannot be changed. Press Esc to return to now.');
    await tui.type(':delete\r').until('The past cannot be changed.');
    expect(tui.server.seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('shows the history up to that time, and what is not known of it', async () => {
    await using tui = await onAgents();
    await tui.type(':at 2h\r').until('1 of 1');
    await tui.press('enter').until(/Progress +\?/);
    await tui.press('enter').until('? is not known of that time.');
    await tui.type(']]]]]]').until('old note');
    expect(tui.text()).not.toContain('went silent');
  });

  it('does not follow events', async () => {
    await using tui = await onAgents();
    await tui.type(':at 2h\r').until('1 of 1');
    tui.server.emit('agent.offline', agent(1, { hostname: 'renamed', online: false }));
    await tui.press('r').until('1 of 1');
    expect(tui.text()).toMatch(/● online\s+web-1/);
  });

  it('is asked for by its key', async () => {
    await using tui = await onAgents();
    await tui.press('@', 'a').until('Show the fleet as it was');
    await tui.type('2h\r').until('1 online  1 of 1');
    await tui.press('@', 'a').until('Show the fleet as it was');
    await tui.type('now\r').until('1 of 2');
  });
});

describe('a comparison', () => {
  it('shows two marked agents, those facts first that differ', async () => {
    await using tui = await onAgents();
    await tui.press(' ', ' ', 'C').until('web-1 and new-1');
    expect(tui.text()).toMatch(/Different \(\d\)/);
    expect(tui.text()).toMatch(/State\s+○ offline, went silent\s+● online/);
    expect(tui.text()).toMatch(/Same \(\d+\)/);
  });

  it('shows one agent now against then, and what is not known of then', async () => {
    await using tui = await onAgents(80);
    await tui.press('C').until('Compare web-1 with its state at another time');
    await tui.type('2h\r').until(/web-1 now and at/);
    expect(tui.text()).toMatch(/Kernel\s+│\s+│ {3}web-1 now\s+6\.1\.0-25\s+│\s+│ {3}at .*5\.15\.0/);
    expect(tui.text()).toMatch(/Not known of that time \(\d+\)/);
    await tui.press('escape', 'j', 'C').until('Compare new-1 with its state at another time');
    await tui.type('2h\r').until(/new-1 did not exist at/);
  });
});
