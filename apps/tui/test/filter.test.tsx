// The one filter of all lists, as a person sees it.
import { describe, expect, it } from 'vitest';
import { serverWithErrors } from './fake-server.ts';
import { onUsers } from './on-users.ts';
import { openTui, type Tui } from './render-tui.tsx';

const shown = (tui: Tui): string => [...tui.text().matchAll(/[●○] active +(\S+)/g)].map(([, name]) => name).join(' ');

describe('the filter of a list that is read whole', () => {
  it('is the filter language over its columns', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('/role:viewer -db');
    await tui.waitFor('one user', () => shown(tui) === 'web-1');
    await tui.press('enter').until('/role:viewer -db', '1 of 1 (of 3)');
  });

  it('is narrowed by the value of the selected column, and hides one', async () => {
    await using tui = await onUsers(undefined, 80);
    await tui.press('b', 'b').until('Select a column first: h or l.');
    await tui.press('l', 'l', 'l', 'b', 'b').until('/role:viewer', '1 of 2 (of 3)');
    await tui.press('b', 'n').until('3 hidden by /role:viewer -role:viewer; Esc clears.');
  });

  it('takes expressions, and moves between matches with n', async () => {
    await using tui = await onUsers(undefined, 80);
    tui.type('//^web-\\d/\r');
    await tui.waitFor('two users', () => shown(tui) === 'web-1 web-2');
    await tui.press('escape').until('1 of 3');
    await tui.press('n').until('2 of 3');
    await tui.press('n').until('No further match');
  });

  it('keeps the prompt open on Enter while the text is wrong, and says where', async () => {
    await using tui = await onUsers(undefined, 80);
    await tui.type('/colour:red\r').until('At character 1 ("colour"): There is no such field.');
    expect(tui.text()).toContain('Allowed: state, name, role');
    expect(tui.text()).toMatch(/\n \/colour:red/);
    await tui.press('ctrl+u', '/[/\r').until('The expression is not valid');
    expect(shown(tui)).toBe('web-1 web-2 db-1');
  });

  it('explains the syntax of earlier versions instead of searching for it', async () => {
    await using tui = await onUsers(undefined, 80);
    await tui.type('/!web\r').until('-web leaves out');
    expect(tui.text()).toContain(':help filter');
    expect(shown(tui)).toBe('web-1 web-2 db-1');
  });

  it('completes names of columns and their values, with counts', async () => {
    await using tui = await onUsers(undefined, 80);
    await tui.type('/ro').until(/role: +value/);
    await tui.press('tab').until(/viewer +2/, /operator +1/);
    await tui.press('tab', 'enter').until('/role:viewer');
    await tui.waitFor('the viewers', () => shown(tui) === 'web-1 db-1');
  });
});

describe('a list without rows', () => {
  it('does not claim to be empty after a failure', async () => {
    await using tui = await openTui('● live');
    await tui.type(':enrollment\r').until('No enrollment tokens.');
    tui.server.isDown = true;
    await tui.press('r').until('Cannot reach the server');
    await tui.waitForNoText('No enrollment tokens.');
  });
});

describe('the filter of the error logs', () => {
  it('is run by the server', async () => {
    await using tui = await openTui('1 of 12', { server: serverWithErrors(12) });
    await tui.type('/error -"number 1"\r').until('/error -"number 1"', '1 of 8');
    expect(tui.server.filters).toContain('error -"number 1"');
  });

  it('is narrowed by the value of the selected column', async () => {
    const server = serverWithErrors(12);
    await using tui = await openTui('1 of 12', { server });
    await tui.press('l', 'l', 'b', 'b').until('/level:');
    await tui.press('l', 'l', 'b', 'b').until(/\/level:\w+ source:web-1/, '1 of ');
    await tui.press('h', 'b', 'b').until('The list has no filter for this value of the column Count.');
  });

  it('says that nothing matches, with the number of all errors, and never that there are none', async () => {
    await using tui = await openTui('1 of 12', { server: serverWithErrors(12) });
    await tui.type('/zzz\r').until('12 hidden by /zzz; Esc clears.');
    await tui.press('escape').until('1 of 12');
  });

  it('refuses the filter of a command that is wrong', async () => {
    await using tui = await openTui('1 of 2', { server: serverWithErrors(2) });
    await tui.type(':logs /level:loud\r').until('There is no such level');
    await tui.type(':logs /level:>=error\r').until('/level:>=error');
  });
});

describe('the prompt', () => {
  it('replaces the recalled text by what is typed, and edits it after an arrow key', async () => {
    await using tui = await onUsers(undefined, 80);
    await tui.type('/web\r').until('1 of 2 (of 3)');
    tui.type('/db');
    await tui.waitFor('only the new text', () => shown(tui) === 'db-1');
    await tui.press('enter').until('1 of 1 (of 3)');
    await tui.press('/', 'end', '-1').until('/db-1');
    await tui.press('escape', '/', 'up').until(' /web');
    await tui.type('x').until(/\n \/x\n/);
  });

  it('shows the language on F1 and returns with the same text', async () => {
    await using tui = await onUsers(undefined, 80);
    await tui.press('/web', '\u001BOP').until('The filter language', 'leaves out what has the text');
    await tui.press('escape').until(/\n \/web/);
  });

  it('opens the same page by :help filter', async () => {
    await using tui = await onUsers(undefined, 80);
    await tui.type(':help filter\r').until('The filter language');
  });
});

describe('a text that looks like more', () => {
  it('is said to be read as text, beside its chip', async () => {
    await using tui = await openTui('1 of 3', { server: serverWithErrors(3) });
    await tui.type('/zzz((\r').until('/"zzz(("  as text');
    await tui.press('3').until('[3 Agents]');
    await tui.type('/a.*b\r').until(/\/a\.\*b +as text/);
    await tui.press('5').until('[5 Users]');
    await tui.type('/a|b\r').until(/\/a\|b +as text/);
  });
});
