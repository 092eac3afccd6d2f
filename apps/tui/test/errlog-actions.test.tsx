// Actions on the error logs, from the keys to the server's answer.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entry, serverWithErrors, statesOf } from './fake-server.ts';
import { renderTui } from './render-tui.tsx';

describe('the error logs', () => {
  it('resolve the marked groups and undo it', async () => {
    await using tui = renderTui({ server: serverWithErrors(4) });
    await tui.waitForText('● live');
    tui.press('j');
    await tui.waitForText('2 of 4');
    tui.type('  ');
    await tui.waitForText('2 marked');
    tui.press('R');
    await tui.waitForText('Resolved 2 groups. Press U to undo.');
    expect(statesOf(tui.server)).toBe('1 new, 2 resolved, 3 resolved, 4 new');
    await tui.waitForNoText('marked');
    tui.press('U');
    await tui.waitForText('Undone: Resolved 2 groups.');
    expect(statesOf(tui.server)).toBe('1 new, 2 new, 3 new, 4 new');
  });

  it('undo the change of a muted group: it is muted with its former end', async () => {
    const server = serverWithErrors(3);
    server.errlog = server.errlog.map((row) => (row.id === 2 ? { ...row, state: 'muted', until: '100x/6h' } : row));
    await using tui = renderTui({ server });
    await tui.waitForText('● live');
    tui.press('j');
    await tui.waitForText('2 of 3');
    tui.type('  ');
    await tui.waitForText('2 marked');
    tui.press('R');
    await tui.waitForText('Resolved 2 groups.');
    expect(statesOf(server)).toBe('1 resolved, 2 resolved, 3 new');
    tui.press('U');
    await tui.waitForText('Undone: Resolved 2 groups.');
    expect(statesOf(server)).toBe('1 new, 2 muted, 3 new');
    expect(server.errlog.find(({ id }) => id === 2)?.until).toBe('100x/6h');
  });

  it('ask for the group while following, and do nothing on Enter', async () => {
    await using tui = renderTui({ server: serverWithErrors(2) });
    await tui.waitForText('following');
    tui.press('R');
    await tui.waitForText('Resolve group 2?');
    tui.press('enter');
    await tui.waitForNoText('Resolve group 2');
    expect(statesOf(tui.server)).toBe('1 new, 2 new');
  });

  it('mute until an end, and reject an invalid end', async () => {
    await using tui = renderTui({ server: serverWithErrors(2) });
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
    const server = serverWithErrors(3);
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
    expect(tui.text()).toMatch(/1 new: +│[\s\S]*new \(1\) +│[\s┃]+│ {3}web-1: it burns/);
    expect(statesOf(server)).toBe('1 new, 2 new, 3 new, 9 new');
    tui.press('y');
    await tui.waitForText('Changed 1 group.');
    expect(statesOf(server)).toBe('1 new, 2 new, 3 new, 9 resolved');
  });

  it('filter by the name of a source, and ask where two have it', async () => {
    const server = serverWithErrors(1);
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
    await using tui = renderTui({ server: serverWithErrors(2) });
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
    await using tui = renderTui({ server: serverWithErrors(1) });
    await tui.waitForText('● live');
    tui.press('t');
    await tui.waitForText('Note to group 1');
    tui.type('known since May\r');
    await tui.waitForText('Saved the note to group 1. Press U to undo.');
    tui.press('enter');
    await tui.waitForText('Note: known since May');
    tui.press('t');
    await tui.waitForText('Note to group 1');
    tui.type(', fixed in June\r');
    await tui.waitForText('Note: known since May, fixed in June');
    tui.press('U');
    await tui.waitForText('Undone: Saved the note to group 1.');
    await tui.waitForNoText('fixed in June');
    tui.press('U');
    await tui.waitForNoText('known since May');
    tui.press('U');
    await tui.waitForText('There is no change to undo.');
  });

  it("filter by the selected group, and by facets with the server's counts", async () => {
    const server = serverWithErrors(2);
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
    tui.type('b0');
    await tui.waitForNoText('[app 12]');
  });

  it('are written to a file whole, not only what is loaded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-export-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'all.ndjson');
    await using tui = renderTui({ server: serverWithErrors(250) });
    await tui.waitForText('1 of 250');
    tui.type(':export\r');
    await tui.waitForText('file:');
    tui.type(`${path}\r`);
    await tui.waitForText('Wrote 250 rows to');
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(250);
  });

  it('are written to the path of the command, over an existing file only after a question', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-export-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'a.csv');
    const lines = (): number => readFileSync(path, 'utf8').trim().split('\r\n').length;
    await using tui = renderTui({ server: serverWithErrors(30), columns: 120 });
    await tui.waitForText('1 of 30');
    tui.type(`:export ${path}\r`);
    await tui.waitForText(`Wrote 30 rows to ${path}.`);
    expect(lines()).toBe(31);
    tui.server.add(entry(99));
    await tui.waitForText('1 of 31');
    tui.type(`:export ${path}\r`);
    await tui.waitForText('Replace the file?');
    tui.press('n');
    await tui.waitForNoText('Replace the file?');
    expect(lines()).toBe(31);
    tui.type(`:export ${path}\r`);
    await tui.waitForText('Replace the file?');
    tui.press('y');
    await tui.waitForText('Wrote 31 rows');
    expect(lines()).toBe(32);
    tui.type(`:export ${join(folder, 'a.xls')}\r`);
    await tui.waitForText('must end in .csv, .json or .ndjson');
  });

  it('are copied without what a terminal would take for a command', async () => {
    const server = serverWithErrors(1);
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
    const server = serverWithErrors(2);
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
    const server = serverWithErrors(3);
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
