// The whole way: a real nginx, a real server, and the built dashboard in a real terminal, in a pty and once in tmux.
import { afterEach, describe, expect, it } from 'vitest';
import { isBuilt, MAIN, type Pty, startPty, UNTOUCHED } from '../../tui/test/terminal/pty.ts';
import { startTmux } from '../../tui/test/tmux.ts';
import { startNginx } from './nginx-process.ts';
import { findProgram } from './programs.ts';
import { newPlace, PASSWORD, startApi, type TestApi } from './start-api.ts';

const nginx = findProgram('nginx');
const tmux = findProgram('tmux');

const opened: Pty[] = [];
afterEach(async () => {
  for (const terminal of opened.splice(0)) await terminal[Symbol.asyncDispose]();
});

/** A dashboard that ends with the test. */
function open(api: TestApi, size: { columns?: number; rows?: number } = {}): Pty {
  const terminal = startPty({ ...size, env: { QUARTERDECK_URL: api.url } });
  opened.push(terminal);
  return terminal;
}

async function signIn(terminal: Pty): Promise<void> {
  await terminal.waitForText('Sign in');
  terminal.type(`admin\t${PASSWORD}\r`);
  await terminal.waitForText('● live');
}

const sessionsOf = (api: TestApi) => api.server.deps.db.read.prisma.session.count();

describe.skipIf(!isBuilt)('the dashboard on a real server', () => {
  it.skipIf(nginx === undefined)("shows a real nginx's errors as they happen, and mutes one", async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    await using web = await startNginx(nginx ?? '', api.server.syslogPort ?? 0);
    const terminal = open(api, { columns: 120, rows: 30 });
    await signIn(terminal);
    terminal.type(':logs\r');
    await terminal.waitForText('2 Errors');
    await web.get('/nothing-here.html');
    await terminal.waitForText(/ERROR\s+\d+\s.*open\(\)/);
    await web.get('/up');
    await terminal.waitForText(/ERROR\s+\d+\s.*connect\(\) failed/);
    // One that is there by now, however many lines nginx has written since.
    terminal.type('/connect\r');
    await terminal.waitForText(/▌.*connect\(\) failed/);
    terminal.type('M');
    await terminal.waitForText(/mute/i);
    terminal.type('\r');
    await terminal.waitForText(/▌.*muted.*connect\(\) failed/);
    const { data } = await api.admin.errlog.list({ query: { state: 'muted' } });
    expect(data.map(({ log }) => log)).toEqual([expect.stringContaining('connect() failed')]);
    expect(terminal.raw()).not.toContain(PASSWORD);
    terminal.type('Q');
    expect(await terminal.exit).toMatchObject({ exitCode: 0 });
    await terminal.screen.settled();
    expect(terminal.modes()).toEqual(UNTOUCHED);
    // Leaving ended the session: only the one of this test is left.
    await expect.poll(() => sessionsOf(api)).toBe(1);
  });

  it('issues an API token that works, shows it once, and deletes it after asking', async () => {
    await using api = await startApi();
    const terminal = open(api);
    await signIn(terminal);
    terminal.type(':tokens\r');
    await terminal.waitForText('No API tokens yet');
    // All of it at once, as a fast hand or a slow line would send it.
    terminal.type('afrom the dashboard\r');
    await terminal.waitForText(/qd_t_\w{49}/);
    const [secret = ''] = /qd_t_\w{49}/.exec(terminal.text()) ?? [];
    const asToken = () => api.fetch('/admin-api/user/me', { headers: { 'api-token': secret } });
    expect((await asToken()).body.data.credential.kind).toBe('api_token');
    terminal.type('\u001B');
    await terminal.waitFor('the secret to be gone', () => !terminal.text().includes(secret));
    expect(terminal.text()).toMatch(/▌.*from the dashboard/);
    terminal.type('D');
    await terminal.waitForText('Delete this API token?');
    terminal.type('\r');
    await terminal.waitFor('the question to be gone', () => !terminal.text().includes('Delete this'));
    expect((await asToken()).status).toBe(200);
    terminal.type('D');
    await terminal.waitForText('Delete this API token?');
    terminal.type('y');
    await terminal.waitForText('No API tokens yet');
    expect((await asToken()).status).toBe(401);
  });

  it('asks to sign in again when the session is gone in the middle of a call, and goes on with it', async () => {
    await using api = await startApi();
    const terminal = open(api);
    await signIn(terminal);
    terminal.type(':tokens\r');
    await terminal.waitForText('No API tokens yet');
    terminal.type('atyped before');
    await terminal.waitForText('typed before');
    await api.server.deps.db.write((tx) => tx.prisma.session.deleteMany({}));
    terminal.type('\r');
    await terminal.waitForText('Password');
    terminal.type(`${PASSWORD}\r`);
    await terminal.waitForText('typed before');
    await terminal.waitForText('● live');
    terminal.type('\r');
    await terminal.waitForText(/qd_t_\w{49}/);
  });

  it('asks for the password where the sign-in is long ago, and goes on with what it was about', async () => {
    await using api = await startApi();
    const draft = { username: 'deputy', password: 'eleven tugboats at anchor', role: 'viewer' as const };
    const { id } = await api.admin.user.create({ body: draft });
    const terminal = open(api);
    await signIn(terminal);
    api.advance(11 * 60_000);
    terminal.type(':users\r');
    await terminal.waitForText('deputy');
    terminal.type('/deputy\r');
    await terminal.waitForText(/▌.*deputy/);
    terminal.type('D');
    await terminal.waitForText('Delete this user?');
    terminal.type('y');
    await terminal.waitForText('Confirm your identity');
    terminal.type('\u001B');
    await terminal.waitForText('Not confirmed; nothing was changed.');
    expect((await api.admin.user.get({ params: { id } })).username).toBe('deputy');
    terminal.type('y');
    await terminal.waitForText('Confirm your identity');
    terminal.type(`${PASSWORD}\r`);
    await terminal.waitForText('Deleted deputy.');
    await expect(api.admin.user.get({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
    expect(terminal.raw()).not.toContain(PASSWORD);
  });

  it('keeps what it shows while the server is away, says so, and goes on when it is back', async () => {
    await using place = await newPlace();
    const first = await startApi(place.sharing);
    const port = new URL(first.url).port;
    await first.admin.errlog.append({ body: [{ level: 4, log: 'before the restart' }] });
    const terminal = open(first);
    await signIn(terminal);
    terminal.type(':logs\r');
    await terminal.waitForText(/▌.*before the restart/);
    await first.server.stop();
    await terminal.waitForText(/lost|reconnecting|unreachable/i);
    expect(terminal.text()).toContain('before the restart');
    await using second = await startApi({ ...place.sharing, PORT: port });
    await second.admin.errlog.append({ body: [{ level: 4, log: 'after the restart' }] });
    await terminal.waitForText(/▌.*after the restart/);
    await terminal.waitForText('● live');
  });

  it.skipIf(tmux === undefined)('does all this inside of tmux', async () => {
    await using api = await startApi();
    await using terminal = await startTmux({
      command: `'${process.execPath}' '${MAIN}'; echo "left with $?"; sleep 1000`,
      env: { QUARTERDECK_URL: api.url },
    });
    await terminal.waitForText('Sign in');
    await terminal.type('admin');
    await terminal.keys('Tab');
    await terminal.type(PASSWORD);
    await terminal.keys('Enter');
    await terminal.waitForText('● live');
    await api.admin.errlog.append({ body: [{ level: 4, log: 'through tmux' }] });
    await terminal.keys('2');
    await terminal.waitForText(/ERROR.*through tmux/);
    await terminal.keys('F1');
    await terminal.waitForText('Error logs');
    await terminal.keys('Escape', 'Q');
    await terminal.waitForText('left with 0');
    expect(await terminal.ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('0 1 1');
  });
});
