// Changes before an error, from the list of errors to the agent that changed.
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { agent, entry, FakeServer } from './fake-server.ts';
import { agentEvent } from './fleet-rows.ts';
import { openTui } from './render-tui.tsx';

const beganS = Math.floor(Date.now() / 1000) - 3_600;

/**
 * An error on two of three agents and on a source without agent. Their kernels changed before; another agent was
 * restarted.
 */
function broken(): FakeServer {
  const server = new FakeServer();
  server.agents = [1, 2, 3].map((id) => agent(id, { hostname: `web-${id}` }));
  server.errlog = ['web-1', 'web-2', 'syslog'].map((source, index) =>
    entry(index + 1, { source, src: index + 1, fingerprint: 'f', first_seen: beganS, log: 'Bad address' }),
  );
  for (const id of [1, 2]) server.history.set(id, [agentEvent(1, { time: beganS - 600 })]);
  server.history.set(3, [agentEvent(1, { kind: 'restarted', field: 'started', time: beganS - 500 })]);
  return server;
}

describe('what changed before an error', () => {
  it('is shown in the place of the details, and leads to the agent', async () => {
    await using tui = await openTui('1 of 3', { server: broken(), columns: 120, rows: 40 });
    await tui.press('c').until('kernel: 6.1 → 6.2');
    expect(tui.text()).toContain('What changed before');
    expect(tui.text()).toContain('2 agents affected, 1 not. 1 affected source has');
    expect(tui.text()).toMatch(/affected +━+ 2 of 2 +others +0 of 1/);
    expect(tui.text()).toContain('2 of 2 agents with this error changed');
    expect(tui.text()).not.toContain('system_version');
    expect(tui.text()).not.toContain('restarted');
    await tui.type('ga').until('Go to an agent', '› ');
    await tui.type('web-2').until('1 of 2');
    await tui.press('enter').until(/3 Agents › web-2 › summary/);
    await tui.press('q').untilGone('› summary');
    await tui.press('q').until('2 of 3');
    await tui.press('q').until('kernel: 6.1 → 6.2');
    await tui.press('c').until('Happened');
    expect(tui.text()).not.toContain('What changed before');
  });

  it('is kept while the selection moves, and Enter shows the details again', async () => {
    await using tui = await openTui('1 of 3', { server: broken(), columns: 120, rows: 40 });
    await tui.press('c').until('What changed before ■ ERROR 3');
    await tui.press('j').until('What changed before ■ ERROR 2');
    await tui.press('enter').until('Happened');
    expect(tui.text()).not.toContain('What changed');
    await tui.press('c').until('What changed before ■ ERROR 2');
    await tui.press('escape').untilGone('What changed before');
    await tui.press('j', 'enter').until('Happened');
    expect(tui.text()).not.toContain('What changed before');
  });

  it('names the span, the zone and the sources, and opens the changed lines and the effects', async () => {
    const server = broken();
    const config = { kind: 'config', field: '/etc/nginx/nginx.conf', from: 'a1', to: 'b2', has_diff: true } as const;
    const deploy = { kind: 'change', field: 'deploy', name: 'shop', from: '1.4', to: '1.5', change_id: 7 } as const;
    server.history = new Map([
      [1, [agentEvent(1, { time: beganS - 600, ...config })]],
      [2, [agentEvent(2, { time: beganS - 300, ...deploy })]],
    ]);
    server.changes = [build.change({ id: 7, kind: 'deploy', name: 'shop', before: '1.4', after: '1.5' })];
    server.effects = build.changeEffects({ verdict: 'no_difference', time: beganS - 300, errors: [] });
    await using tui = await openTui('1 of 3', { server, columns: 120, rows: 60 });
    await tui.press('c').until('This error on all of its 3 sources. Times are in');
    // A time of yesterday has a date, so the end of a line may be anywhere.
    const words = tui.text().replaceAll(/[\s│]+/g, ' ');
    expect(words).toMatch(/Changes from .*\d\d:\d\d to .*\d\d:\d\d, the hour before it began\./);
    await tui.press('g', 'c').until('Choose a change');
    await tui.type('nginx.conf').until('1 of 2');
    tui.press('enter');

    await tui.waitForText('+    worker_connections 4096;');
    await tui.press('escape').untilGone('worker_connections');
    await tui.press('g', 'c').until('Choose a change');
    await tui.type('shop').until('1 of 2');
    await tui.press('enter').until('✓ no difference');
    await tui.press('escape').untilGone('✓ no difference');
  });

  it('is about the selected error, and says where nothing is known', async () => {
    const server = broken();
    server.errlog.push(entry(9, { source: 'syslog', src: 3, fingerprint: 'other', first_seen: beganS, log: 'alone' }));
    await using tui = await openTui('1 of 4', { server, columns: 120, rows: 40 });
    await tui.press('c').until('Cannot tell: its source has no agent. Press g e to enroll an agent.');
    await tui.press('j').until('kernel: 6.1 → 6.2');
    server.refuse.set('/admin-api/log_server/errlog/9/changes', { code: 'not_found', message: 'It is gone.' });
    await tui.press('k').until('It is gone.');
  });

  it('is not offered to who may not see the agents it leads to, but can be read', async () => {
    const server = broken();
    server.permissions = ['errlog:read'];
    await using tui = await openTui('1 of 3', { server, columns: 120, rows: 40 });
    await tui.press('c').until('kernel: 6.1 → 6.2');
    await tui.type('ga').until('This token lacks the scope agent:read.');
    await tui.press('?').until('type to search');
    expect(tui.text()).not.toContain('Go to an agent');
  });
});
