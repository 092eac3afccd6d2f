import { describe, expect, it } from 'vitest';
import { apiToken, FakeServer } from './fake-server.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const DAY_MS = 86_400_000;

async function onTokens(server: FakeServer): Promise<Tui> {
  const tui = renderTui({ server });
  await tui.waitForText('● live');
  tui.press('4');
  await tui.waitForText('4 Tokens');
  await tui.waitForText(/\d of \d|No API tokens yet/);
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

  it('say that there are none, and how to create one', async () => {
    await using tui = await onTokens(new FakeServer());
    await tui.waitForText('Press a to create one');
  });

  it('name the key of the settings, and none to who may not create one', async () => {
    await using tui = renderTui({ settings: { start: 'overview', keys: { 'apiTokens.create': ['ctrl+n'] } } });
    await tui.waitForText('● live');
    tui.press('4');
    await tui.waitForText('Press Ctrl-n to create one.');
    await using reader = renderTui({ profile: { readOnly: true } });
    await reader.waitForText('● live');
    reader.press('4');
    await reader.waitForText('No API tokens yet.');
    expect(reader.text()).not.toContain('to create one');
  });

  it('show the secret of a new one once, copy it, and forget it on Esc', async () => {
    const server = new FakeServer();
    await using tui = await onTokens(server);
    tui.press('a');
    await tui.waitForText('New API token');
    tui.type('ci runner');
    await tui.waitForText('[ci runner');
    expect(tui.text()).toContain('in 90 days');
    tui.press('enter');
    await tui.waitForText(server.secret);
    expect(tui.text()).toContain('It is shown only once.');
    expect(bodies(server, 'POST')).toEqual([{ name: 'ci runner', expire: expect.any(Number) }]);
    // Neither q nor Enter closes the dialog; the key after them still reaches it.
    tui.press('q', 'enter', 'y');
    await tui.waitForText('Sent to the clipboard');
    expect(tui.text()).toContain(server.secret);
    expect(tui.raw()).toContain(`\u001B]52;c;${Buffer.from(server.secret).toString('base64')}\u0007`);
    tui.press('escape');
    await tui.waitForNoText(server.secret);
    await tui.waitForText(/▌.*ci runner.*in 90 days/);
    tui.press('?');
    tui.type('issue');
    await tui.waitForText('Issue a token');
    expect(tui.text()).not.toContain(server.secret);
  });

  it('are issued with a preset or a day of one’s own', async () => {
    const server = new FakeServer();
    await using tui = await onTokens(server);
    tui.type('aforever');
    await tui.waitForText('[forever');
    tui.press('tab', 'left', 'left');
    await tui.waitForText('It never expires.');
    tui.press('right', 'right', 'right', 'right');
    await tui.waitForText('YYYY-MM-DD');
    tui.press('tab');
    tui.type('2020-01-31\r');
    await tui.waitForText('That day is in the past.');
    tui.press('ctrl+u');
    tui.type('2099-02-30\r');
    await tui.waitForText('That day does not exist.');
    tui.press('ctrl+u');
    tui.type('2099-12-31');
    await tui.waitForText('It expires 2099-12-31 23:59:59');
    tui.press('enter');
    await tui.waitForText(server.secret);
    expect(bodies(server, 'POST')).toEqual([{ name: 'forever', expire: new Date(2099, 11, 31, 23, 59, 59).getTime() }]);
  });

  it('need a name', async () => {
    await using tui = await onTokens(new FakeServer());
    tui.press('a');
    await tui.waitForText('New API token');
    tui.press('enter');
    await tui.waitForText('Enter a name that says');
    tui.press('escape');
    await tui.waitForNoText('New API token');
    expect(bodies(tui.server, 'POST')).toEqual([]);
  });

  it('are renamed without touching the expiry', async () => {
    const server = withTokens();
    await using tui = await onTokens(server);
    tui.press('e');
    await tui.waitForText('Change deploy');
    tui.press('ctrl+u');
    tui.type('deploy two\r');
    await tui.waitForText('Changed deploy two.');
    await tui.waitForText(/▌.*deploy two\s+in 5 days/);
    expect(bodies(server, 'PUT')).toEqual([{ name: 'deploy two' }]);
  });

  it('are not deleted by Enter: the marked answer is No', async () => {
    const server = withTokens();
    await using tui = await onTokens(server);
    tui.press('D');
    await tui.waitForText('Delete this API token?');
    expect(tui.text()).toContain('deploy of admin, expires');
    expect(tui.text()).toContain('› No');
    tui.press('enter');
    await tui.waitForNoText('Delete this API token?');
    expect(bodies(server, 'DELETE')).toEqual([]);
    expect(tui.text()).toContain('deploy');
  });

  it('are deleted by choosing Yes', async () => {
    const server = withTokens();
    await using tui = await onTokens(server);
    tui.press('D');
    await tui.waitForText('› No');
    tui.press('tab');
    await tui.waitForText('› Delete it');
    tui.press('enter');
    await tui.waitForText('Deleted deploy.');
    await tui.waitForText('1 of 1');
    expect(bodies(server, 'DELETE')).toHaveLength(1);
  });

  it('warn before the one in use is deleted', async () => {
    await using tui = await onTokens(withTokens());
    tui.press('j', 'D');
    await tui.waitForText('This dashboard uses it');
    tui.press('n');
    await tui.waitForNoText('This dashboard uses it');
  });

  it('say why one cannot be deleted, and leave the question open', async () => {
    const server = withTokens();
    await using tui = await onTokens(server);
    server.refuse.set('/admin-api/api_token/2', { code: 'forbidden', message: 'Ask the captain.' });
    tui.press('D');
    await tui.waitForText('› No');
    tui.press('y');
    await tui.waitForText('Ask the captain.');
    expect(tui.text()).toContain('Delete this API token?');
  });

  it('cannot be changed by who may only read them: the keys are neither shown nor bound', async () => {
    const server = withTokens();
    server.permissions = ['api_token:read', 'errlog:read'];
    await using tui = await onTokens(server);
    expect(tui.lines().at(-1)).not.toMatch(/add|edit|delete/);
    expect(tui.text()).not.toContain('Owner');
    tui.press('a', 'e', 'D', '?');
    await tui.waitForText('type to search');
    tui.type('token');
    await tui.waitForText('› token');
    expect(tui.text()).not.toMatch(/Issue a token|Rename|Delete/);
    expect(tui.text()).not.toContain('New API token');
  });
});
