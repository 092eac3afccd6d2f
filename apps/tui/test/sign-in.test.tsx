import { describe, expect, it } from 'vitest';
import type { CredentialStore, SavedCredential } from '../src/start/config.ts';
import { apiToken, entry, FakeServer } from './fake-server.ts';
import { openTui, renderTui } from './render-tui.tsx';

const withErrors = (): FakeServer => {
  const server = new FakeServer();
  server.errlog = [entry(1), entry(2), entry(3)];
  return server;
};

/** A store of credentials in memory. */
function memoryCredentials(isWritable = true): CredentialStore & { readonly all: Map<string, SavedCredential> } {
  const all = new Map<string, SavedCredential>();
  return {
    all,
    get: (url) => all.get(url),
    keep(url, { secret }) {
      if (isWritable) all.set(url, { sessionToken: secret });
      return isWritable;
    },
    remove(url, secret) {
      if (all.get(url)?.sessionToken === secret) all.delete(url);
    },
  };
}

describe('the sign-in', () => {
  it('lets in with username and password, and never shows the password', async () => {
    const server = withErrors();
    await using tui = await openTui('Username', { server, signedIn: false, keepsLines: true });
    expect(tui.text()).toContain(server.url);
    // A space behind the name is easy to type and cannot be seen.
    await tui.type('admin ').until('[admin');
    await tui.press('tab', server.password).until('•'.repeat(server.password.length));
    await tui.press('enter').until('admin master', 'error number 3');
    expect(tui.everShown()).not.toContain(server.password);
  });

  it('asks for a code where the server wants one, and sends the password again with it', async () => {
    const server = withErrors();
    server.otp = '123456';
    await using tui = await openTui('Username', { server, signedIn: false, keepsLines: true });
    await tui.type(`admin\t${server.password}\r`).until('› Code');
    await tui.type('999999\r').until('Incorrect password or code. Try again.', '› Password');
    await tui.type(`${server.password}\r`).until('› Code');
    await tui.type('123456\r').until('error number 3');
    expect(tui.everShown()).not.toContain(server.password);
  });

  it('lets in with a code that is confirmed in a browser', async () => {
    const server = withErrors();
    await using tui = await openTui('Username', { server, signedIn: false });
    await tui.type('\u0007').until(`Open ${server.url}/device in a`, 'BCDF-GHJK');
    server.isCodeConfirmed = true;
    await tui.waitForText('error number 3');
  });

  it('takes everything in one chunk', async () => {
    const server = withErrors();
    await using tui = await openTui('Remember', { server, signedIn: false, credentials: memoryCredentials() });
    await tui.type(`admin\t${server.password}\t \r`).until('error number 3');
    expect(server.seen.find(({ path }) => path.endsWith('login'))?.body).toMatchObject({ remember: true });
  });

  it('takes pasted text without its line break', async () => {
    const server = withErrors();
    await using tui = await openTui('Username', { server, signedIn: false });
    await tui.paste('admin\n').until('[admin');
    tui.press('down');
    await tui.paste(server.password).until('•••');
    await tui.press('enter').until('error number 3');
  });

  it('says that the password is wrong until the next one is typed', async () => {
    await using tui = await openTui('Username', { signedIn: false });
    await tui.type('admin\twrong\r').until('Incorrect username or password. Try again.');
    expect(tui.text()).not.toContain('•');
    expect(tui.text()).toContain('› Password');
    await tui.type('x').untilGone('Incorrect');
  });

  it('reports an unreachable server and keeps the input', async () => {
    const server = withErrors();
    server.isDown = true;
    await using tui = await openTui('Username', { server, signedIn: false });
    await tui.type(`admin\t${server.password}\r`).until(/Press Enter\s+to try again\./);
    server.isDown = false;
    await tui.press('enter').until('error number 3');
  });

  it('goes to the missing field instead of sending', async () => {
    await using tui = await openTui('› Username', { signedIn: false });
    await tui.type('admin\r').until('› Password');
    expect(tui.server.seen).toEqual([]);
  });

  it('waits for the server with a configured token', async () => {
    const server = withErrors();
    server.isDown = true;
    await using tui = await openTui('Cannot reach the server', { server });
    expect(tui.text()).not.toContain('Password');
    server.isDown = false;
    await tui.waitForText('error number 3');
  });

  it('comes up when the configured token is refused', async () => {
    const server = new FakeServer();
    server.refuse.set('/admin-api/user/me', { code: 'token_expired' });
    await using tui = await openTui(/The configured API token was refused\. The token\s+has\s+expired/, { server });
    expect(tui.text()).toContain('Username');
  });

  it('comes back when the session ends in the middle of work, and keeps what was typed', async () => {
    const server = withErrors();
    server.tokens = [apiToken(1, { name: 'first' })];
    await using tui = await openTui('Username', { server, signedIn: false });
    await tui.type(`admin\t${server.password}\r`).until('● live');
    await tui.press('4').until('first');
    await tui.type('ahalf a name').until('[half a name');
    server.expireSessions();
    await tui.press('enter').until('Your session has ended', '› Password');
    expect(tui.text()).toContain('[admin');
    expect(tui.text()).not.toContain('half a name');
    await tui.type(`${server.password}\r`).until('[half a name');
    await tui.press('enter').until(server.secret);
  });

  it('comes back by itself when somebody ends the session, and says so', async () => {
    const server = withErrors();
    await using tui = await openTui('Username', { server, signedIn: false });
    await tui.type(`admin\t${server.password}\r`).until('● live');
    server.endSessions();
    await tui.waitForText('Your session has ended. Sign in again.');
  });

  it('shows nothing of one user to another', async () => {
    const server = withErrors();
    await using tui = await openTui('Username', { server, signedIn: false });
    await tui.type(`admin\t${server.password}\r`).until('● live');
    await tui.type('(((((').until('CRIT or worse');
    server.expireSessions();
    await tui.press('r').until('Your session has ended');
    server.userId = 2;
    server.username = 'other';
    await tui.press('shift+tab', 'ctrl+u', `other\t${server.password}\r`).until('other master');
    expect(tui.text()).not.toContain('CRIT or worse');
  });

  it('is signed out of on leaving', async () => {
    const server = withErrors();
    await using tui = await openTui('Username', { server, signedIn: false });
    await tui.type(`admin\t${server.password}\r`).until('● live');
    tui.press('q');
    await tui.exited;
    await tui.leave();
    expect(server.seen.at(-1)?.path).toBe('/admin-api/user/logout');
  });
});

describe('Remember', () => {
  const remembering = async (credentials: CredentialStore, server = withErrors()) => {
    const tui = await openTui('[ ] stay signed in for 31 days', { server, signedIn: false, credentials });
    await tui.type(`admin\t${server.password}\t \r`).until('error number 3');
    return { server, tui };
  };

  it('keeps one signed in over a restart, until the sign-out', async () => {
    const credentials = memoryCredentials();
    const { server, tui: first } = await remembering(credentials);
    first.press('q');
    await first.exited;
    await first.leave();
    await first[Symbol.asyncDispose]();
    expect(server.seen.some(({ path }) => path.endsWith('/logout'))).toBe(false);

    await using again = await openTui('error number 3', { server, signedIn: false, credentials, keepsLines: true });
    expect(again.everShown()).not.toContain('Username');
    await again.type(':logout\r').until('Username');
    expect(credentials.all.size).toBe(0);
    expect(server.seen.at(-1)?.path).toBe('/admin-api/user/logout');
  });

  it('forgets a session that the server refuses, at the start and later', async () => {
    const credentials = memoryCredentials();
    const { server, tui } = await remembering(credentials);
    server.endSessions();
    await tui.waitForText('Your session has ended. Sign in again.');
    expect(credentials.all.size).toBe(0);
    await tui[Symbol.asyncDispose]();

    credentials.all.set(server.url, { sessionToken: 'qd_s_ended' });
    await using next = renderTui({ server, signedIn: false, credentials });
    await next.waitForText('Your session has ended. Sign in again.');
    expect(credentials.all.size).toBe(0);
  });

  it('keeps a stored session while the server is down', async () => {
    const credentials = memoryCredentials();
    const server = withErrors();
    server.isDown = true;
    credentials.all.set(server.url, { sessionToken: 'qd_s_stored' });
    await using _tui = await openTui('Cannot reach the server', { server, signedIn: false, credentials });
    expect(credentials.all.size).toBe(1);
  });

  it('says so where the session cannot be stored, and signs out on leaving', async () => {
    const { server, tui } = await remembering(memoryCredentials(false));
    await using _tui = tui;
    await tui.waitForText('The session cannot be stored. It ends when you quit.');
    await tui.leave();
    expect(server.seen.at(-1)?.path).toBe('/admin-api/user/logout');
  });

  it('is not offered without a store', async () => {
    await using tui = await openTui('Username', { signedIn: false });
    expect(tui.text()).not.toContain('Remember');
  });
});
