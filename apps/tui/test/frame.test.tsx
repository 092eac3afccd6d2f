import { describe, expect, it } from 'vitest';
import { themeFor } from '../src/theme/theme.ts';
import { entry, FakeServer } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

describe('the frame', () => {
  it('names server, user, role and connection, and the keys that work', async () => {
    await using tui = await openTui('● live');
    expect(tui.lines()[0]).toMatch(/^ Quarterdeck {2}quarterdeck\.test +admin master {3}● live( \d+ ms)? {2}\S+$/);
    expect(tui.lines()[1]).toMatch(/^ 1 \[2 Errors\] 3 4 5 6 7 8 9 g screens +following$/);
    expect(tui.lines().at(-1)).toContain('? help');
    expect(tui.lines().at(-1)).not.toContain('details');
  });

  it('fills exactly the screen at any size, and asks for room where there is too little', async () => {
    const server = new FakeServer();
    server.errlog = Array.from({ length: 200 }, (_, index) => entry(index + 1));
    await using tui = await openTui('1 of 200', { server });
    await tui.press('j', 'j').until('3 of 200');
    for (const [columns, rows] of [
      [200, 50],
      [60, 15],
      [40, 10],
      [120, 30],
    ] as const) {
      tui.resize(columns, rows);
      await tui.waitFor(`a whole frame of ${columns}x${rows}`, () => {
        const lines = tui.lines();
        const head = lines.findIndex((line) => /Time +Level/.test(line));
        const table = lines.slice(head, rows - 2);
        return (
          /Quarterdeck.*live/.test(lines[0] ?? '') &&
          /2 Errors/.test(lines[1] ?? '') &&
          head > 1 &&
          table.slice(1).every((line) => line.includes('error number')) &&
          /\? help/.test(lines.at(-1) ?? '')
        );
      });
    }
    tui.resize(39, 10);
    await tui.waitForText('Needs 40x10, has 39x10.');
    expect(tui.text()).not.toContain('error');
    tui.resize(80, 24);
    await tui.waitForText('3 of 200');
  });

  it('shows the keys of the screen underneath in the help', async () => {
    await using tui = await openTui('● live');
    await tui.press('?').until('Error logs');
    await tui.type('pause').until(/=\s+Pause or resume\s+:pause/, 'Esc close');
    await tui.press('escape').until('No errors.');
  });

  it.each(['q', 'Q', 'ctrl+c'])('ends on %s and reads no more keys', async (key) => {
    await using tui = await openTui('● live');
    expect(tui.isRaw()).toBe(true);
    tui.press(key);
    await tui.exited;
    expect(tui.isRaw()).toBe(false);
  });

  it('quits from inside a form on Ctrl-C, and takes q for text there', async () => {
    await using tui = await openTui('● live');
    await tui.press('4').until('No API tokens yet');
    await tui.type('aq').until('[q');
    tui.press('ctrl+c');
    await tui.exited;
  });

  it('takes Escape and a key that arrive together for two keys', async () => {
    await using tui = await openTui('● live');
    await tui.press('?').until('type to search');
    await tui.type('\u001B3').until('3 Agents');
  });

  it('has no colour when asked not to', () => {
    const coloured = (color: boolean): boolean =>
      Object.values(themeFor({ color, name: 'dark', palettes: new Map(), depth: 16 })).some(
        (look) => typeof look === 'object' && ('color' in look || 'backgroundColor' in look),
      );
    expect([coloured(true), coloured(false)]).toEqual([true, false]);
  });

  it('says that there is nothing to see for who may see nothing', async () => {
    const server = new FakeServer();
    server.permissions = [];
    await using _tui = await openTui('You have no permission to see anything here.', { server });
  });
});
