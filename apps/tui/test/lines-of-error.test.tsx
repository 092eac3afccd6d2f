// The lines of one error.
import { describe, expect, it } from 'vitest';
import { entry } from './fake-server.ts';
import { line, openLines, withLines } from './lines-screen.ts';
import { openTui } from './render-tui.tsx';

describe('the lines of an error', () => {
  it('are in its details, newest first, with the fields that differ', async () => {
    await using tui = await openTui('1 of 1', { server: withLines(20) });
    await tui.press('enter').until(/Time +Host +client/);
    const rows = tui.lines();
    const header = rows.findIndex((row) => /Time +Host +client/.test(row));
    const shown = rows.slice(header + 1, header + 5);
    // After the time, which has a date shortly after midnight.
    expect(shown.map((row) => row.trim().split(/ +/).slice(-2))).toEqual([
      ['web-1', '10.9.8.7'],
      ['web-1', '10.9.8.9'],
      ['web-1', '10.9.8.8'],
      ['web-1', '10.9.8.7'],
    ]);
    expect(tui.text()).not.toContain('shop');
  });

  it('open as a table on Enter, and lead back', async () => {
    const server = withLines(20);
    server.lines = [line(21, { group: 2, log: 'another error' }), ...server.lines];
    await using tui = await openTui('1 of 1', { server });
    await tui.press('enter').until('Enter shows all lines');
    await tui.press('enter').until('/group:1', '20 of 20');
    expect(tui.text()).not.toContain('another error');
    await tui.press('l', 'l', 'l', 'b', 'b').until('/group:1 client:10.9.8.7', '12 of 12');
    await tui.press('escape').until('20 of 20');
    await tui.press('escape').until('Enter shows all lines');
    await tui.press('escape').untilGone('Enter shows all lines');
    // The screen itself shows all lines again.
    await tui.press('8').until('another error');
    expect(tui.text()).not.toContain('/group:1');
  });

  it('are still those of the error after a look at another screen', async () => {
    await using tui = await openTui('1 of 1', { server: withLines(20) });
    await tui.press('enter').until('Enter shows all lines');
    await tui.press('enter').until('/group:1');
    await tui.type(':messages\r').untilGone('/group:1');
    await tui.press('escape').until('/group:1');
  });

  it('are those of all sources where the same error is one row', async () => {
    const server = withLines(4);
    server.errlog = ['web-1', 'web-2'].map((source, index) =>
      entry(index + 1, { source, src: index + 1, fingerprint: 'f', sources: 2, log: 'upstream timed out' }),
    );
    server.lines = server.lines.map((one) =>
      one.id === '3' ? { ...one, group: 2, host: 'web-2', source: 'web-2' } : one,
    );
    await using tui = await openTui('1 of 2', { server });
    await tui.press('g', 'l').until('/group:2,1', '4 of 4');
    expect(tui.text()).toContain('web-2');
  });

  it('lead to the error on Enter at the group in their details', async () => {
    await using tui = await openLines(withLines(3));
    await tui.press('enter', 'tab').until('client   10.9.8.8');
    await tui.press('j', 'j', 'j', 'j', 'j', 'j').until('▌ Group');
    await tui.press('enter').until('/group:1');
  });

  it('lead to the error from any line', async () => {
    const server = withLines(3);
    server.errlog.push(entry(2, { log: 'disk full' }));
    await using tui = await openLines(server);
    await tui.press('g', 'l').until('/group:1', 'Enter shows all lines');
    expect(tui.text()).toContain('1 of 1');
    expect(tui.text()).not.toContain('disk full');
  });
});
