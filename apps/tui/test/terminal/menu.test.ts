// The menu of a prefix, over rows that the compositor paints.
import { describe, expect, it } from 'vitest';
import { isBuilt } from './pty.ts';
import { running, toErrors } from './running.ts';

describe.skipIf(!isBuilt)('the menu of a prefix', () => {
  it('covers the rows, gives them back on Escape, and is not drawn for a fast chord', async () => {
    await using on = await running();
    const { dashboard } = on;
    await toErrors(dashboard);
    dashboard.type('yy');
    await dashboard.waitForText('Copied the row.');
    dashboard.type('j');
    await dashboard.waitForText('2 of 200');
    await dashboard.screen.settled();
    // The first row shows the latency, which changes by itself.
    const cells = dashboard.screen.cells().slice(1);
    expect(dashboard.raw()).not.toContain('cancels');
    dashboard.type('g');
    await dashboard.waitForText('╭─ g  go to');
    expect(dashboard.text()).toContain('error number 200');
    dashboard.type('q');
    await dashboard.waitForText('g q: no such key');
    dashboard.type('g');
    await dashboard.waitForText('Esc cancels');
    dashboard.type('\u001B');
    await dashboard.waitFor('the rows', () => !dashboard.text().includes('Esc cancels'));
    await dashboard.screen.settled();
    // The row of messages says what happened last.
    const rows = cells.length - 2;
    expect(dashboard.screen.cells().slice(1, 1 + rows)).toEqual(cells.slice(0, rows));
  });
});
