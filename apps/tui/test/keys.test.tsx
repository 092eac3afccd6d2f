// Menus, counts and refusals of keys, read from the screen.
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { agent, apiToken, FakeServer, serverWithErrors } from './fake-server.ts';
import { renderTui } from './render-tui.tsx';

describe('a prefix', () => {
  it('shows what may follow after a pause, and Escape leaves it, not the screen', async () => {
    await using tui = renderTui({ server: serverWithErrors(3) });
    await tui.waitForText('1 of 3');
    tui.press('b');
    await tui.waitForText('╭─ b  filter by a value of the selected row');
    expect(tui.text()).toMatch(/│ b Selected value +s Source/);
    expect(tui.text()).toContain('Esc cancels');
    expect(tui.text()).toContain('error number 3');
    tui.press('escape');
    await tui.waitForNoText('filter by a value');
    expect(tui.text()).toContain('[2 Errors]');
    expect(tui.text()).toContain('1 of 3');
  });

  it('draws no menu for keys that are typed fast', async () => {
    await using tui = renderTui({ server: serverWithErrors(30) });
    await tui.waitForText('1 of 30');
    tui.type('Ggg');
    await tui.waitForText('1 of 30');
    tui.type('yy');
    await tui.waitForText('Copied the row.');
    expect(tui.raw()).not.toContain('go to ─');
    expect(tui.raw()).not.toContain('Esc cancels');
  });

  it('leads to every screen, with the number keys in its menu', async () => {
    await using tui = renderTui({ server: serverWithErrors(1) });
    await tui.waitForText('1 of 1');
    expect(tui.lines().at(-1)).toContain('g go to');
    tui.press('g');
    await tui.waitForText('╭─ g  go to');
    expect(tui.text()).toMatch(/3 Agents .*\n/);
    expect(tui.text()).toMatch(/m Messages/);
    tui.press('m');
    await tui.waitForText('[Messages]');
    tui.type('g3');
    await tui.waitForText('[3 Agents]');
  });

  it('that no key continues says so and runs nothing', async () => {
    await using tui = renderTui({ server: serverWithErrors(2) });
    await tui.waitForText('1 of 2');
    tui.type('bq');
    await tui.waitForText('b q: no such key');
    expect(tui.text()).toContain('1 of 2');
  });

  it('shows the keys of the settings', async () => {
    const keys = { 'errlog.bySource': ['b S'], 'app.goMessages': ['g M'] };
    await using tui = renderTui({ server: serverWithErrors(1), settings: { keys } });
    await tui.waitForText('1 of 1');
    tui.press('b');
    await tui.waitForText(/ S Source/);
    tui.press('escape', 'g');
    await tui.waitForText('M Messages');
  });

  it('and a count are shown while they wait', async () => {
    await using tui = renderTui({ server: serverWithErrors(20) });
    await tui.waitForText('1 of 20');
    tui.type('12');
    await tui.waitFor('the count', () => tui.lines().at(-2)?.endsWith(' 12') === true);
    tui.type(']');
    await tui.waitForText('╭─ 12]  next');
    tui.type('e');
    await tui.waitForText('13 of 20');
    expect(tui.text()).not.toContain('12]');
  });
});

describe('a key that cannot run its command', () => {
  it('names the role that it needs', async () => {
    const server = serverWithErrors(1);
    server.role = 'viewer';
    server.permissions = ['errlog:read', 'agent:read', 'api_token:read', 'api_token:write'];
    await using tui = renderTui({ server });
    await tui.waitForText('1 of 1');
    tui.press('R');
    await tui.waitForText('Needs the role operator.');
    tui.press('5');
    await tui.waitForText('Needs the role master.');
    tui.press('g');
    await tui.waitForText('│ 5 Users, 6 Audit log, w Channels: Needs the role master.');
    tui.press('escape');
    tui.type(':bulk\r');
    await tui.waitForText('Needs the role operator.');
  });

  it('names the scope that a token lacks', async () => {
    const server = serverWithErrors(1);
    server.permissions = ['errlog:read'];
    await using tui = renderTui({ server });
    await tui.waitForText('1 of 1');
    tui.press('M');
    await tui.waitForText('This token lacks the scope errlog:manage.');
  });

  it('says that the profile is read-only', async () => {
    await using tui = renderTui({ server: serverWithErrors(1), profile: { readOnly: true } });
    await tui.waitForText('1 of 1');
    tui.press('R');
    await tui.waitForText('This profile is read-only.');
  });

  it('asks for a row where there is none, or for one that fits', async () => {
    const server = new FakeServer();
    await using tui = renderTui({ server });
    await tui.waitForText('No errors.');
    tui.press('R');
    await tui.waitForText('Select a row first.');
    tui.type('b0');
    await tui.waitForText('No filter is set.');
    server.agents = [agent(1)];
    tui.press('3');
    await tui.waitForText('1 of 1');
    tui.press('A');
    await tui.waitForText('Select a deleted agent first.');
  });

  it('says nothing where no command has it', async () => {
    await using tui = renderTui({ server: serverWithErrors(1) });
    await tui.waitForText('1 of 1');
    const before = tui.text();
    tui.press('E');
    tui.press('j', 'k');
    await tui.waitForText('1 of 1');
    expect(tui.lines().at(-2)).toBe(before.split('\n').at(-2));
  });
});

describe('what was made', () => {
  it('is selected, also where a filter would hide it', async () => {
    const server = new FakeServer();
    server.tokens = [apiToken(1, { name: 'deploy' }), apiToken(2, { name: 'backup' })];
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('4');
    await tui.waitForText('1 of 2');
    tui.type('/deploy\r');
    await tui.waitForText('1 of 1');
    tui.press('a');
    await tui.waitForText('New API token');
    tui.type('ci runner\r');
    await tui.waitForText(server.secret);
    tui.press('escape');
    await tui.waitForText(/▌.*ci runner/);
    tui.press('D');
    await tui.waitForText('Delete this API token?');
    expect(tui.text()).toMatch(/│ ci runner/);
  });

  it('is selected among the profiles, and Enter connects', async () => {
    const server = new FakeServer();
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('P');
    await tui.waitForText('1 of 1');
    tui.press('a');
    await tui.waitForText('New server');
    tui.type('staging\tstaging.test\r');
    await tui.waitForText(/▌ ○ +staging/);
    tui.press('enter');
    await tui.waitForText('Sign in to staging');
  });
});

describe('what is dangerous asks first', () => {
  it('disables a token after a question', async () => {
    const server = new FakeServer();
    server.tokens = [apiToken(1, { name: 'deploy' })];
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('4');
    await tui.waitForText('1 of 1');
    tui.press('T');
    await tui.waitForText('Disable this API token?');
    tui.press('enter');
    await tui.waitForNoText('Disable this');
    expect(server.tokens[0]?.state).not.toBe('disabled');
    tui.press('T', 'y');
    await tui.waitForText('Disabled deploy.');
    expect(server.tokens[0]?.state).toBe('disabled');
    await tui.waitForText('○ disabled');
    tui.press('T');
    await tui.waitForText('Enable this API token?');
  });

  it('undoes the new name of a token', async () => {
    const server = new FakeServer();
    server.tokens = [apiToken(1, { name: 'deploy' })];
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('4');
    await tui.waitForText('1 of 1');
    tui.press('e');
    await tui.waitForText('Change deploy');
    tui.type(' two\r');
    await tui.waitForText('Changed deploy two. Press U to undo.');
    tui.press('1');
    await tui.waitForText('[1 Overview]');
    tui.press('U');
    await tui.waitForText('Undone: Changed deploy two.');
    expect(server.tokens[0]?.name).toBe('deploy');
  });

  it('undoes the new name and role of a user', async () => {
    const server = new FakeServer();
    server.users = [build.user({ id: 7, username: 'ada', role: 'operator' })];
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('5');
    await tui.waitForText('1 of 1');
    tui.press('e');
    await tui.waitForText('Change ada');
    tui.type('x\t\u001B[D\r');
    await tui.waitForText('Changed adax. Press U to undo.');
    expect(server.users[0]).toMatchObject({ username: 'adax', role: 'master' });
    tui.press('U');
    await tui.waitForText('Undone: Changed adax.');
    expect(server.users[0]).toMatchObject({ username: 'ada', role: 'operator' });
  });

  it('reopens a group after a question', async () => {
    const server = serverWithErrors(1);
    server.errlog = server.errlog.map((row) => ({ ...row, state: 'resolved' as const }));
    await using tui = renderTui({ server });
    await tui.waitForText('1 of 1');
    tui.press('A');
    await tui.waitForText('Reopen group 1?');
    expect(server.errlog[0]?.state).toBe('resolved');
    tui.press('y');
    await tui.waitForText('Reopened group 1. Press U to undo.');
    tui.press('U');
    await tui.waitForText('Undone: Reopened group 1.');
    expect(server.errlog[0]?.state).toBe('resolved');
  });
});
