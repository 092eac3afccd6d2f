// Limits that a profile sets to actions, and the change of profiles.
import { describe, expect, it } from 'vitest';
import { apiToken, FakeServer, serverWithErrors, statesOf } from './fake-server.ts';
import { renderTui } from './render-tui.tsx';

describe('a profile', () => {
  it('offers and sends no changes when it is read-only', async () => {
    const server = serverWithErrors(1);
    server.tokens = [apiToken(1)];
    await using tui = renderTui({ server, profile: { readOnly: true } });
    await tui.waitForText('● live');
    expect(tui.lines()[0]).toContain('[RO]');
    tui.type('R:tokens\r');
    await tui.waitForText('token-1');
    tui.press('a', 'D', '?');
    tui.type('token');
    await tui.waitForText('› token');
    expect(tui.text()).not.toMatch(/Issue a new|Delete the token/);
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('asks for the name before a destructive change when it is protected', async () => {
    const server = new FakeServer();
    server.tokens = [apiToken(1, { name: 'deploy' })];
    await using tui = renderTui({ server, profile: { isProtected: true } });
    await tui.waitForText('● live');
    tui.type(':tokens\r');
    await tui.waitForText('deploy');
    tui.press('D');
    await tui.waitForText('Type deploy and press Enter');
    // The field shows a key typed after an Enter that did nothing.
    tui.press('enter', 'y');
    await tui.waitForText(/› y\b/);
    tui.press('enter', 'z');
    await tui.waitForText(/› yz\b/);
    expect(server.seen.map(({ method }) => method)).not.toContain('DELETE');
    tui.press('ctrl+u');
    tui.type('deploy\r');
    await tui.waitForText('Deleted deploy.');
    expect(server.tokens).toEqual([]);
  });

  it('asks for the number before all that match are changed when it is protected', async () => {
    const server = serverWithErrors(3);
    await using tui = renderTui({ server, profile: { isProtected: true } });
    await tui.waitForText('● live');
    tui.press('B');
    await tui.waitForText('Change all that match');
    tui.press('enter');
    await tui.waitForText('Type 3 and press Enter');
    expect(statesOf(server)).toBe('1 new, 2 new, 3 new');
    tui.type('3\r');
    await tui.waitForText('Changed 3 groups.');
    expect(statesOf(server)).toBe('1 resolved, 2 resolved, 3 resolved');
  });

  it('can be left for another one while its server is down', async () => {
    const server = serverWithErrors(1);
    const other = {
      name: 'staging',
      url: 'http://staging.test',
      color: 'green',
      readOnly: false,
      isProtected: false,
    } as const;
    await using tui = renderTui({ server, settings: { profiles: [other] } });
    await tui.waitForText('● live');
    server.isDown = true;
    server.dropStreams();
    await tui.waitForText('reconnecting');
    tui.type(':use staging\r');
    await tui.waitForText('Sign in to staging');
    server.isDown = false;
    tui.type(`admin\t${server.password}\r`);
    await tui.waitForText('● live');
    expect(tui.lines()[0]).toContain('staging');
  });

  it('can be chosen before the sign-in', async () => {
    const other = {
      name: 'staging',
      url: 'http://staging.test',
      color: 'none',
      readOnly: false,
      isProtected: false,
    } as const;
    await using tui = renderTui({ signedIn: false, settings: { profiles: [other] } });
    await tui.waitForText('Sign in to Quarterdeck');
    tui.press('\u000F');
    await tui.waitForText('Choose a server');
    tui.press('down', 'enter');
    await tui.waitForText('Sign in to staging');
  });
});
