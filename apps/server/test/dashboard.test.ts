// The whole way: a real nginx, a real server, and the built dashboard in a real terminal.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startTmux } from '../../tui/test/tmux.ts';
import { startNginx } from './nginx-process.ts';
import { findProgram } from './programs.ts';
import { PASSWORD, startApi, type TestApi } from './start-api.ts';

const DASHBOARD = fileURLToPath(new URL('../../tui/dist/main.js', import.meta.url));
const nginx = findProgram('nginx');
const tmux = findProgram('tmux');

const openDashboard = (api: TestApi) =>
  startTmux({
    command: `'${process.execPath}' '${DASHBOARD}'; echo "left with $?"; sleep 1000`,
    env: { QUARTERDECK_URL: api.url, NODE_ENV: 'production' },
  });

async function signIn(terminal: Awaited<ReturnType<typeof openDashboard>>): Promise<void> {
  await terminal.waitForText('Sign in');
  await terminal.type('admin');
  await terminal.keys('Tab');
  await terminal.type(PASSWORD);
  await terminal.keys('Enter');
  await terminal.waitForText('● live');
}

describe.skipIf(nginx === undefined || tmux === undefined)('the dashboard on a real server', () => {
  it("shows a real nginx's errors as they happen", async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    await using web = await startNginx(nginx ?? '', api.server.syslogPort ?? 0);
    await using terminal = await openDashboard(api);
    await signIn(terminal);
    await web.get('/nothing-here.html');
    await terminal.waitForText(/ERROR\s+\d+\s+\S+\s+open\(\)/);
    await web.get('/up');
    await terminal.waitForText(/connect\(\) failed/);
    expect(await terminal.capture()).not.toContain(PASSWORD);
    await terminal.keys('q');
    await terminal.waitForText('left with 0');
    // Leaving ended the session: only the one of this test is left.
    await expect.poll(() => api.server.deps.db.read.prisma.session.count()).toBe(1);
  });

  it('issues an API token that works, shows it once, and deletes it after asking', async () => {
    await using api = await startApi();
    await using terminal = await openDashboard(api);
    await signIn(terminal);
    await terminal.keys('3', 'a');
    await terminal.waitForText('New API token');
    await terminal.type('from the dashboard');
    await terminal.keys('Enter');
    const screen = await terminal.waitForText(/qd_t_\w{49}/);
    const [secret = ''] = /qd_t_\w{49}/.exec(screen) ?? [];
    const asToken = () => api.fetch('/admin-api/user/me', { headers: { 'api-token': secret } });
    expect((await asToken()).body.data.credential.kind).toBe('api_token');
    await terminal.keys('Escape');
    await terminal.waitForText('D delete');
    expect(await terminal.capture()).not.toContain(secret);

    await terminal.keys('D');
    await terminal.waitForText('from the dashboard');
    await terminal.keys('Enter');
    await terminal.waitForText('D delete');
    expect((await asToken()).status).toBe(200);
    await terminal.keys('D');
    await terminal.waitForText(/y yes|yes/i);
    await terminal.keys('y');
    await terminal.waitForText('No API tokens');
    expect((await asToken()).status).toBe(401);
  });

  it('asks to sign in again when the session is gone in the middle of work, and goes on', async () => {
    await using api = await startApi();
    await using terminal = await openDashboard(api);
    await signIn(terminal);
    await api.server.deps.db.write((tx) => tx.prisma.session.deleteMany({}));
    await terminal.keys('r');
    await terminal.waitForText('Password');
    await terminal.type(PASSWORD);
    await terminal.keys('Enter');
    await terminal.waitForText('● live');
  });
});
