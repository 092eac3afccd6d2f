// Actions across the screens, from the keys to the server's answer.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { apiToken, entry, FakeServer } from './fake-server.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const many = (count: number): FakeServer => {
  const server = new FakeServer();
  server.errlog = Array.from({ length: count }, (_, index) => entry(index + 1));
  return server;
};

/** States by id, as on the server. */
const states = (server: FakeServer): string =>
  server.errlog
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, state }) => `${id} ${state}`)
    .join(', ');

async function onUsers(names: readonly string[], columns = 100): Promise<Tui> {
  const server = new FakeServer();
  server.users = names.map((username, index) => ({
    id: index + 1,
    username,
    role: index % 2 === 0 ? 'viewer' : 'operator',
    disabled: false,
    second_factor: false,
    _created_unix: 1_760_000_000 - index,
    _modified_unix: 1_760_000_000,
  }));
  const tui = renderTui({ server, columns });
  await tui.waitForText('● live');
  tui.type(':users\r');
  await tui.waitForText(`1 of ${names.length}`);
  return tui;
}

const names = (tui: Tui): string[] => tui.lines().flatMap((line) => /[●○] active +(\S+)/.exec(line)?.[1] ?? []);

describe('the error logs', () => {
  it('resolve the marked groups and undo it', async () => {
    await using tui = renderTui({ server: many(4) });
    await tui.waitForText('● live');
    tui.press('j');
    await tui.waitForText('2 of 4');
    tui.type('  ');
    await tui.waitForText('2 marked');
    tui.press('R');
    await tui.waitForText('Resolved 2 groups. Press U to undo.');
    expect(states(tui.server)).toBe('1 new, 2 resolved, 3 resolved, 4 new');
    await tui.waitForNoText('marked');
    tui.press('U');
    await tui.waitForText('Undid 2 changes.');
    expect(states(tui.server)).toBe('1 new, 2 new, 3 new, 4 new');
  });

  it('undo the change of a muted group: it is muted with its former end', async () => {
    const server = many(3);
    server.errlog = server.errlog.map((row) => (row.id === 2 ? { ...row, state: 'muted', until: '100x/6h' } : row));
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('j');
    await tui.waitForText('2 of 3');
    tui.type('  ');
    await tui.waitForText('2 marked');
    tui.press('R');
    await tui.waitForText('Resolved 2 groups.');
    expect(states(server)).toBe('1 resolved, 2 resolved, 3 new');
    tui.press('U');
    await tui.waitForText('Undid 2 changes.');
    expect(states(server)).toBe('1 new, 2 muted, 3 new');
    expect(server.errlog.find(({ id }) => id === 2)?.until).toBe('100x/6h');
  });

  it('ask for the group while following, and do nothing on Enter', async () => {
    await using tui = renderTui({ server: many(2) });
    await tui.waitForText('following');
    tui.press('R');
    await tui.waitForText('Set group 2 to resolved?');
    tui.press('enter');
    await tui.waitForNoText('Set group 2');
    expect(states(tui.server)).toBe('1 new, 2 new');
  });

  it('mute until an end, and reject an invalid end', async () => {
    await using tui = renderTui({ server: many(2) });
    await tui.waitForText('● live');
    tui.press('M');
    await tui.waitForText('Mute group 2');
    expect(tui.text()).toContain('It comes back after 1d.');
    tui.press('right', 'right');
    await tui.waitForText('once it happens 100 times within 1h');
    tui.press('right', 'right', 'tab');
    tui.type('soon\r');
    await tui.waitForText('Enter a time (30m, 1h, 7d)');
    tui.press('ctrl+u');
    tui.type('500x\r');
    await tui.waitForText('Muted group 2.');
    expect(tui.server.errlog.find(({ id }) => id === 2)).toMatchObject({ state: 'muted', until: '500x' });
  });

  it('change all that match after counting them', async () => {
    const server = many(3);
    server.errlog.push(entry(9, { level: 3, log: 'it burns' }));
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.type(':logs level=crit\r');
    await tui.waitForText('[CRIT or worse]');
    await tui.waitForText('1 of 1');
    tui.press('B');
    await tui.waitForText('Groups that match: CRIT or worse.');
    tui.press('enter');
    await tui.waitForText('Set 1 group to resolved?');
    expect(states(server)).toBe('1 new, 2 new, 3 new, 9 new');
    tui.press('y');
    await tui.waitForText('Changed 1 group.');
    expect(states(server)).toBe('1 new, 2 new, 3 new, 9 resolved');
  });

  it('filter by the name of a source, and ask where two have it', async () => {
    const server = many(1);
    server.errlog.push(entry(7, { log: 'by syslog', source: 'web-2', src: 2 }));
    server.errlog.push(entry(8, { log: 'by its agent', source: 'web-2', src: 3 }));
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.type(':logs source=web-1\r');
    await tui.waitForText('[from web-1]');
    tui.type(':logs source=web-2 level=error\r');
    await tui.waitForText('Choose a source');
    expect(tui.text()).toMatch(/10\.20\.4\.12 · 1 group\b/);
    tui.press('enter');
    await tui.waitForText('[from web-2]');
    expect(tui.text()).toContain('[ERROR or worse]');
    tui.type(':logs source=web /error\r');
    await tui.waitForText('No source is named web.');
    expect(tui.text()).toContain('[ERROR or worse]');
  });

  it('stay unchanged on an unknown filter', async () => {
    await using tui = renderTui({ server: many(2) });
    await tui.waitForText('● live');
    tui.type(':logs state=open\r');
    await tui.waitForText('[open]');
    for (const [typed, said] of [
      ['levl=4', 'Unknown filter: levl. Filters: level, state, source'],
      ['level=loud', 'Invalid level: loud.'],
    ]) {
      tui.type(`:logs ${typed}\r`);
      await tui.waitForText(said ?? '');
      expect(tui.text()).toContain('[open]');
    }
    tui.type(':tokens sate=active\r');
    await tui.waitForText('Unknown filter: sate. Filters: state');
  });

  it('write a note and show it with the details', async () => {
    await using tui = renderTui({ server: many(1) });
    await tui.waitForText('● live');
    tui.press('t');
    await tui.waitForText('Note to group 1');
    tui.type('known since May\r');
    await tui.waitForText('Saved the note.');
    tui.press('enter');
    await tui.waitForText('Note: known since May');
    tui.press('t');
    await tui.waitForText('Note to group 1');
    tui.type(', fixed in June\r');
    await tui.waitForText('Note: known since May, fixed in June');
  });

  it("filter by the selected group, and by facets with the server's counts", async () => {
    const server = many(2);
    server.errlog.push(entry(8, { level: 5, app_id: 12, log: 'from app twelve', source: 'web-2', src: 2 }));
    await using tui = renderTui({ server, columns: 120, rows: 40 });
    await tui.waitForText('● live');
    tui.press('x');
    await tui.waitForText(/Source\s[\s\S]*web-2 +1/);
    tui.type('jjj');
    tui.press('escape');
    await tui.waitForNoText(/Application/);
    tui.type(':logs app=12\r');
    await tui.waitForText('[app 12]');
    tui.type('bb');
    await tui.waitForNoText('[app 12]');
  });

  it('are written to a file whole, not only what is loaded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-export-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'all.ndjson');
    await using tui = renderTui({ server: many(250) });
    await tui.waitForText('1 of 250');
    tui.type(':export\r');
    await tui.waitForText('file:');
    tui.type(`${path}\r`);
    await tui.waitForText('Wrote 250 rows.');
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(250);
  });

  it('are copied without what a terminal would take for a command', async () => {
    const server = many(1);
    server.errlog = server.errlog.map((row) => ({ ...row, log: 'red \u001B[31malert\u0007' }));
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.type('yy');
    await tui.waitForText('Copied the row.');
    const copied = /\]52;c;([A-Za-z0-9+/=]+)/.exec(tui.raw())?.[1] ?? '';
    const text = Buffer.from(copied, 'base64').toString();
    expect(text).toContain('alert');
    expect(text).not.toContain('\u001B');
    expect(text).not.toContain('\u0007');
  });

  it('go from one level to that level or worse', async () => {
    const server = many(2);
    server.errlog.push(entry(9, { level: 3, log: 'it burns' }));
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.type(':logs only=error\r');
    await tui.waitForText('[ERROR]');
    tui.press('(');
    await tui.waitForText('or worse]');
    await tui.waitForNoText('[ERROR]');
  });

  it('keep their horizontal position when a row arrives', async () => {
    const server = many(3);
    server.errlog = server.errlog.map((row) => ({ ...row, log: `${row.log} ${'x'.repeat(60)} the end of ${row.id}` }));
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    expect(tui.text()).not.toContain('the end of 2');
    tui.type('$');
    await tui.waitForText('the end of 2');
    server.add(entry(4, { log: `error number 4 ${'y'.repeat(60)} the end of 4` }));
    await tui.waitForText('the end of 4');
    expect(tui.text()).toContain('the end of 2');
  });
});

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
    tui.type('/!web');
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
    await tui.waitForText(/ Role /);
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
    await using tui = renderTui({ server: many(2) });
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
    await using tui = renderTui({ server: many(2) });
    await tui.waitForText('● live');
    tui.press('?');
    tui.type('pause');
    await tui.waitForText('Pause or resume');
    tui.press('enter');
    await tui.waitForText('paused');
  });

  it('can be bound to other keys', async () => {
    await using tui = renderTui({ server: many(2), settings: { keys: { 'errlog.pause': ['Z'] } } });
    await tui.waitForText('Z pause');
    tui.press('Z');
    await tui.waitForText('paused');
  });
});

describe('a profile', () => {
  it('offers and sends no changes when it is read-only', async () => {
    const server = many(1);
    server.tokens = [apiToken(1)];
    await using tui = renderTui({ server, profile: { readOnly: true } });
    await tui.waitForText('● live');
    expect(tui.lines()[0]).toContain('[RO]');
    tui.type('R:tokens\r');
    await tui.waitForText('token-1');
    tui.press('a', 'D', '?');
    tui.type('token');
    await tui.waitForText('› token');
    expect(tui.text()).not.toMatch(/Issue a new|Delete the token/);
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('asks for the name before a destructive change when it is protected', async () => {
    const server = new FakeServer();
    server.tokens = [apiToken(1, { name: 'deploy' })];
    await using tui = renderTui({ server, profile: { isProtected: true } });
    await tui.waitForText('● live');
    tui.type(':tokens\r');
    await tui.waitForText('deploy');
    tui.press('D');
    await tui.waitForText('Type deploy and press Enter');
    // The field shows a key typed after an Enter that did nothing.
    tui.press('enter', 'y');
    await tui.waitForText(/› y\b/);
    tui.press('enter', 'z');
    await tui.waitForText(/› yz\b/);
    expect(server.seen.map(({ method }) => method)).not.toContain('DELETE');
    tui.press('ctrl+u');
    tui.type('deploy\r');
    await tui.waitForText('Deleted deploy.');
    expect(server.tokens).toEqual([]);
  });

  it('asks for the number before all that match are changed when it is protected', async () => {
    const server = many(3);
    await using tui = renderTui({ server, profile: { isProtected: true } });
    await tui.waitForText('● live');
    tui.press('B');
    await tui.waitForText('Change all that match');
    tui.press('enter');
    await tui.waitForText('Type 3 and press Enter');
    expect(states(server)).toBe('1 new, 2 new, 3 new');
    tui.type('3\r');
    await tui.waitForText('Changed 3 groups.');
    expect(states(server)).toBe('1 resolved, 2 resolved, 3 resolved');
  });

  it('can be left for another one while its server is down', async () => {
    const server = many(1);
    const other = {
      name: 'staging',
      url: 'http://staging.test',
      color: 'green',
      readOnly: false,
      isProtected: false,
    } as const;
    await using tui = renderTui({ server, settings: { profiles: [other] } });
    await tui.waitForText('● live');
    server.isDown = true;
    server.dropStreams();
    await tui.waitForText('reconnecting');
    tui.type(':use staging\r');
    await tui.waitForText('Sign in to staging');
    server.isDown = false;
    tui.type(`admin\t${server.password}\r`);
    await tui.waitForText('● live');
    expect(tui.lines()[0]).toContain('staging');
  });

  it('can be chosen before the sign-in', async () => {
    const other = {
      name: 'staging',
      url: 'http://staging.test',
      color: 'none',
      readOnly: false,
      isProtected: false,
    } as const;
    await using tui = renderTui({ signedIn: false, settings: { profiles: [other] } });
    await tui.waitForText('Sign in to Quarterdeck');
    tui.press('\u000F');
    await tui.waitForText('Choose a server');
    tui.press('down', 'enter');
    await tui.waitForText('Sign in to staging');
  });
});
