// The parts of the screen that the eye sees first: chips in place of columns, the chart, details, names of screens.
import { describe, expect, it } from 'vitest';
import { entry, FakeServer, serverWithErrors } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

/** Errors of two sources, all of one state. */
function errors(state: 'new' | 'ongoing', ...others: ReturnType<typeof entry>[]): FakeServer {
  const server = new FakeServer();
  server.errlog = [1, 2].map((n) => entry(n, { source: `web-${n}`, src: n, service: 'shop', state }));
  server.errlog.push(...others);
  return server;
}

describe('the list of errors', () => {
  it('shows a value that all rows share as a chip, and its column once a row has another one', async () => {
    await using tui = await openTui('all new', { server: errors('new'), columns: 120 });
    expect(tui.text()).toContain('all shop');
    expect(tui.text()).toMatch(/Source +Message/);
    tui.server.add(entry(9, { state: 'regressed', service: 'shop', log: 'it is back' }));
    await tui.waitForText(/Source +State +Message/, '↺ regressed', 'all shop');
    expect(tui.text()).not.toContain('all new');
  });

  it('has a chart of three rows, which is higher, hidden and low again on i', async () => {
    await using tui = await openTui('1 of 9', { server: serverWithErrors(9), rows: 30 });
    await tui.waitForText('now');
    const headingAt = (): number => tui.lines().findIndex((line) => /Time +Level/.test(line));
    expect(headingAt()).toBe(5);
    await tui.press('i').until(/■ ERROR 9 .*peak/);
    expect(headingAt()).toBeGreaterThan(5);
    await tui.press('i').untilGone('now');
    expect(headingAt()).toBe(2);
    await tui.press('i').until('now');
    expect(headingAt()).toBe(5);
  });

  it('says what the chart shows once it was zoomed', async () => {
    await using tui = await openTui('1 of 9', { server: serverWithErrors(9), rows: 30, columns: 100 });
    expect(tui.text()).not.toContain('chart: ');
    await tui.press('z').until('chart: last 12h');
    await tui.press('{').until(/chart: .*\d\d:\d\d – /);
  });
});

describe('the details', () => {
  const trace = ['TypeError: x is not a function', `    at run (/srv/${'deep/'.repeat(30)}cart.ts:12:5)`].join('\n');

  it.each([
    [159, /^── ■ ERROR 1 /m],
    [160, /╭─ ■ ERROR 1 ─+╮$/m],
  ])('at %i columns are where a message has room', async (columns, frame) => {
    const server = new FakeServer();
    server.errlog = [entry(1, { log: trace })];
    await using tui = await openTui('1 of 1', { server, columns, rows: 40 });
    await tui.press('enter').until(frame, 'first seen');
  });

  it('go on further to the right where a line of a trace is wrapped', async () => {
    const server = new FakeServer();
    server.errlog = [entry(1, { log: trace })];
    await using tui = await openTui('1 of 1', { server, columns: 100, rows: 40 });
    await tui.press('enter').until(/^ {6}at run/m);
    expect(tui.text()).toMatch(/^ {10}\S*deep/m);
  });

  it('hide what no sender has set', async () => {
    const server = new FakeServer();
    server.errlog = [entry(1, { app_id: 0, node_type: 0, node_id: null }), entry(2, { app_id: 7, node_type: 2 })];
    await using tui = await openTui('1 of 2', { server, columns: 100, rows: 40 });
    await tui.press('enter').until(/Source +web-1 · log server · app 7/);
    await tui.press('j').until(/Source +web-1$/m);
  });
});

describe('the frame', () => {
  it('names the screens where there is room, and else the key that lists them', async () => {
    await using tui = await openTui('1 of 9', { server: serverWithErrors(9), columns: 120 });
    expect(tui.lines()[1]).toMatch(/1 Overview {2}\[2 Errors\] 3 Agents {2}4 Tokens/);
    tui.resize(80, 24);
    await tui.waitForText('1 [2 Errors] 3 4 5 6 7 8 9 g screens');
  });

  it('draws a whole one around completions', async () => {
    await using tui = await openTui('1 of 9', { server: serverWithErrors(9) });
    await tui.type('/lev').until(/╭─+╮[\s\S]*│ level:.*│[\s\S]*╰─+╯/);
  });

  it('leads from a gap to the ledger', async () => {
    const server = serverWithErrors(3);
    const minute = Math.floor(Date.now() / 60_000) * 60 - 600;
    server.ledger = {
      data: [],
      meta: {
        complete: false,
        gaps: [{ src: 1, stage: 'missing', start_time: minute, end_time: minute + 180, lines: 31 }],
      },
    };
    server.errlogMeta = { complete: false };
    await using tui = await openTui('31 lines', { server, columns: 160 });
    expect(tui.text()).toMatch(/Incomplete: lost on \S+, .*31 lines: .*Press g s to open the ledger/);
  });
});
