// The dashboard asks for a confirmation and repeats the action after a form, a question or a key.
import { describe, expect, it } from 'vitest';
import { FakeServer } from './fake-server.ts';
import { openTui, renderTui, type Tui } from './render-tui.tsx';

const QUESTION = 'Confirm your identity';

function serverWithUsers(): FakeServer {
  const server = new FakeServer();
  server.isConfirmed = false;
  server.users = ['admin', 'deputy'].map((username, index) => ({
    id: index + 1,
    username,
    role: index === 0 ? 'master' : 'viewer',
    disabled: false,
    second_factor: true,
    _created_unix: 1_769_000_000 - index,
    _modified_unix: 1_769_000_000,
  }));
  return server;
}

/** Signs in and marks the user `deputy`. */
async function openUsers(tui: Tui, otp?: string): Promise<void> {
  await tui.waitForText('Username');
  tui.type(`admin\t${tui.server.password}\r`);
  if (otp !== undefined) {
    await tui.waitForText('Code');
    tui.type(`${otp}\r`);
  }
  await tui.waitForText('● live');
  await tui.type(':users\r').until('deputy');
  await tui.type('/deputy\r').until(/▌.*deputy/);
}

const sent = (tui: Tui, method: string, path: string) =>
  tui.server.seen.filter((one) => one.method === method && one.path === path).length;

describe('an action that needs a recent confirmation', () => {
  it('asks for the password, and is done again from a form', async () => {
    await using tui = renderTui({ server: serverWithUsers(), signedIn: false, keepsLines: true });
    await openUsers(tui);
    await tui.press('p').until('New password for deputy');
    await tui.type('a new one\ta new one\r').until(QUESTION);
    expect(tui.text()).not.toContain('New password for deputy');
    await tui.type('not the one\r').until('Incorrect password or code. Try again.');
    expect(tui.server.isConfirmed).toBe(false);
    await tui.press('ctrl+u', `${tui.server.password}\r`).until('Changed the password of deputy.');
    await tui.waitForNoText(QUESTION);
    expect(sent(tui, 'PUT', '/admin-api/user/2')).toBe(2);
    expect(tui.everShown()).not.toContain('not the one');
    expect(tui.everShown()).not.toContain(tui.server.password);
  });

  it('asks for the code too where the second factor is on, and is done again from a question', async () => {
    const server = serverWithUsers();
    server.otp = '123456';
    await using tui = renderTui({ server, signedIn: false });
    await openUsers(tui, '123456');
    await tui.press('Y').until('Turn off the second factor of this user?');
    await tui.press('y').until(QUESTION);
    expect(tui.text()).toContain('Code');
    await tui.type(`${server.password}\r`).until('Enter the code of your second factor.');
    await tui.type('123456\r').until('Turned off the second factor of deputy.');
    expect(sent(tui, 'DELETE', '/admin-api/user/2/2fa')).toBe(2);
  });

  it('asks for the code where the second factor was turned on elsewhere', async () => {
    const server = serverWithUsers();
    await using tui = renderTui({ server, signedIn: false });
    await openUsers(tui);
    server.otp = '123456';
    await tui.press('A').until('Unlock this user?');
    await tui.press('y').until(QUESTION);
    await tui.type(`${server.password}\r`).until('Code');
    await tui.type('\t123456\r').until('Unlocked deputy.');
  });

  it('is left undone by Escape: a form keeps its entries, a question stays open', async () => {
    await using tui = renderTui({ server: serverWithUsers(), signedIn: false });
    await openUsers(tui);
    await tui.press('e').until('Change deputy');
    await tui.type('-renamed\r').until(QUESTION);
    await tui.press('escape').until('Not confirmed; nothing was changed.');
    expect(tui.text()).toContain('deputy-renamed');
    expect(tui.text()).not.toContain(QUESTION);
    await tui.press('escape').untilGone('Change deputy');
    await tui.press('A').until('Unlock this user?');
    await tui.press('y').until(QUESTION);
    await tui.press('escape').until('Not confirmed; nothing was changed.');
    expect(tui.server.users[1]?.username).toBe('deputy');
    expect(sent(tui, 'POST', '/admin-api/user/me/confirm')).toBe(0);
    expect(sent(tui, 'POST', '/admin-api/user/2/unlock')).toBe(1);
  });
});

describe('one’s own password and second factor', () => {
  it('are changed from the list of users with the password, as on the own account', async () => {
    await using tui = renderTui({ server: serverWithUsers(), signedIn: false });
    await openUsers(tui);
    await tui.press('escape', '/admin\r').until(/▌.*admin/);
    await tui.press('p').until('Change your password');
    await tui.press('escape').untilGone('Change your password');
    await tui.press('Y').until('Turn off the second factor');
    expect(tui.text()).toContain('Your password alone is then enough to sign in.');
  });
});

describe('a dashboard with an API token', () => {
  it('offers nothing that needs somebody to confirm it, and reads no sessions', async () => {
    await using tui = await openTui('● live', { server: serverWithUsers() });
    await tui.type(':users\r').until('deputy');
    await tui.press('?').until('type to search');
    await tui.type('of the user').until('End all sessions of the user');
    expect(tui.text()).not.toContain('Turn off the second factor of the user');
    expect(tui.text()).not.toContain('Unlock the user: clear the failed sign-ins');
    await tui.press('escape').untilGone('type to search');
    await tui.type(':account\r').until('You are using an API token.');
    expect(sent(tui, 'GET', '/admin-api/user/session')).toBe(0);
  });
});
