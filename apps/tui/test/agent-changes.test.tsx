// Changes of agents, from the keys to the server's answer.
import { describe, expect, it } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { operation } from './fleet-rows.ts';
import { openTui, type Tui, type TuiOptions } from './render-tui.tsx';

function fleet(): FakeServer {
  const server = new FakeServer();
  server.agents = [
    agent(1, { hostname: 'web-1', labels: { site: 'north' } }),
    agent(2, { hostname: 'web-2', labels: { site: 'south', old: '' } }),
    agent(3, { hostname: 'web-3', online: false, state: 'deleted', is_deleted: true }),
  ];
  return server;
}

async function onAgents(options: TuiOptions = {}): Promise<Tui> {
  const tui = await openTui('● live', { server: fleet(), columns: 110, rows: 30, ...options });
  await tui.type(':agents\r').until('1 of 2');
  return tui;
}

const one = (tui: Tui, id: number) => tui.server.agents.find((row) => row.id === id);

describe('one agent', () => {
  it('gets a note, labels and settings', async () => {
    await using tui = await onAgents();
    await tui.press('t').until('Note to web-1');
    await tui.type('spare\r').until('Saved the note to web-1.');
    await tui.press('e').until('[site=north');
    await tui.type(', bad name\r').until('The label "bad name" must be letters');
    await tui.press('ctrl+u', 'site=north, tier\t ').until('[x] catch them');
    await tui.press('enter').until('Changed web-1.');
    expect(one(tui, 1)).toMatchObject({
      note: 'spare',
      labels: { site: 'north', tier: '' },
      catch_transient_event: true,
      autorun_tools: false,
    });
    await tui.press('M').until('Turned on maintenance of web-1.', '◆ maintenance');
    await tui.press('M').until('Turned off maintenance of web-1.');
    await tui.press('U').until('Undone: Turned off maintenance of web-1.', '◆ maintenance');
    await tui.press('U').untilGone('◆ maintenance');
  });

  it('is deleted, restored and purged, each after a question that Enter does not answer', async () => {
    await using tui = await onAgents();
    await tui.press('D').until('Delete web-1?');
    await tui.press('enter').untilGone('Delete web-1?');
    expect(one(tui, 1)?.is_deleted).toBe(false);
    await tui.press('D').until('Delete web-1?');
    await tui.press('y').until('Deleted web-1.', '1 of 1');
    await tui.type('bd').until('of 3');
    await tui.type('/web-1\r').until(/✖ deleted\s+web-1/);
    await tui.press('A').until('Restore web-1?');
    await tui.press('y').until('Restored web-1.');
    await tui.press('/', 'ctrl+u', 'web-3\r').until(/▌ ✖ deleted\s+web-3/);
    await tui.press('X').until('Purge web-3?');
    expect(tui.text()).toContain('gone for good');
    await tui.press('y').until('Purged web-3.');
    expect(one(tui, 3)).toBeUndefined();
  });

  it('is asked for an upgrade to a version, and not for one that is none', async () => {
    await using tui = await onAgents();
    await tui.press('O').until('Request an operation from web-1');
    await tui.press('right').until('The server sends no command');
    await tui.press('tab', '2; reboot\r').until('The version must be a version');
    await tui.press('ctrl+u', '20418\r').until('Requested "upgrade" from web-1.');
    expect(tui.server.operations).toMatchObject([{ agent_id: 1, kind: 'upgrade', params: { version: '20418' } }]);
    await tui.type('gO').until('upgrade to 20418', '/web-1');
  });

  it('says why it cannot be changed', async () => {
    await using tui = await onAgents();
    tui.server.refuse.set('/api/agents/bulk', { code: 'forbidden', message: 'Ask the captain.' });
    await tui.press('D').until('Ask the captain.');
    expect(tui.text()).not.toContain('Delete web-1?');
  });
});

describe('several agents', () => {
  it('get labels added and taken away, each keeping its others', async () => {
    await using tui = await onAgents();
    await tui.type('  e').until('Change 2 agents');
    await tui.press('enter').until('Enter at least one change.');
    await tui.type('tier=a, -old\r').until('Change 2 agents?');
    expect(tui.text()).toContain('Labels: tier=a, -old');
    await tui.press('y').until('Changed 2 agents.');
    expect(one(tui, 1)?.labels).toEqual({ site: 'north', tier: 'a' });
    expect(one(tui, 2)?.labels).toEqual({ site: 'south', tier: 'a' });
    await tui.waitForNoText('2 marked');
    await tui.press('U').until('Undone: Changed 2 agents.');
    expect(one(tui, 1)?.labels).toEqual({ site: 'north' });
    expect(one(tui, 2)?.labels).toEqual({ site: 'south', old: '' });
  });

  it('are distinguished in the preview and in the result', async () => {
    await using tui = await onAgents();
    tui.server.operations = [operation(9, { agent_id: 2, kind: 'collect_facts' })];
    await tui.type('  O').until('Request an operation from 2 agents');
    await tui.press('enter').until('Request "collect facts" from 1 agent?');
    expect(tui.text()).toMatch(/│ 1 ✖ will not be changed, 1 ● online: +│/);
    expect(tui.text()).toMatch(
      /│ ✖ will not be changed \(1\) +│\s+│ {3}web-2: The same operation is still in progress/,
    );
    expect(tui.text()).toMatch(/│ ● online \(1\) +│\s+│ {3}web-1/);
    await tui.press('y').until('Requested "collect facts" from 1 of 2 agents');
    expect(tui.text()).toMatch(/✖ failed \(1\) +│\s+│ {3}web-2: The same operation is still in progress\./);
    expect(tui.text()).toMatch(/✓ done \(1\) +│\s+│ {3}web-1/);
    expect(tui.server.operations).toHaveLength(2);
  });

  it('all that match are counted by the server before they are changed', async () => {
    await using tui = await onAgents();
    await tui.type('/label.site:south\r').until('1 of 1');
    await tui.press('B').until('Agents matching: label.site:south.');
    await tui.press('right', 'right', 'right', 'enter').until('Delete 1 agent?');
    expect(tui.text()).toContain('Agents matching: label.site:south.');
    await tui.press('y').until('Deleted 1 agent.');
    expect(tui.server.agents.filter(({ is_deleted: deleted }) => deleted).map(({ id }) => id)).toEqual([2, 3]);
    const bodies = tui.server.seen.filter(({ path }) => path === '/api/agents/bulk').map(({ body }) => body);
    expect(bodies).toEqual([
      { action: 'delete', filter: { filter: 'label.site:south' }, dry_run: true },
      { action: 'delete', filter: { filter: 'label.site:south' }, dry_run: false },
    ]);
  });

  it('are all listed by state before a change, and scrolled', async () => {
    const server = fleet();
    server.agents = Array.from({ length: 40 }, (_, n) =>
      agent(n + 1, {
        hostname: `host-${String(n + 1).padStart(2, '0')}`,
        ...(n < 3 ? { online: false, state: 'offline' as const, reason: 'lost' as const } : {}),
        ...(n === 5 ? { maintenance: true } : {}),
      }),
    );
    await using tui = await openTui('● live', { server, columns: 80, rows: 24 });
    await tui.type(':agents\r').until('1 of 40');
    await tui.press('B').until('Change all that match');
    await tui.press('right', 'right', 'right', 'enter').until('Delete 40 agents?');
    expect(tui.text()).toContain('3 ○ offline, 1 ◆ in maintenance, 36 ● online:');
    expect(tui.text()).toMatch(/○ offline \(3\) +│[\s┃]+│ {3}host-01 {2}went silent/);
    expect(tui.text()).not.toContain('host-40');
    expect(tui.text()).toMatch(/› No/);
    for (let n = 0; n < 14; n += 1) tui.press('j');
    await tui.waitForText('host-40');
    await tui.press('n').untilGone('Delete 40 agents?');
    expect(tui.server.agents.every(({ is_deleted: deleted }) => !deleted)).toBe(true);
  });

  it('are named by typing before they are destroyed in a protected profile', async () => {
    await using tui = await onAgents({ profile: { isProtected: true } });
    await tui.type('  D').until('Type 2 agents and press Enter');
    await tui.type('2 agents\r').until('Deleted 2 agents.');
  });
});

describe('who may not change agents', () => {
  it('is offered nothing that does: neither by permission nor in a profile that only reads', async () => {
    const server = fleet();
    server.permissions = ['agent:read', 'errlog:read'];
    for (const options of [{ server }, { profile: { readOnly: true } }]) {
      await using tui = await onAgents(options);
      await tui.press('e', 't', 'D', 'O', 'M', 'B', '?').until('type to search');
      await tui.type('agent').until('› agent');
      expect(tui.text()).not.toMatch(/Write a note|Delete the agent|Ask the agent|Change labels/);
      expect(tui.server.seen.every(({ method }) => method === 'GET')).toBe(true);
    }
  });
});
