// Limits that a profile sets to actions, and the change of profiles.
import { describe, expect, it } from 'vitest';
import { apiToken, FakeServer, serverWithErrors, statesOf } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

describe('a profile', () => {
  it('offers and sends no changes when it is read-only', async () => {
    const server = serverWithErrors(1);
    server.tokens = [apiToken(1)];
    await using tui = await openTui('● live', { server, profile: { readOnly: true } });
    expect(tui.lines()[0]).toContain('[RO]');
    await tui.type('R:tokens\r').until('token-1');
    await tui.press('a', 'D', '?', 'token').until('› token');
    expect(tui.text()).not.toMatch(/Issue a new|Delete the token/);
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('asks for the name before a destructive change when it is protected', async () => {
    const server = new FakeServer();
    server.tokens = [apiToken(1, { name: 'deploy' })];
    await using tui = await openTui('● live', { server, profile: { isProtected: true } });
    await tui.type(':tokens\r').until('deploy');
    await tui.press('D').until('Type deploy and press Enter');
    // The field shows a key typed after an Enter that did nothing.
    await tui.press('enter', 'y').until(/› y\b/);
    await tui.press('enter', 'z').until(/› yz\b/);
    expect(server.seen.map(({ method }) => method)).not.toContain('DELETE');
    await tui.press('ctrl+u', 'deploy\r').until('Deleted deploy.');
    expect(server.tokens).toEqual([]);
  });

  it('asks for the number before all that match are changed when it is protected', async () => {
    const server = serverWithErrors(3);
    await using tui = await openTui('● live', { server, profile: { isProtected: true } });
    await tui.press('B').until('Change all that match');
    await tui.press('enter').until('Type 3 and press Enter');
    expect(statesOf(server)).toBe('1 new, 2 new, 3 new');
    await tui.type('3\r').until('Changed 3 groups.');
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
    await using tui = await openTui('● live', { server, settings: { profiles: [other] } });
    server.isDown = true;
    server.dropStreams();
    await tui.waitForText('reconnecting');
    await tui.type(':use staging\r').until('Sign in to staging');
    server.isDown = false;
    await tui.type(`admin\t${server.password}\r`).until('● live');
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
    await using tui = await openTui('Sign in to Quarterdeck', { signedIn: false, settings: { profiles: [other] } });
    await tui.press('\u000F').until('Choose a server');
    await tui.press('down', 'enter').until('Sign in to staging');
  });
});
