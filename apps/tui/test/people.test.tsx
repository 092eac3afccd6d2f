// Users and the own account, from the keys to the server's answer.
import { describe, expect, it } from 'vitest';
import { FakeServer } from './fake-server.ts';
import { renderTui } from './render-tui.tsx';

describe('people', () => {
  it('are made, changed and disabled, with a password that is typed twice', async () => {
    const server = new FakeServer();
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.type(':users\r');
    await tui.waitForText('No users.');
    tui.press('a');
    await tui.waitForText('New user');
    tui.type('deputy\t\tshort\r');
    await tui.waitForText('At least 15 characters.');
    tui.press('ctrl+u');
    tui.type('correct horse staple\tanother one\r');
    await tui.waitForText('The passwords do not match.');
    tui.press('ctrl+u');
    tui.type('correct horse staple\r');
    await tui.waitForText('Created deputy, viewer.');
    await tui.waitForText('● active');
    expect(tui.raw()).not.toContain('correct horse staple');
    tui.press('t');
    await tui.waitForText('○ disabled');
    expect(server.users[0]?.disabled).toBe(true);
  });

  it('are warned before they change their own role, and only then', async () => {
    const server = new FakeServer();
    const times = { _created_unix: 1_760_000_000, _modified_unix: 1_760_000_000 };
    server.users = [{ id: 1, username: 'admin', role: 'master', disabled: false, second_factor: false, ...times }];
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.type(':users\r');
    await tui.waitForText('1 of 1');
    tui.press('e');
    await tui.waitForText('Change admin');
    expect(tui.text()).not.toContain('This is you');
    tui.press('tab', 'right');
    await tui.waitForText('This is you: you may lose permissions.');
    tui.press('escape');
    await tui.waitForNoText('Change admin');
  });

  it('set up a second factor: a code to scan, a first code, recovery codes once', async () => {
    await using tui = renderTui({ server: new FakeServer(), signedIn: false, rows: 40 });
    await tui.waitForText('Username');
    tui.type(`admin\t${tui.server.password}\r`);
    await tui.waitForText('● live');
    tui.type(':account\r');
    await tui.waitForText('no second factor');
    tui.press('t');
    await tui.waitForText('Set up a second factor');
    tui.type('secret of mine\r');
    await tui.waitForText('Scan this');
    expect(tui.text()).toContain('▄');
    await tui.waitForText('JBSW Y3DP');
    tui.press('enter');
    await tui.waitForText('Confirm with the first code');
    tui.type('123456\r');
    await tui.waitForText('Your recovery codes');
    await tui.waitForText('demo-0000-only');
    tui.press('escape');
    await tui.waitForNoText('demo-0000-only');
    expect(tui.raw()).not.toContain('secret of mine');
  });
});
