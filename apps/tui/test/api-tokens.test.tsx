import { describe, expect, it } from 'vitest';
import { apiToken, FakeServer } from './fake-server.ts';
import { openTui, renderTui, type Tui } from './render-tui.tsx';

const DAY_MS = 86_400_000;

async function onTokens(server: FakeServer): Promise<Tui> {
  const tui = await openTui('● live', { server });
  await tui.press('4').until('4 Tokens', /\d of \d|No API tokens yet/);
  return tui;
}

/** A server with two tokens; the dashboard uses the second one. */
function withTokens(): FakeServer {
  const server = new FakeServer();
  server.tokens = [apiToken(2, { name: 'deploy', expire: Date.now() + 5 * DAY_MS }), apiToken(1, { name: 'wall' })];
  return server;
}

const bodies = (server: FakeServer, method: string): unknown[] =>
  server.seen
    .filter((seen) => seen.path.startsWith('/admin-api/api_token') && seen.method === method)
    .map(({ body }) => body);

describe('the API tokens', () => {
  it('are listed with name, expiry and owner', async () => {
    await using tui = await onTokens(withTokens());
    expect(tui.lines()[3]).toMatch(/▌ ● active\s+deploy\s+in 5 days.*admin/);
    expect(tui.lines()[4]).toMatch(/wall \(in use\)\s+never.*admin/);
  });

  it('name the key of the settings, and none to who may not create one', async () => {
    await using tui = renderTui({ settings: { start: 'overview', keys: { 'apiTokens.create': ['ctrl+n'] } } });
    await tui.waitForText('● live');
    await tui.press('4').until('Press Ctrl-n to create one.');
    await using reader = await openTui('● live', { profile: { readOnly: true } });
    await reader.press('4').until('No API tokens yet.');
    expect(reader.text()).not.toContain('to create one');
  });

  it('show the secret of a new one once, copy it, and forget it on Esc', async () => {
    const server = new FakeServer();
    await using tui = await onTokens(server);
    await tui.press('a').until('New API token');
    await tui.type('ci runner').until('[ci runner');
    expect(tui.text()).toContain('in 90 days');
    await tui.press('enter').until(server.secret);
    expect(tui.text()).toContain('It is shown only once.');
    expect(bodies(server, 'POST')).toEqual([{ name: 'ci runner', expire: expect.any(Number) }]);
    // Neither q nor Enter closes the dialog; the key after them still reaches it.
    await tui.press('q', 'enter', 'y').until('Sent to the clipboard');
    expect(tui.text()).toContain(server.secret);
    expect(tui.copied()).toBe(server.secret);
    await tui.press('escape').untilGone(server.secret);
    await tui.waitForText(/▌.*ci runner.*in 90 days/);
    await tui.press('?', 'issue').until('Issue a token');
    expect(tui.text()).not.toContain(server.secret);
  });

  it('are issued with a preset or a day of one’s own', async () => {
    const server = new FakeServer();
    await using tui = await onTokens(server);
    await tui.type('aforever').until('[forever');
    await tui.press('tab', 'left', 'left').until('It never expires.');
    await tui.press('right', 'right', 'right', 'right').until('YYYY-MM-DD');
    await tui.press('tab', '2020-01-31\r').until('That day is in the past.');
    await tui.press('ctrl+u', '2099-02-30\r').until('That day does not exist.');
    await tui.press('ctrl+u', '2099-12-31').until('It expires 2099-12-31 23:59:59');
    await tui.press('enter').until(server.secret);
    expect(bodies(server, 'POST')).toEqual([{ name: 'forever', expire: new Date(2099, 11, 31, 23, 59, 59).getTime() }]);
  });

  it('say how to create the first one, which needs a name', async () => {
    await using tui = await onTokens(new FakeServer());
    await tui.waitForText('Press a to create one');
    await tui.press('a').until('New API token');
    await tui.press('enter').until('Enter a name that says');
    await tui.press('escape').untilGone('New API token');
    expect(bodies(tui.server, 'POST')).toEqual([]);
  });

  it('are renamed without touching the expiry', async () => {
    const server = withTokens();
    await using tui = await onTokens(server);
    await tui.press('e').until('Change deploy');
    await tui.press('ctrl+u', 'deploy two\r').until('Changed deploy two.', /▌.*deploy two\s+in 5 days/);
    expect(bodies(server, 'PUT')).toEqual([{ name: 'deploy two' }]);
  });

  it('show what they use, and lose the rest once that was asked', async () => {
    const server = withTokens();
    const scopes = ['errlog:read', 'agent:read'];
    const last_used = Date.now() / 1000 - 7200;
    server.tokens[0] = apiToken(2, { name: 'deploy', scopes, unused: ['agent:read'], last_used });
    await using tui = await onTokens(server);
    await tui.press('enter').until('Unused for 30 days');
    await tui.press('enter').until(/errlog:read\s+48,211 times, last 2h ago/, 'GET /admin-api');
    await tui.press('escape', 'escape', 'W').until('Narrow this API token?', 'Keeps: errlog:read', 'Loses: agent:read');
    expect(bodies(server, 'POST')).toEqual([{ dry_run: true }]);
    await tui.press('y').until('Narrowed deploy.');
    expect(server.tokens[0]?.scopes).toEqual(['errlog:read']);
  });

  it('are deleted by choosing Yes; Enter alone means No', async () => {
    const server = withTokens();
    await using tui = await onTokens(server);
    await tui.press('D').until('Delete this API token?', 'deploy of admin, expires', '› No');
    await tui.press('enter').untilGone('Delete this API token?');
    expect(bodies(server, 'DELETE')).toEqual([]);
    await tui.press('j', 'D').until('This dashboard uses it');
    await tui.press('n').untilGone('This dashboard uses it');
    await tui.press('k', 'D', 'tab').until('› Delete it');
    await tui.press('enter').until('Deleted deploy.', '1 of 1');
    expect(bodies(server, 'DELETE')).toHaveLength(1);
  });

  it('say why one cannot be deleted, and leave the question open', async () => {
    const server = withTokens();
    await using tui = await onTokens(server);
    server.refuse.set('/admin-api/api_token/2', { code: 'forbidden', message: 'Ask the captain.' });
    await tui.press('D').until('› No');
    await tui.press('y').until('Ask the captain.');
    expect(tui.text()).toContain('Delete this API token?');
  });

  it('cannot be changed by who may only read them: the keys are neither shown nor bound', async () => {
    const server = withTokens();
    server.permissions = ['api_token:read', 'errlog:read'];
    await using tui = await onTokens(server);
    expect(tui.lines().at(-1)).not.toMatch(/add|edit|delete/);
    expect(tui.text()).not.toContain('Owner');
    await tui.press('a', 'e', 'D', '?').until('type to search');
    await tui.type('token').until('› token');
    expect(tui.text()).not.toMatch(/Issue a token|Rename|Delete/);
    expect(tui.text()).not.toContain('New API token');
  });
});
