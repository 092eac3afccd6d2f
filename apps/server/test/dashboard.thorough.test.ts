// The whole way: a real nginx, a real server, and the built dashboard in a pty.
import { afterEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../../test/programs.ts';
import { isBuilt, type Pty, startPty, UNTOUCHED } from '../../tui/test/terminal/pty.ts';
import { startNginx } from './nginx-process.ts';
import { newPlace, PASSWORD, startApi, type TestApi } from './start-api.ts';

const nginx = findProgram('nginx');

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
});
