// Menus, counts and refusals of keys, read from the screen.
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { agent, apiToken, FakeServer, serverWithErrors } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

describe('a prefix', () => {
  it('shows what may follow after a pause, and Escape leaves it, not the screen', async () => {
    await using tui = await openTui('1 of 3', { server: serverWithErrors(3) });
    await tui.press('b').until('╭─ b  filter by a value of the selected row');
    expect(tui.text()).toMatch(/│ b Selected value +s Source/);
    expect(tui.text()).toContain('Esc cancels');
    expect(tui.text()).toContain('error number 3');
    await tui.press('escape').untilGone('filter by a value');
    expect(tui.text()).toContain('[2 Errors]');
    expect(tui.text()).toContain('1 of 3');
  });

  it('draws no menu for keys that are typed fast', async () => {
    await using tui = await openTui('1 of 30', { server: serverWithErrors(30), keepsLines: true });
    await tui.type('Ggg').until('1 of 30');
    await tui.type('yy').until('Copied the row.');
    expect(tui.everShown()).not.toContain('go to ─');
    expect(tui.everShown()).not.toContain('Esc cancels');
  });

  it('leads to every screen, with the number keys in its menu', async () => {
    await using tui = await openTui('1 of 1', { server: serverWithErrors(1) });
    expect(tui.lines().at(-1)).toContain('g go to');
    await tui.press('g').until('╭─ g  go to');
    expect(tui.text()).toMatch(/3 Agents .*\n/);
    expect(tui.text()).toMatch(/m Messages/);
    await tui.press('m').until('[Messages]');
    await tui.type('g3').until('[3 Agents]');
  });

  it('shows the keys of the settings', async () => {
    const keys = { 'errlog.bySource': ['b S'], 'app.goMessages': ['g M'] };
    await using tui = await openTui('1 of 1', { server: serverWithErrors(1), settings: { keys } });
    await tui.press('b').until(/ S Source/);
    await tui.press('escape', 'g').until('M Messages');
  });

  it('and a count are shown while they wait', async () => {
    await using tui = await openTui('1 of 20', { server: serverWithErrors(20) });
    tui.type('12');
    await tui.waitFor('the count', () => tui.lines().at(-2)?.endsWith(' 12') === true);
    await tui.type(']').until('╭─ 12]  next');
    await tui.type('e').until('13 of 20');
    expect(tui.text()).not.toContain('12]');
  });
});

describe('a key that cannot run its command', () => {
  it('names the role that it needs', async () => {
    const server = serverWithErrors(1);
    server.role = 'viewer';
    server.permissions = ['errlog:read', 'agent:read', 'api_token:read', 'api_token:write'];
    await using tui = await openTui('1 of 1', { server });
    await tui.press('R').until('Needs the role operator.');
    await tui.press('5').until('Needs the role master.');
    await tui.press('g').until('│ 5 Users, 6 Audit log, w Channels: Needs the role master.');
    await tui.press('escape', ':bulk\r').until('Needs the role operator.');
  });

  it('asks for a row where there is none, or for one that fits', async () => {
    const server = new FakeServer();
    await using tui = await openTui('No errors.', { server });
    await tui.press('R').until('Select a row first.');
    await tui.type('b0').until('No filter is set.');
    server.agents = [agent(1)];
    await tui.press('3').until('1 of 1');
    await tui.press('A').until('Select a deleted agent first.');
  });

  it('says why after a prefix, here and where only other screens have it', async () => {
    await using tui = await openTui('1 of 1', { server: serverWithErrors(1) });
    await tui.type('@0').until('All times are shown already.');
    await tui.type('gc').until('Show what changed first.');
    await tui.type('bx').until('b x: Only on Agents.');
    await tui.type('bj').until('b j: no such key');
    await tui.press('1').until('[1 Overview]');
    await tui.type("''").until("' ': Only on lists.");
    await tui.press('3').until('[3 Agents]');
    await tui.type('@h').until('This screen has no time range.');
    await tui.type(':since 2h\r').until('This screen has no time range.');
    await tui.type('@j').until('@ j: no such key');
  });

  it('says nothing where no command has it', async () => {
    await using tui = await openTui('1 of 1', { server: serverWithErrors(1) });
    const before = tui.text();
    await tui.press('E', 'j', 'k').until('1 of 1');
    expect(tui.lines().at(-2)).toBe(before.split('\n').at(-2));
  });
});

describe('the help', () => {
  it('begins with five things that one does on the screen', async () => {
    await using tui = await openTui('1 of 3', { server: serverWithErrors(3) });
    await tui.press('?').until('First on this screen');
    const lines = tui.lines();
    const from = lines.findIndex((line) => line.includes('First on this screen'));
    const words = lines.slice(from + 1, from + 6).join('\n');
    for (const word of ['details', 'lines of the error', 'Filter', 'what changed', 'Resolve'])
      expect(words).toContain(word);
    expect(lines[from + 6]).toMatch(/│ +\S+/);
    await tui.press('escape').untilGone('First on this screen');
    await tui.press('3', '?').until('First on this screen');
  });
});

describe('what was made', () => {
  it('is selected, also where a filter would hide it', async () => {
    const server = new FakeServer();
    server.tokens = [apiToken(1, { name: 'deploy' }), apiToken(2, { name: 'backup' })];
    await using tui = await openTui('● live', { server });
    await tui.press('4').until('1 of 2');
    await tui.type('/deploy\r').until('1 of 1');
    await tui.press('a').until('New API token');
    await tui.type('ci runner\r').until(server.secret);
    await tui.press('escape').until(/▌.*ci runner/);
    await tui.press('D').until('Delete this API token?');
    expect(tui.text()).toMatch(/│ ci runner/);
  });

  it('is selected among the profiles, and Enter connects', async () => {
    const server = new FakeServer();
    await using tui = await openTui('● live', { server });
    await tui.press('P').until('1 of 1');
    await tui.press('a').until('New server');
    await tui.type('staging\tstaging.test\r').until(/▌ ○ +staging/);
    await tui.press('enter').until('Sign in to staging');
  });
});

describe('what is dangerous asks first', () => {
  it('disables a token after a question', async () => {
    const server = new FakeServer();
    server.tokens = [apiToken(1, { name: 'deploy' })];
    await using tui = await openTui('● live', { server });
    await tui.press('4').until('1 of 1');
    await tui.press('T').until('Disable this API token?');
    await tui.press('enter').untilGone('Disable this');
    expect(server.tokens[0]?.state).not.toBe('disabled');
    await tui.press('T', 'y').until('Disabled deploy.');
    expect(server.tokens[0]?.state).toBe('disabled');
    await tui.waitForText('○ disabled');
    await tui.press('T').until('Enable this API token?');
  });

  it('undoes the new name of a token', async () => {
    const server = new FakeServer();
    server.tokens = [apiToken(1, { name: 'deploy' })];
    await using tui = await openTui('● live', { server });
    await tui.press('4').until('1 of 1');
    await tui.press('e').until('Change deploy');
    await tui.type(' two\r').until('Changed deploy two. Press U to undo.');
    await tui.press('1').until('[1 Overview]');
    await tui.press('U').until('Undone: Changed deploy two.');
    expect(server.tokens[0]?.name).toBe('deploy');
  });

  it('undoes the new name and role of a user', async () => {
    const server = new FakeServer();
    server.users = [build.user({ id: 7, username: 'ada', role: 'operator' })];
    await using tui = await openTui('● live', { server });
    await tui.press('5').until('1 of 1');
    await tui.press('e').until('Change ada');
    await tui.type('x\t\u001B[D\r').until('Changed adax. Press U to undo.');
    expect(server.users[0]).toMatchObject({ username: 'adax', role: 'master' });
    await tui.press('U').until('Undone: Changed adax.');
    expect(server.users[0]).toMatchObject({ username: 'ada', role: 'operator' });
  });

  it('reopens a group after a question', async () => {
    const server = serverWithErrors(1);
    server.errlog = server.errlog.map((row) => ({ ...row, state: 'resolved' as const }));
    await using tui = await openTui('1 of 1', { server });
    await tui.press('A').until('Reopen group 1?');
    expect(server.errlog[0]?.state).toBe('resolved');
    await tui.press('y').until('Reopened group 1. Press U to undo.');
    await tui.press('U').until('Undone: Reopened group 1.');
    expect(server.errlog[0]?.state).toBe('resolved');
  });
});
