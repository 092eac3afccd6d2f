// The one filter of all lists, as a person sees it.
import { describe, expect, it } from 'vitest';
import { serverWithErrors } from './fake-server.ts';
import { onUsers } from './on-users.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const shown = (tui: Tui): string => [...tui.text().matchAll(/[●○] active +(\S+)/g)].map(([, name]) => name).join(' ');

describe('the filter of a list that is read whole', () => {
  it('is the filter language over its columns', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('/role:viewer -db');
    await tui.waitFor('one user', () => shown(tui) === 'web-1');
    tui.press('enter');
    await tui.waitForText('/role:viewer -db');
    await tui.waitForText('1 of 1 (of 3)');
  });

  it('is narrowed by the value of the selected column, and hides one', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.press('b', 'b');
    await tui.waitForText('Select a column first: h or l.');
    tui.press('l', 'l', 'l', 'b', 'b');
    await tui.waitForText('/role:viewer');
    await tui.waitForText('1 of 2 (of 3)');
    tui.press('b', 'n');
    await tui.waitForText('3 hidden by /role:viewer -role:viewer; Esc clears.');
  });

  it('takes expressions, and moves between matches with n', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('//^web-\\d/\r');
    await tui.waitFor('two users', () => shown(tui) === 'web-1 web-2');
    tui.press('escape');
    await tui.waitForText('1 of 3');
    tui.press('n');
    await tui.waitForText('2 of 3');
    tui.press('n');
    await tui.waitForText('No further match');
  });

  it('keeps the prompt open on Enter while the text is wrong, and says where', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('/colour:red\r');
    await tui.waitForText('At character 1 ("colour"): There is no such field.');
    expect(tui.text()).toContain('Allowed: state, name, role');
    expect(tui.text()).toMatch(/\n \/colour:red/);
    tui.press('ctrl+u');
    tui.type('/[/\r');
    await tui.waitForText('The expression is not valid');
    expect(shown(tui)).toBe('web-1 web-2 db-1');
  });

  it('explains the syntax of earlier versions instead of searching for it', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('/!web\r');
    await tui.waitForText('-web leaves out');
    expect(tui.text()).toContain(':help filter');
    expect(shown(tui)).toBe('web-1 web-2 db-1');
  });

  it('completes names of columns and their values, with counts', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('/ro');
    await tui.waitForText(/role: +value/);
    tui.press('tab');
    await tui.waitForText(/viewer +2/);
    await tui.waitForText(/operator +1/);
    tui.press('tab', 'enter');
    await tui.waitForText('/role:viewer');
    await tui.waitFor('the viewers', () => shown(tui) === 'web-1 db-1');
  });

  it('says how many rows it hides, and shows them again on Escape', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('/zzz\r');
    await tui.waitForText('3 hidden by /zzz; Esc clears.');
    expect(tui.text()).not.toContain('No users');
    tui.press('escape');
    await tui.waitForText('1 of 3');
  });
});

describe('a list without rows', () => {
  it('does not claim to be empty after a failure', async () => {
    await using tui = renderTui();
    await tui.waitForText('● live');
    tui.type(':enrolment\r');
    await tui.waitForText('No enrolment tokens.');
    tui.server.isDown = true;
    tui.press('r');
    await tui.waitForText('Cannot reach the server');
    await tui.waitForNoText('No enrolment tokens.');
  });
});

describe('the filter of the error logs', () => {
  it('is run by the server', async () => {
    await using tui = renderTui({ server: serverWithErrors(12) });
    await tui.waitForText('1 of 12');
    tui.type('/error -"number 1"\r');
    await tui.waitForText('/error -"number 1"');
    await tui.waitForText('1 of 8');
    expect(tui.server.filters).toContain('error -"number 1"');
  });

  it('is narrowed by the value of the selected column', async () => {
    const server = serverWithErrors(12);
    await using tui = renderTui({ server });
    await tui.waitForText('1 of 12');
    tui.press('l', 'l', 'b', 'b');
    await tui.waitForText('/level:');
    tui.press('l', 'l', 'b', 'b');
    await tui.waitForText(/\/level:\w+ source:web-1/);
    await tui.waitForText('1 of ');
    tui.press('h', 'b', 'b');
    await tui.waitForText('The list has no filter for this value of the column Count.');
  });

  it('completes values with the counts of the server', async () => {
    await using tui = renderTui({ server: serverWithErrors(12) });
    await tui.waitForText('1 of 12');
    tui.type('/source:');
    await tui.waitForText(/web-1 +12/);
    tui.press('tab', 'enter');
    await tui.waitForText('/source:web-1');
    await tui.waitForText('1 of 12');
  });

  it('says that nothing matches, with the number of all errors, and never that there are none', async () => {
    await using tui = renderTui({ server: serverWithErrors(12) });
    await tui.waitForText('1 of 12');
    tui.type('/zzz\r');
    await tui.waitForText('12 hidden by /zzz; Esc clears.');
    tui.press('escape');
    await tui.waitForText('1 of 12');
  });

  it('refuses the filter of a command that is wrong', async () => {
    await using tui = renderTui({ server: serverWithErrors(2) });
    await tui.waitForText('1 of 2');
    tui.type(':logs /level:loud\r');
    await tui.waitForText('There is no such level');
    tui.type(':logs /level:>=error\r');
    await tui.waitForText('/level:>=error');
  });
});

describe('the prompt', () => {
  it('replaces the recalled text by what is typed, and edits it after an arrow key', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('/web\r');
    await tui.waitForText('1 of 2 (of 3)');
    tui.type('/db');
    await tui.waitFor('only the new text', () => shown(tui) === 'db-1');
    tui.press('enter');
    await tui.waitForText('1 of 1 (of 3)');
    tui.press('/', 'end');
    tui.type('-1');
    await tui.waitForText('/db-1');
    tui.press('escape', '/', 'up');
    await tui.waitForText(' /web');
    tui.type('x');
    await tui.waitForText(/\n \/x\n/);
  });

  it('shows the language on F1 and returns with the same text', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('/web');
    tui.press('\u001BOP');
    await tui.waitForText('The filter language');
    await tui.waitForText('leaves out what has the text');
    tui.press('escape');
    await tui.waitForText(/\n \/web/);
  });

  it('opens the same page by :help filter', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type(':help filter\r');
    await tui.waitForText('The filter language');
  });
});
