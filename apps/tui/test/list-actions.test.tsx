// Actions that every list has, and commands by name.
import { describe, expect, it } from 'vitest';
import { serverWithErrors } from './fake-server.ts';
import { onUsers } from './on-users.ts';
import { openTui, renderTui, type Tui } from './render-tui.tsx';

const names = (tui: Tui): string[] => tui.lines().flatMap((line) => /[●○] active +(\S+)/.exec(line)?.[1] ?? []);

describe('a list', () => {
  it('sorts by a letter, the same again the other way, and remembers for further columns', async () => {
    await using tui = await onUsers(['b', 'a', 'c']);
    expect(names(tui)).toEqual(['b', 'a', 'c']);
    await tui.press('s').until('Sort by');
    tui.press('u');
    await tui.waitFor('the order of names', () => names(tui).join('') === 'abc');
    expect(tui.text()).toContain('Username▲');
    tui.press('s', 'u');
    await tui.waitFor('the other order', () => names(tui).join('') === 'cba');
    expect(tui.text()).toContain('Username▼');
    tui.press('s', 'r');
    await tui.waitFor('roles first, then names downwards', () => names(tui).join('') === 'acb');
  });

  it('shows its first row after a sort and a filter, and counts the rows above where the selection is far down', async () => {
    const server = serverWithErrors(40);
    server.errlog = server.errlog.map((row) => ({ ...row, count: row.id === 20 ? 17_300 : row.id }));
    await using tui = await openTui('● live', { server });
    await tui.press('j', 'j', 'j').until('4 of 40');
    expect(tui.selected()).toContain('error number 37');
    await tui.type(':sort count\r').until(/^ +.*17\.3k +web-1 +error number 20/m);
    expect(tui.selected()).toContain('error number 37');
    expect(tui.text()).toMatch(/Message *$/m);
    await tui.type(':sort count\r').until(/\d+ above *$/m);
    expect(tui.selected()).toContain('error number 37');
    const above = Number(/(\d+) above/.exec(tui.text())?.[1]);
    const first = tui.lines().findIndex((line) => line.includes(' above')) + 1;
    // Number 20 comes last.
    expect(tui.lines()[first]).toMatch(new RegExp(`error number ${above + 2}\\b`));
    await tui.press('k').untilGone('above');
  });

  it('sorts errors by level and source, also by a typed word', async () => {
    const server = serverWithErrors(3);
    server.errlog = server.errlog.map((row) => ({ ...row, level: row.id + 2, source: `web-${row.id % 3}` }));
    await using tui = await openTui('● live', { server });
    const shown = (): string => [...tui.text().matchAll(/error number (\d)/g)].map(([, id]) => id).join('');
    tui.type(':sort level\r');
    await tui.waitFor('the worst first', () => shown() === '123');
    tui.press('s', 's');
    await tui.waitFor('the order of sources', () => shown() === '312');
    await tui.type(':sort sou\r').until('Sour…▼');
    await tui.waitFor('the other order', () => shown() === '213');
    await tui
      .type(':sort nonsense\r')
      .until('No such column: nonsense. Columns: time, level, count, source, first seen.');
    await tui.type(':facets now\r').until(':facets takes no argument.');
  });

  it('counts the values of all errors of the filter, not of the loaded ones', async () => {
    const server = serverWithErrors(161);
    server.errlog = server.errlog.map((row) => ({ ...row, service: row.id % 4 === 0 ? 'nginx' : 'app' }));
    await using tui = await openTui('1 of 161', { server, columns: 120 });
    for (const [column, title] of [
      ['service', 'Service: 2 values in 161 groups'],
      ['level', 'Level: 1 value in 161 groups'],
      ['message', 'Message: 161 values in 161 rows'],
    ] as const) {
      await tui.type(`:frequency ${column}\r`).until(title);
      await tui.press('escape').untilGone(title);
    }
  });

  it('narrows by facets, which count what the others let through', async () => {
    await using tui = await onUsers(['a', 'b', 'c']);
    await tui.press('x').until(/viewer +2/);
    await tui.press('enter').until(/• viewer/);
    await tui.waitFor('two of them', () => names(tui).length === 2);
    expect(tui.text()).toContain('[viewer]');
  });

  it('hides a column, tells how often its values occur, and shows it again', async () => {
    await using tui = await onUsers(['a', 'b', 'c'], 140);
    expect(tui.text()).toContain('Role');
    await tui.press('lll', 'F').until('Role: 2 values in 3 rows');
    expect(tui.text()).toMatch(/viewer +━+ +2 {3}67%/);
    await tui.press('escape').untilGone('2 values');
    await tui.press('-').untilGone(/ Role /);
    await tui.press('_').until(/Role +hidden/);
    await tui.press('down', 'down', 'space').until(/✓ Role/);
    await tui.press('escape').untilGone('Space show or hide');
    expect(tui.text()).toContain(' Role ');
  });

  it('moves its columns by name and resets them', async () => {
    await using tui = await onUsers(['a', 'b'], 140);
    await tui.type(':columns\r').until('Space show or hide');
    await tui.press('>').until(/Username +State/);
    await tui.press('space').until(/State +hidden/);
    await tui.press('end', 'down', 'down', 'down', 'down', 'down', 'enter').until(/State +Username +Role/);
  });

  it('sorts by a column that is hidden at first, and then shows it', async () => {
    await using tui = await openTui('1 of 3', { server: serverWithErrors(3), columns: 140 });
    expect(tui.text()).not.toContain('First seen');
    await tui.press('s').until(/f +First seen/);
    await tui.press('f').until('First seen▼');
    await tui.press('lllllll', ':columns\r').until('✓ First seen');
  });

  it('copies what is marked, as rows and as JSON', async () => {
    await using tui = await onUsers(['a', 'b']);
    await tui.type('  ').until('2 marked');
    await tui.type('yj').until('Copied 2 rows as JSON.');
    expect(JSON.parse(tui.copied() ?? '')).toMatchObject([{ username: 'a' }, { username: 'b' }]);
  });
});

describe('commands', () => {
  it('are found by a few letters and run, and are kept in the history', async () => {
    await using tui = await openTui('● live', { server: serverWithErrors(2) });
    await tui.type('\u0010').until('Find a command');
    await tui.press('gotoaud', 'enter').until('6 Audit');
    await tui.type(':nonsense\r').until('Unknown command on this screen: nonsense');
    await tui.press(':ov', 'tab').until(':overview');
    await tui.press('enter').until('Most frequent');
    await tui.press(':', 'up').until(':overview');
    await tui.press('up').until(':nonsense');
    await tui.press('escape', 'q').until('6 Audit');
  });

  it('are what the help lists: Enter runs the one that is found', async () => {
    await using tui = await openTui('● live', { server: serverWithErrors(2) });
    await tui.press('?', 'pause').until('Pause or resume');
    await tui.press('enter').until('paused');
  });

  it('can be bound to other keys', async () => {
    await using tui = renderTui({ server: serverWithErrors(2), settings: { keys: { 'errlog.pause': ['Z'] } } });
    await tui.waitForText('Z pause');
    await tui.press('Z').until('paused');
  });
});
