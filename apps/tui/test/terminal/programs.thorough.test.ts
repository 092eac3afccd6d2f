// The built dashboard and other users of its terminal: mouse, the terminal's own selection, editor, pager, screen
// reader.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { entry } from '../fake-server.ts';
import { isBuilt, UNTOUCHED } from './pty.ts';
import { running, toErrors } from './running.ts';

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-programs-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program of the user. */
function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return path;
}

const click = (column: number, row: number): string => `\u001B[<0;${column};${row}M`;

describe.skipIf(!isBuilt)('the terminal of the dashboard', () => {
  it('switches mouse reports with F12, and off when it is restored', async () => {
    await using on = await running();
    const { dashboard } = on;
    await toErrors(dashboard);
    // An unexpected report.
    dashboard.type(click(10, 12));
    dashboard.type('j');
    await dashboard.waitForText('2 of 200');
    dashboard.type('\u001B[24~');
    await dashboard.waitFor('the mouse', () => dashboard.modes().mouse);
    const row = dashboard.screen.text().findIndex((line) => line.includes('error number 195'));
    dashboard.type(click(10, row + 1));
    await dashboard.waitForText('6 of 200');
    dashboard.type('\u001B[24~');
    await dashboard.waitFor('no mouse', () => !dashboard.modes().mouse);
    dashboard.type('\u001B[24~');
    await dashboard.waitFor('the mouse', () => dashboard.modes().mouse);
    dashboard.type('Q');
    await dashboard.exit;
    await dashboard.screen.settled();
    expect(dashboard.modes()).toEqual(UNTOUCHED);
  });

  it('shows bare text, wrapped by the terminal, until a key is pressed', async () => {
    await using on = await running();
    const { dashboard, server } = on;
    server.add(entry(999, { log: `begin ${'long '.repeat(40)}end` }));
    await toErrors(dashboard);
    await dashboard.waitForText('begin long');
    dashboard.type('\u0014');
    await dashboard.waitForText('Press any key to return');
    expect(dashboard.modes()).toMatchObject({ alternate: true, wraps: true });
    expect(dashboard.screen.text().join('').replaceAll(/\s+/g, ' ')).toContain('long long end');
    expect(dashboard.text()).not.toMatch(/[\u2500-\u25FF]/);
    // The key only returns to the dashboard.
    dashboard.type('Q');
    // A frame may arrive in pieces.
    await dashboard.waitFor('the dashboard', () => !dashboard.text().includes('Press any key'));
    expect(dashboard.text()).toContain('of 201');
    expect(dashboard.modes()).toMatchObject({ alternate: true, wraps: false });
  });

  it('edits a note in the editor', async () => {
    const editor = program(
      'editor',
      `stat -c %a "$1" > '${folder}/mode'; tty > '${folder}/tty'; printf 'first line\\nsecond line\\n' > "$1"`,
    );
    await using on = await running({ VISUAL: editor, TMPDIR: folder });
    const { dashboard, server } = on;
    await toErrors(dashboard);
    dashboard.type('jt');
    await dashboard.waitForText('Note to group 199');
    dashboard.type('\u001BOS');
    await dashboard.waitForText('first line␊second line');
    dashboard.type('\r');
    await dashboard.waitForText('Saved the note to group 199.');
    expect(server.errlog.find(({ id }) => id === 199)?.note).toBe('first line\nsecond line');
    expect(readFileSync(join(folder, 'mode'), 'utf8').trim()).toBe('600');
    expect(readFileSync(join(folder, 'tty'), 'utf8')).toContain('/dev/');
    expect(readdirSync(folder).filter((name) => name.startsWith('quarterdeck-'))).toEqual([]);
    expect(dashboard.modes()).toEqual({ alternate: true, wraps: false, pastes: true, cursor: false, mouse: false });
  });

  it('keeps the input and reports the reason when the editor fails', async () => {
    await using on = await running({ VISUAL: join(folder, 'no-such-editor') });
    const { dashboard } = on;
    await toErrors(dashboard);
    dashboard.type('jt');
    await dashboard.waitForText('Note to group 199');
    dashboard.type('typed by hand');
    dashboard.type('\u001BOS');
    await dashboard.waitForText('Editor: Command not found.');
    expect(dashboard.text()).toContain('typed by hand');
  });

  it('shows details in the pager, where Ctrl-C ends the pager only', async () => {
    const pager = program(
      'pager',
      `trap 'exit 0' INT; cat > '${folder}/paged'; echo paged; while :; do sleep 0.05; done`,
    );
    await using on = await running({ PAGER: pager });
    const { dashboard } = on;
    await toErrors(dashboard);
    dashboard.type('j\r');
    await dashboard.waitForText('Happened');
    dashboard.type('|');
    await dashboard.waitForText('paged');
    expect(dashboard.modes()).toMatchObject({ alternate: false, wraps: true });
    expect(readFileSync(join(folder, 'paged'), 'utf8')).toMatch(/^■ ERROR 199\n\nerror number 199\n/);
    dashboard.type('\u0003');
    await dashboard.waitForText('Happened');
    dashboard.type('Q');
    expect(await dashboard.exit).toMatchObject({ exitCode: 0 });
  });

  it('moves its own cursor with the focus, for a screen reader', async () => {
    await using on = await running({}, { args: ['--screen-reader'] });
    const { dashboard } = on;
    await toErrors(dashboard);
    const { active } = dashboard.screen.terminal.buffer;
    const lineAtCursor = (): string => dashboard.screen.text()[active.cursorY] ?? '';
    dashboard.type('jj');
    await dashboard.waitFor('the cursor on the third row', () => lineAtCursor().includes('error number 198'));
    expect(active.cursorX).toBe(0);
    expect(dashboard.modes().cursor).toBe(true);
    dashboard.type('/some');
    await dashboard.waitFor('the cursor behind what is typed', () => lineAtCursor().startsWith(' /some'));
    expect(active.cursorX).toBe(' /some'.length);
    dashboard.type('\u001B');
    dashboard.type('M');
    await dashboard.waitFor('the cursor in the form', () => lineAtCursor().includes('Until'));
    dashboard.type('\u001B');
    await dashboard.waitFor('the cursor in the list', () => lineAtCursor().includes('error number 198'));
  });

  it('stores compiled code in a folder that only the user can write', async () => {
    const cache = join(folder, 'cache');
    await using on = await running({ XDG_CACHE_HOME: cache });
    on.dashboard.type('Q');
    await on.dashboard.exit;
    const compiled = join(cache, 'quarterdeck', 'compiled');
    expect(readdirSync(compiled, { recursive: true }).length).toBeGreaterThan(3);
    expect(statSync(compiled).mode & 0o022).toBe(0);
  });
});
