// The details of an alert, and the keys that acknowledge, assign and mute it.
import { ROLES } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { alert } from './alert-rows.ts';
import { agent, entry, FakeServer } from './fake-server.ts';
import { openTui, type Tui, type TuiOptions } from './render-tui.tsx';

async function onAlerts(server: FakeServer, options: Partial<TuiOptions> = {}): Promise<Tui> {
  const tui = await openTui('● live', { server, columns: 110, rows: 40, ...options });
  await tui.type('gt').until('[Alerts]', /\d of \d/);
  return tui;
}

function serverFor(role: 'viewer' | 'operator' | 'master'): FakeServer {
  const server = new FakeServer();
  server.role = role;
  server.permissions = ROLES[role];
  server.alerts = [
    alert(3, { key: 'group:7', groups: [7], title: 'payments fail' }),
    alert(2, { kind: 'agent.offline', key: 'agent:4', title: 'db-1 is silent' }),
    alert(1, { title: 'timeouts' }),
  ];
  server.errlog = [entry(7, { log: 'payment 31 refused', service: 'checkout', count: 40, host: 'web-1' })];
  return server;
}

describe('an alert', () => {
  it('reads like its message: error, counts, hosts, cause, lines, people', async () => {
    const server = serverFor('viewer');
    const nowS = Math.floor(Date.now() / 1000);
    server.agents = [agent(1), agent(2), agent(3)];
    server.lines = [build.line({ id: '9', group: 7, host: 'web-1', log: 'payment 31 refused' })];
    const change = {
      kind: 'change',
      field: 'deploy',
      name: 'shop',
      from: '1',
      to: '2',
      change_id: 5,
      time: nowS,
      before: 240,
    } as const;
    const named = { sentence: '1 of 1 failing hosts deployed shop 4 min before', strength: 'likely', change } as const;
    server.alerts = [
      alert(3, {
        key: 'group:7',
        groups: [7],
        cause: { ...named, link: null, why: null, settled: false, next_look: nowS + 60 },
        acknowledged: { time: nowS - 60, by: 'anna', note: 'rolling back' },
        assigned: { id: 2, username: 'bob' },
      }),
    ];
    server.changes = [build.change({ id: 5, name: 'shop' })];
    await using tui = await onAlerts(server);
    expect(tui.lines()[3]).toMatch(/△ acked .* bob /);
    await tui.press('enter', '+').until('payment 31 refused');
    const order = [
      'Error',
      'Since',
      'Count',
      'Hosts',
      'Suspected change',
      'Newest lines',
      'Acknowledged',
      'Assigned',
      'Alert page',
      'Error page',
      'State',
    ];
    const labels = tui.lines().flatMap((line) => order.filter((label) => new RegExp(`^ *${label}(  |$)`).test(line)));
    expect(labels).toEqual(order);
    expect(tui.text()).toMatch(/ERROR in checkout: payment <n> refused[\s\S]*1 of 3: web-1/);
    expect(tui.text()).toMatch(/1 of 1 failing hosts deployed shop 4 min before \(likely\)\n.*Look again at /);
    expect(tui.text()).toMatch(/by anna 1m ago: rolling back[\s\S]*to bob/);
    await tui.type('gc').until('Change    deploy shop');
  });

  it('shows what others do with it as it happens', async () => {
    const server = serverFor('viewer');
    await using tui = await onAlerts(server);
    await tui.press('enter').until(/Count +40 since/);
    const [first, ...others] = server.alerts;
    const acknowledged = {
      ...(first ?? alert(3)),
      acknowledged: { time: Date.now() / 1000, by: 'anna', note: 'mine' },
    };
    server.alerts = [acknowledged, ...others];
    server.emit('alert.acknowledged', { ...build.alertMessage(), ...acknowledged });
    await tui.waitForText('△ acked', /Acknowledged +by anna \ds ago: mine/);
    server.alerts = [{ ...acknowledged, assigned: { id: 2, username: 'bob' } }, ...others];
    server.emit('alert.assigned', { ...build.alertMessage(), ...acknowledged });
    await tui.waitForText(/Assigned +to bob/);
  });

  it('is acknowledged with a note, with the marked ones', async () => {
    const server = serverFor('operator');
    await using tui = await onAlerts(server);
    await tui.press('space', 'space', 'a').until('Acknowledge 2 alerts', 'payments fail', 'db-1 is silent');
    await tui.type('on it\r').until('Acknowledged 2 alerts.');
    expect(server.alerts.map(({ acknowledged }) => acknowledged?.note)).toEqual(['on it', 'on it', undefined]);
    await tui.waitForText(/△ acked[\s\S]*△ acked[\s\S]*▲ firing/);
  });

  it('is assigned to the caller or to no one by an operator, and that is undone', async () => {
    const server = serverFor('operator');
    await using tui = await onAlerts(server);
    await tui.press('A').until('Assign alert 3 to', 'me (admin)');
    expect(tui.text()).not.toContain('no one');
    await tui.press('enter').until('Assigned to you: payments fail. Press U to undo.');
    expect(server.alerts[0]?.assigned).toEqual({ id: 1, username: 'admin' });
    await tui.press('U').until('Undone');
    expect(server.alerts[0]?.assigned).toBeNull();
  });

  it('is assigned to other users by those who may list them', async () => {
    const server = serverFor('master');
    server.users = [
      build.user({ id: 1, username: 'admin', disabled: false }),
      build.user({ id: 2, username: 'bob', disabled: false }),
      build.user({ id: 3, username: 'gone', disabled: true }),
    ];
    await using tui = await onAlerts(server);
    await tui.press('A').until('bob');
    expect(tui.text()).not.toContain('gone');
    await tui.type('bob\r').until('Assigned to bob: payments fail.');
    await tui.press('A').until('no one: end the assignment');
    await tui.type('no one\r').until('Unassigned payments fail.');
    expect(server.alerts[0]?.assigned).toBeNull();
  });

  it('is muted with its errors until a time, and that is ended and undone', async () => {
    const server = serverFor('operator');
    await using tui = await onAlerts(server);
    await tui.press('M').until('This includes 1 group of errors.', 'Nothing is sent of it for 1d.');
    await tui.press('left', 'enter').until('Muted payments fail. Press U to undo.');
    expect(server.errlog[0]?.state).toBe('muted');
    await tui.press('M').until('[end the mute]');
    await tui.press('enter').until('Ended the mute of payments fail.');
    expect(server.alerts[0]?.muted_until).toBeNull();
    await tui.press('U').until('Undone');
    expect(server.alerts[0]?.muted_until).toBeGreaterThan(Date.now() / 1000);
    // An alert without errors has nothing to count.
    await tui.press('j', 'M').until('Mute alert 2');
    expect(tui.text()).not.toMatch(/an hour|groups? of errors/);
    await tui.press('right', 'right', 'right').until(/Other +\[/);
    await tui.type('\t100x\r').until('Enter a time: 30m, 1h, 7d.');
  });

  it('has links to copy', async () => {
    const server = serverFor('viewer');
    await using tui = await onAlerts(server);
    await tui
      .type('yl')
      .until('Copy a link', 'https://quarterdeck.example.org/a/3', 'https://quarterdeck.example.org/e/7');
    await tui.press('down', 'enter').until('Copied the link.');
    expect(tui.copied()).toBe('https://quarterdeck.example.org/e/7');
  });

  it('is only read by viewers', async () => {
    await using tui = await onAlerts(serverFor('viewer'));
    expect(tui.lines().at(-1)).not.toMatch(/acknowledge|assign|mute/);
    await tui.press('a').until('Needs the role operator.');
    await tui.press('A', 'M', 'j').until('2 of 3');
    expect(tui.text()).not.toMatch(/Acknowledge alert|Assign alert|Mute alert/);
  });
});
