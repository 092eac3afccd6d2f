import { describe, expect, it } from 'vitest';
import type { CredentialStore, SavedCredential } from '../src/config.ts';
import { apiToken, entry, FakeServer } from './fake-server.ts';
import { renderTui } from './render-tui.tsx';

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
    await using tui = renderTui({ server, signedIn: false });
    await tui.waitForText('Username');
    expect(tui.text()).toContain(server.url);
    // A space behind the name is easy to type and cannot be seen.
    tui.type('admin ');
    await tui.waitForText('[admin');
    tui.press('tab');
    tui.type(server.password);
    await tui.waitForText('•'.repeat(server.password.length));
    tui.press('enter');
    await tui.waitForText('admin master');
    await tui.waitForText('error number 3');
    expect(tui.raw()).not.toContain(server.password);
  });

  it('asks for a code where the server wants one, and sends the password again with it', async () => {
    const server = withErrors();
    server.otp = '123456';
    await using tui = renderTui({ server, signedIn: false });
    await tui.waitForText('Username');
    tui.type(`admin\t${server.password}\r`);
    await tui.waitForText('› Code');
    tui.type('999999\r');
    await tui.waitForText('Incorrect password or code. Try again.');
    await tui.waitForText('› Password');
    tui.type(`${server.password}\r`);
    await tui.waitForText('› Code');
    tui.type('123456\r');
    await tui.waitForText('error number 3');
    expect(tui.raw()).not.toContain(server.password);
  });

  it('takes everything in one chunk', async () => {
    const server = withErrors();
    await using tui = renderTui({ server, signedIn: false, credentials: memoryCredentials() });
    await tui.waitForText('Remember');
    tui.type(`admin\t${server.password}\t \r`);
    await tui.waitForText('error number 3');
    expect(server.seen.find(({ path }) => path.endsWith('login'))?.body).toMatchObject({ remember: true });
  });

  it('takes pasted text without its line break', async () => {
    const server = withErrors();
    await using tui = renderTui({ server, signedIn: false });
    await tui.waitForText('Username');
    tui.paste('admin\n');
    await tui.waitForText('[admin');
    tui.press('down');
    tui.paste(server.password);
    await tui.waitForText('•••');
    tui.press('enter');
    await tui.waitForText('error number 3');
  });

  it('says that the password is wrong until the next one is typed', async () => {
    await using tui = renderTui({ signedIn: false });
    await tui.waitForText('Username');
    tui.type('admin\twrong\r');
    await tui.waitForText('Incorrect username or password. Try again.');
    expect(tui.text()).not.toContain('•');
    expect(tui.text()).toContain('› Password');
    tui.type('x');
    await tui.waitForNoText('Incorrect');
  });

  it('reports an unreachable server and keeps the input', async () => {
    const server = withErrors();
    server.isDown = true;
    await using tui = renderTui({ server, signedIn: false });
    await tui.waitForText('Username');
    tui.type(`admin\t${server.password}\r`);
    await tui.waitForText(/Press Enter\s+to try again\./);
    server.isDown = false;
    tui.press('enter');
    await tui.waitForText('error number 3');
  });

  it('goes to the missing field instead of sending', async () => {
    await using tui = renderTui({ signedIn: false });
    await tui.waitForText('› Username');
    tui.type('admin\r');
    await tui.waitForText('› Password');
    expect(tui.server.seen).toEqual([]);
  });

  it('moves back with Shift-Tab and edits in the middle of a field', async () => {
    await using tui = renderTui({ signedIn: false });
    await tui.waitForText('› Username');
    tui.type('amin');
    tui.press('tab', 'shift+tab', 'home', 'right');
    tui.type('d');
    await tui.waitForText('[admin');
  });

  it('waits for the server with a configured token', async () => {
    const server = withErrors();
    server.isDown = true;
    await using tui = renderTui({ server });
    await tui.waitForText('Cannot reach the server');
    expect(tui.text()).not.toContain('Password');
    server.isDown = false;
    await tui.waitForText('error number 3');
  });

  it('comes up when the configured token is refused', async () => {
    const server = new FakeServer();
    server.refuse.set('/admin-api/user/me', { code: 'token_expired' });
    await using tui = renderTui({ server });
    await tui.waitForText(/The configured API token was refused\. The token\s+has\s+expired/);
    expect(tui.text()).toContain('Username');
  });

  it('comes back when the session ends in the middle of work, and keeps what was typed', async () => {
    const server = withErrors();
    server.tokens = [apiToken(1, { name: 'first' })];
    await using tui = renderTui({ server, signedIn: false });
    await tui.waitForText('Username');
    tui.type(`admin\t${server.password}\r`);
    await tui.waitForText('● live');
    tui.press('4');
    await tui.waitForText('first');
    tui.type('ahalf a name');
    await tui.waitForText('[half a name');
    server.expireSessions();
    tui.press('enter');
    await tui.waitForText('Your session has ended');
    await tui.waitForText('› Password');
    expect(tui.text()).toContain('[admin');
    expect(tui.text()).not.toContain('half a name');
    tui.type(`${server.password}\r`);
    await tui.waitForText('[half a name');
    tui.press('enter');
    await tui.waitForText(server.secret);
  });

  it('comes back by itself when somebody ends the session, and says so', async () => {
    const server = withErrors();
    await using tui = renderTui({ server, signedIn: false });
    await tui.waitForText('Username');
    tui.type(`admin\t${server.password}\r`);
    await tui.waitForText('● live');
    server.endSessions();
    await tui.waitForText('Your session has ended. Sign in again.');
  });

  it('shows nothing of one user to another', async () => {
    const server = withErrors();
    await using tui = renderTui({ server, signedIn: false });
    await tui.waitForText('Username');
    tui.type(`admin\t${server.password}\r`);
    await tui.waitForText('● live');
    tui.type('(((((');
    await tui.waitForText('CRIT or worse');
    server.expireSessions();
    tui.press('r');
    await tui.waitForText('Your session has ended');
    server.userId = 2;
    server.username = 'other';
    tui.press('shift+tab', 'ctrl+u');
    tui.type(`other\t${server.password}\r`);
    await tui.waitForText('other master');
    expect(tui.text()).not.toContain('CRIT or worse');
  });

  it('is signed out of on leaving', async () => {
    const server = withErrors();
    await using tui = renderTui({ server, signedIn: false });
    await tui.waitForText('Username');
    tui.type(`admin\t${server.password}\r`);
    await tui.waitForText('● live');
    tui.press('q');
    await tui.exited;
    await tui.leave();
    expect(server.seen.at(-1)?.path).toBe('/admin-api/user/logout');
  });
});

describe('Remember', () => {
  const remembering = async (credentials: CredentialStore, server = withErrors()) => {
    const tui = renderTui({ server, signedIn: false, credentials });
    await tui.waitForText('[ ] stay signed in for 31 days');
    tui.type(`admin\t${server.password}\t \r`);
    await tui.waitForText('error number 3');
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

    await using again = renderTui({ server, signedIn: false, credentials });
    await again.waitForText('error number 3');
    expect(again.raw()).not.toContain('Username');
    again.type(':logout\r');
    await again.waitForText('Username');
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
    await using tui = renderTui({ server, signedIn: false, credentials });
    await tui.waitForText('Cannot reach the server');
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
    await using tui = renderTui({ signedIn: false });
    await tui.waitForText('Username');
    expect(tui.text()).not.toContain('Remember');
  });
});
