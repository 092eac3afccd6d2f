// Actions that every list has, and commands by name.
import { describe, expect, it } from 'vitest';
import { serverWithErrors } from './fake-server.ts';
import { onUsers } from './on-users.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const names = (tui: Tui): string[] => tui.lines().flatMap((line) => /[●○] active +(\S+)/.exec(line)?.[1] ?? []);

describe('a list', () => {
  it('sorts by a letter, the same again the other way, and remembers for further columns', async () => {
    await using tui = await onUsers(['b', 'a', 'c']);
    expect(names(tui)).toEqual(['b', 'a', 'c']);
    tui.press('s');
    await tui.waitForText('Sort by');
    tui.press('u');
    await tui.waitFor('the order of names', () => names(tui).join('') === 'abc');
    expect(tui.text()).toContain('Username▲');
    tui.press('s', 'u');
    await tui.waitFor('the other order', () => names(tui).join('') === 'cba');
    expect(tui.text()).toContain('Username▼');
    tui.press('s', 'r');
    await tui.waitFor('roles first, then names downwards', () => names(tui).join('') === 'acb');
  });

  it('filters while typing, shows the count, and shows everything again on Escape', async () => {
    await using tui = await onUsers(['web-1', 'web-2', 'db-1']);
    tui.type('/-web');
    await tui.waitFor('what is left', () => names(tui).join('') === 'db-1');
    tui.press('enter');
    await tui.waitForText('1 of 1 (of 3)');
    tui.press('escape');
    await tui.waitForText('1 of 3');
    tui.type('/web');
    await tui.waitFor('the others', () => names(tui).length === 2);
    tui.press('escape');
    await tui.waitFor('all of them', () => names(tui).length === 3);
  });

  it('narrows by facets, which count what the others let through', async () => {
    await using tui = await onUsers(['a', 'b', 'c']);
    tui.press('x');
    await tui.waitForText(/viewer +2/);
    tui.press('enter');
    await tui.waitForText(/• viewer/);
    await tui.waitFor('two of them', () => names(tui).length === 2);
    expect(tui.text()).toContain('[viewer]');
  });

  it('hides a column, tells how often its values occur, and shows it again', async () => {
    await using tui = await onUsers(['a', 'b', 'c'], 140);
    expect(tui.text()).toContain('Role');
    tui.type('lll');
    tui.press('F');
    await tui.waitForText('Role: 2 values in 3 rows');
    expect(tui.text()).toMatch(/viewer +━+ +2 {3}67%/);
    tui.press('escape');
    await tui.waitForNoText('2 values');
    tui.press('-');
    await tui.waitForNoText(/ Role /);
    tui.press('_');
    await tui.waitForText(/Role +hidden/);
    tui.press('down', 'down', 'space');
    await tui.waitForText(/✓ Role/);
    tui.press('escape');
    await tui.waitForNoText('Space show or hide');
    expect(tui.text()).toContain(' Role ');
  });

  it('moves its columns by name and resets them', async () => {
    await using tui = await onUsers(['a', 'b'], 140);
    tui.type(':columns\r');
    await tui.waitForText('Space show or hide');
    tui.press('>');
    await tui.waitForText(/Username +State/);
    tui.press('space');
    await tui.waitForText(/State +hidden/);
    tui.press('end', 'down', 'down', 'down', 'down', 'down', 'enter');
    await tui.waitForText(/State +Username +Role/);
  });

  it('sorts by a column that is hidden at first, and then shows it', async () => {
    await using tui = renderTui({ server: serverWithErrors(3), columns: 140 });
    await tui.waitForText('1 of 3');
    expect(tui.text()).not.toContain('First seen');
    tui.press('s');
    await tui.waitForText(/f +First seen/);
    tui.press('f');
    await tui.waitForText('First seen▼');
    tui.type('lllllll');
    tui.type(':columns\r');
    await tui.waitForText('✓ First seen');
  });

  it('copies what is marked, as rows and as JSON', async () => {
    await using tui = await onUsers(['a', 'b']);
    tui.type('  ');
    await tui.waitForText('2 marked');
    tui.type('yj');
    await tui.waitForText('Copied 2 rows as JSON.');
    const copied = /\]52;c;([A-Za-z0-9+/=]+)/.exec(tui.raw())?.[1] ?? '';
    expect(JSON.parse(Buffer.from(copied, 'base64').toString())).toMatchObject([{ username: 'a' }, { username: 'b' }]);
  });
});

describe('commands', () => {
  it('are found by a few letters and run, and are kept in the history', async () => {
    await using tui = renderTui({ server: serverWithErrors(2) });
    await tui.waitForText('● live');
    tui.type('\u0010');
    await tui.waitForText('Find a command');
    tui.type('gotoaud');
    tui.press('enter');
    await tui.waitForText('6 Audit');
    tui.type(':nonsense\r');
    await tui.waitForText('Unknown command on this screen: nonsense');
    tui.type(':ov');
    tui.press('tab');
    await tui.waitForText(':overview');
    tui.press('enter');
    await tui.waitForText('Most frequent');
    tui.type(':');
    tui.press('up');
    await tui.waitForText(':overview');
    tui.press('up');
    await tui.waitForText(':nonsense');
    tui.press('escape', 'q');
    await tui.waitForText('6 Audit');
  });

  it('are what the help lists: Enter runs the one that is found', async () => {
    await using tui = renderTui({ server: serverWithErrors(2) });
    await tui.waitForText('● live');
    tui.press('?');
    tui.type('pause');
    await tui.waitForText('Pause or resume');
    tui.press('enter');
    await tui.waitForText('paused');
  });

  it('can be bound to other keys', async () => {
    await using tui = renderTui({ server: serverWithErrors(2), settings: { keys: { 'errlog.pause': ['Z'] } } });
    await tui.waitForText('Z pause');
    tui.press('Z');
    await tui.waitForText('paused');
  });
});
