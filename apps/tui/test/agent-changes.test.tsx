// Changes of agents, from the keys to the server's answer.
import { describe, expect, it } from 'vitest';
import { agent, FakeServer } from './fake-server.ts';
import { operation } from './fleet-rows.ts';
import { renderTui, type Tui, type TuiOptions } from './render-tui.tsx';

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
  const tui = renderTui({ server: fleet(), columns: 110, rows: 30, ...options });
  await tui.waitForText('● live');
  tui.type(':agents\r');
  await tui.waitForText('1 of 2');
  return tui;
}

const one = (tui: Tui, id: number) => tui.server.agents.find((row) => row.id === id);

describe('one agent', () => {
  it('gets a note, labels and settings', async () => {
    await using tui = await onAgents();
    tui.press('t');
    await tui.waitForText('Note to web-1');
    tui.type('spare\r');
    await tui.waitForText('Saved the note to web-1.');
    tui.press('e');
    await tui.waitForText('[site=north');
    tui.type(', bad name\r');
    await tui.waitForText('The label "bad name" must be letters');
    tui.press('ctrl+u');
    tui.type('site=north, tier\t ');
    await tui.waitForText('[x] catch them');
    tui.press('enter');
    await tui.waitForText('Changed web-1.');
    expect(one(tui, 1)).toMatchObject({
      note: 'spare',
      labels: { site: 'north', tier: '' },
      catch_transient_event: true,
      autorun_tools: false,
    });
    tui.press('M');
    await tui.waitForText('Turned on maintenance of web-1.');
    await tui.waitForText('◆ maintenance');
    tui.press('M');
    await tui.waitForText('Turned off maintenance of web-1.');
    tui.press('U');
    await tui.waitForText('Undone: Turned off maintenance of web-1.');
    await tui.waitForText('◆ maintenance');
    tui.press('U');
    await tui.waitForNoText('◆ maintenance');
  });

  it('is deleted, restored and purged, each after a question that Enter does not answer', async () => {
    await using tui = await onAgents();
    tui.press('D');
    await tui.waitForText('Delete web-1?');
    tui.press('enter');
    await tui.waitForNoText('Delete web-1?');
    expect(one(tui, 1)?.is_deleted).toBe(false);
    tui.press('D');
    await tui.waitForText('Delete web-1?');
    tui.press('y');
    await tui.waitForText('Deleted web-1.');
    await tui.waitForText('1 of 1');
    tui.type('bd');
    await tui.waitForText('of 3');
    tui.type('/web-1\r');
    await tui.waitForText(/✖ deleted\s+web-1/);
    tui.press('A');
    await tui.waitForText('Restore web-1?');
    tui.press('y');
    await tui.waitForText('Restored web-1.');
    tui.press('/', 'ctrl+u');
    tui.type('web-3\r');
    await tui.waitForText(/▌ ✖ deleted\s+web-3/);
    tui.press('X');
    await tui.waitForText('Purge web-3?');
    expect(tui.text()).toContain('gone for good');
    tui.press('y');
    await tui.waitForText('Purged web-3.');
    expect(one(tui, 3)).toBeUndefined();
  });

  it('is asked for an upgrade to a version, and not for one that is none', async () => {
    await using tui = await onAgents();
    tui.press('O');
    await tui.waitForText('Request an operation from web-1');
    tui.press('right');
    await tui.waitForText('The server sends no command');
    tui.press('tab');
    tui.type('2; reboot\r');
    await tui.waitForText('The version must be a version');
    tui.press('ctrl+u');
    tui.type('20418\r');
    await tui.waitForText('Requested "upgrade" from web-1.');
    expect(tui.server.operations).toMatchObject([{ agent_id: 1, kind: 'upgrade', params: { version: '20418' } }]);
    tui.type('gO');
    await tui.waitForText('upgrade to 20418');
    await tui.waitForText('/web-1');
  });

  it('says why it cannot be changed', async () => {
    await using tui = await onAgents();
    tui.server.refuse.set('/api/agents/bulk', { code: 'forbidden', message: 'Ask the captain.' });
    tui.press('D');
    await tui.waitForText('Ask the captain.');
    expect(tui.text()).not.toContain('Delete web-1?');
  });
});

describe('several agents', () => {
  it('get labels added and taken away, each keeping its others', async () => {
    await using tui = await onAgents();
    tui.type('  e');
    await tui.waitForText('Change 2 agents');
    tui.press('enter');
    await tui.waitForText('Enter at least one change.');
    tui.type('tier=a, -old\r');
    await tui.waitForText('Change 2 agents?');
    expect(tui.text()).toContain('Labels: tier=a, -old');
    tui.press('y');
    await tui.waitForText('Changed 2 agents.');
    expect(one(tui, 1)?.labels).toEqual({ site: 'north', tier: 'a' });
    expect(one(tui, 2)?.labels).toEqual({ site: 'south', tier: 'a' });
    await tui.waitForNoText('2 marked');
    tui.press('U');
    await tui.waitForText('Undone: Changed 2 agents.');
    expect(one(tui, 1)?.labels).toEqual({ site: 'north' });
    expect(one(tui, 2)?.labels).toEqual({ site: 'south', old: '' });
  });

  it('are told apart in the preview and in the result', async () => {
    await using tui = await onAgents();
    tui.server.operations = [operation(9, { agent_id: 2, kind: 'collect_facts' })];
    tui.type('  O');
    await tui.waitForText('Request an operation from 2 agents');
    tui.press('enter');
    await tui.waitForText('Request "collect facts" from 1 agent?');
    expect(tui.text()).toMatch(/│ 1 ✖ will not be changed, 1 ● online: +│/);
    expect(tui.text()).toMatch(
      /│ ✖ will not be changed \(1\) +│\s+│ {3}web-2: The same operation is still in progress/,
    );
    expect(tui.text()).toMatch(/│ ● online \(1\) +│\s+│ {3}web-1/);
    tui.press('y');
    await tui.waitForText('Requested "collect facts" from 1 of 2 agents');
    expect(tui.text()).toMatch(/✖ failed \(1\) +│\s+│ {3}web-2: The same operation is still in progress\./);
    expect(tui.text()).toMatch(/✓ done \(1\) +│\s+│ {3}web-1/);
    expect(tui.server.operations).toHaveLength(2);
  });

  it('all that match are counted by the server before they are changed', async () => {
    await using tui = await onAgents();
    tui.type('/label.site:south\r');
    await tui.waitForText('1 of 1');
    tui.press('B');
    await tui.waitForText('Agents matching: label.site:south.');
    tui.press('right', 'right', 'right', 'enter');
    await tui.waitForText('Delete 1 agent?');
    expect(tui.text()).toContain('Agents matching: label.site:south.');
    tui.press('y');
    await tui.waitForText('Deleted 1 agent.');
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
    await using tui = renderTui({ server, columns: 80, rows: 24 });
    await tui.waitForText('● live');
    tui.type(':agents\r');
    await tui.waitForText('1 of 40');
    tui.press('B');
    await tui.waitForText('Change all that match');
    tui.press('right', 'right', 'right', 'enter');
    await tui.waitForText('Delete 40 agents?');
    expect(tui.text()).toContain('3 ○ offline, 1 ◆ in maintenance, 36 ● online:');
    expect(tui.text()).toMatch(/○ offline \(3\) +│[\s┃]+│ {3}host-01 {2}went silent/);
    expect(tui.text()).not.toContain('host-40');
    expect(tui.text()).toMatch(/› No/);
    for (let n = 0; n < 14; n += 1) tui.press('j');
    await tui.waitForText('host-40');
    tui.press('n');
    await tui.waitForNoText('Delete 40 agents?');
    expect(tui.server.agents.every(({ is_deleted: deleted }) => !deleted)).toBe(true);
  });

  it('are named by typing before they are destroyed in a protected profile', async () => {
    await using tui = await onAgents({ profile: { isProtected: true } });
    tui.type('  D');
    await tui.waitForText('Type 2 agents and press Enter');
    tui.type('2 agents\r');
    await tui.waitForText('Deleted 2 agents.');
  });
});

describe('who may not change agents', () => {
  it('is offered nothing that does: neither by permission nor in a profile that only reads', async () => {
    const server = fleet();
    server.permissions = ['agent:read', 'errlog:read'];
    for (const options of [{ server }, { profile: { readOnly: true } }]) {
      await using tui = await onAgents(options);
      tui.press('e', 't', 'D', 'O', 'M', 'B', '?');
      await tui.waitForText('type to search');
      tui.type('agent');
      await tui.waitForText('› agent');
      expect(tui.text()).not.toMatch(/Write a note|Delete the agent|Ask the agent|Change labels/);
      expect(tui.server.seen.every(({ method }) => method === 'GET')).toBe(true);
    }
  });
});
