// Actions on the error logs, from the keys to the server's answer.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entry, serverWithErrors, statesOf } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

describe('the error logs', () => {
  it('undo the change of a muted group: it is muted with its former end', async () => {
    const server = serverWithErrors(3);
    server.errlog = server.errlog.map((row) => (row.id === 2 ? { ...row, state: 'muted', until: '100x/6h' } : row));
    await using tui = await openTui('● live', { server });
    await tui.press('j').until('2 of 3');
    await tui.type('  ').until('2 marked');
    await tui.press('R').until('Resolved 2 groups.');
    expect(statesOf(server)).toBe('1 resolved, 2 resolved, 3 new');
    await tui.press('U').until('Undone: Resolved 2 groups.');
    expect(statesOf(server)).toBe('1 new, 2 muted, 3 new');
    expect(server.errlog.find(({ id }) => id === 2)?.until).toBe('100x/6h');
  });

  it('merge the marked groups after showing the effect, and undo it', async () => {
    await using tui = await openTui('● live', { server: serverWithErrors(3) });
    await tui.press('J').until('Mark the entries that are one error first.');
    await tui.type('  ').until('2 marked');
    await tui.press('J').until('2 groups on all sources; later lines follow.');
    await tui.press('y').until('Merged 2 errors into group');
    expect(tui.server.errlog.length).toBe(2);
    await tui.press('U').until('Undone: Merged 2 errors');
  });

  it('ask for the group while following, and do nothing on Enter', async () => {
    await using tui = await openTui('following', { server: serverWithErrors(2) });
    await tui.press('R').until('Resolve group 2?');
    await tui.press('enter').untilGone('Resolve group 2');
    expect(statesOf(tui.server)).toBe('1 new, 2 new');
  });

  it('mute until an end, and reject an invalid end', async () => {
    await using tui = await openTui('● live', { server: serverWithErrors(2) });
    await tui.press('M').until('Mute group 2');
    expect(tui.text()).toContain('It comes back after 1d.');
    await tui.press('right', 'right').until('once it happens 100 times within 1h');
    await tui.press('right', 'right', 'tab', 'soon\r').until('Enter a time (30m, 1h, 7d)');
    await tui.press('ctrl+u', '500x\r').until('Muted group 2.');
    expect(tui.server.errlog.find(({ id }) => id === 2)).toMatchObject({ state: 'muted', until: '500x' });
  });

  it('change all that match after counting them', async () => {
    const server = serverWithErrors(3);
    server.errlog.push(entry(9, { level: 3, log: 'it burns' }));
    await using tui = await openTui('● live', { server });
    await tui.type(':logs level=crit\r').until('[CRIT or worse]', '1 of 1');
    await tui.press('B').until('Groups that match: CRIT or worse.');
    await tui.press('enter').until('Set 1 group to resolved?');
    expect(tui.text()).toMatch(/1 new: +│[\s\S]*new \(1\) +│[\s┃]+│ {3}web-1: it burns/);
    expect(statesOf(server)).toBe('1 new, 2 new, 3 new, 9 new');
    await tui.press('y').until('Changed 1 group.');
    expect(statesOf(server)).toBe('1 new, 2 new, 3 new, 9 resolved');
  });

  it('filter by the name of a source, and ask where two have it', async () => {
    const server = serverWithErrors(1);
    server.errlog.push(entry(7, { log: 'by syslog', source: 'web-2', src: 2 }));
    server.errlog.push(entry(8, { log: 'by its agent', source: 'web-2', src: 3 }));
    await using tui = await openTui('● live', { server });
    await tui.type(':logs source=web-1\r').until('[from web-1]');
    await tui.type(':logs source=web-2 level=error\r').until('Choose a source');
    expect(tui.text()).toMatch(/10\.20\.4\.12 · 1 group\b/);
    await tui.press('enter').until('[from web-2]');
    expect(tui.text()).toContain('[ERROR or worse]');
    await tui.type(':logs source=web /error\r').until('No source is named web.');
    expect(tui.text()).toContain('[ERROR or worse]');
  });

  it('stay unchanged on an unknown filter', async () => {
    await using tui = await openTui('● live', { server: serverWithErrors(2) });
    await tui.type(':logs state=open\r').until('[open]');
    for (const [typed, said] of [
      ['levl=4', 'Unknown filter: levl. Filters: level, state, source'],
      ['level=loud', 'Invalid level: loud.'],
    ]) {
      await tui.type(`:logs ${typed}\r`).until(said ?? '');
      expect(tui.text()).toContain('[open]');
    }
    await tui.type(':tokens sate=active\r').until('Unknown filter: sate. Filters: state');
  });

  it('write a note and show it with the details', async () => {
    await using tui = await openTui('● live', { server: serverWithErrors(1) });
    await tui.press('t').until('Note to group 1');
    await tui.type('known since May\r').until('Saved the note to group 1. Press U to undo.');
    await tui.press('enter').until('Note: known since May');
    await tui.press('t').until('Note to group 1');
    await tui.type(', fixed in June\r').until('Note: known since May, fixed in June');
    await tui.press('U').until('Undone: Saved the note to group 1.');
    await tui.waitForNoText('fixed in June');
    await tui.press('U').untilGone('known since May');
    await tui.press('U').until('There is no change to undo.');
  });

  it("filter by the selected group, and by facets with the server's counts", async () => {
    const server = serverWithErrors(2);
    server.errlog.push(entry(8, { level: 5, app_id: 12, log: 'from app twelve', source: 'web-2', src: 2 }));
    await using tui = await openTui('● live', { server, columns: 120, rows: 40 });
    await tui.press('x').until(/Source\s[\s\S]*web-2 +1/);
    await tui.press('jjj', 'escape').untilGone(/Application/);
    await tui.type(':logs app=12\r').until('[app 12]');
    await tui.type('b0').untilGone('[app 12]');
  });

  it('are written to the path of the command, over an existing file only after a question', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-export-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'a.csv');
    const lines = (): number => readFileSync(path, 'utf8').trim().split('\r\n').length;
    await using tui = await openTui('1 of 30', { server: serverWithErrors(30), columns: 120 });
    await tui.type(`:export ${path}\r`).until(`Wrote 30 rows to ${path}.`);
    expect(lines()).toBe(31);
    tui.server.add(entry(99));
    await tui.waitForText('1 of 31');
    await tui.type(`:export ${path}\r`).until('Replace the file?');
    await tui.press('n').untilGone('Replace the file?');
    expect(lines()).toBe(31);
    await tui.type(`:export ${path}\r`).until('Replace the file?');
    await tui.press('y').until('Wrote 31 rows');
    expect(lines()).toBe(32);
    await tui.type(`:export ${join(folder, 'a.xls')}\r`).until('must end in .csv, .json or .ndjson');
  });

  it('are copied without what a terminal would take for a command', async () => {
    const server = serverWithErrors(1);
    server.errlog = server.errlog.map((row) => ({ ...row, log: 'red \u001B[31malert\u0007' }));
    await using tui = await openTui('● live', { server });
    await tui.type('yy').until('Copied the row.');
    const text = tui.copied();
    expect(text).toContain('alert');
    expect(text).not.toContain('\u001B');
    expect(text).not.toContain('\u0007');
  });

  it('go from one level to that level or worse', async () => {
    const server = serverWithErrors(2);
    server.errlog.push(entry(9, { level: 3, log: 'it burns' }));
    await using tui = await openTui('● live', { server });
    await tui.type(':logs only=error\r').until('[ERROR]');
    await tui.press('(').until('or worse]');
    await tui.waitForNoText('[ERROR]');
  });

  it('keep their horizontal position when a row arrives', async () => {
    const server = serverWithErrors(3);
    server.errlog = server.errlog.map((row) => ({ ...row, log: `${row.log} ${'x'.repeat(60)} the end of ${row.id}` }));
    await using tui = await openTui('● live', { server });
    expect(tui.text()).not.toContain('the end of 2');
    await tui.type('$').until('the end of 2');
    server.add(entry(4, { log: `error number 4 ${'y'.repeat(60)} the end of 4` }));
    await tui.waitForText('the end of 4');
    expect(tui.text()).toContain('the end of 2');
  });
});
