// The mouse does what keys do.
import { describe, expect, it } from 'vitest';
import { agent, entry, FakeServer } from './fake-server.ts';
import { openTui, type Sent, type Tui } from './render-tui.tsx';

/** Returns the row of the terminal that contains a text, from 0. */
const rowOf = (tui: Tui, text: string): number => tui.lines().findIndex((line) => line.includes(text));

function click(tui: Tui, text: string): void {
  const row = rowOf(tui, text);
  if (row === -1) throw new Error(`${text} is not on the screen:\n${tui.text()}`);
  tui.type(`\u001B[<0;${tui.columnOf(row, text) + 1};${row + 1}M`);
}

const wheel = (tui: Tui, text: string, by: 1 | -1): Sent =>
  tui.type(`\u001B[<${by > 0 ? 65 : 64};3;${rowOf(tui, text) + 1}M`);

async function onErrors(count: number, columns = 100, rows = 24): Promise<Tui> {
  const server = new FakeServer();
  server.errlog = Array.from({ length: count }, (_, index) => entry(index + 1, { level: index % 2 === 0 ? 4 : 5 }));
  const tui = await openTui(`1 of ${count}`, { server, columns, rows });
  return tui;
}

describe('the mouse', () => {
  it('chooses a row, and opens it the second time', async () => {
    await using tui = await onErrors(9);
    click(tui, 'error number 4');
    await tui.waitFor('the fourth to be selected', () => tui.selected().includes('error number 4'));
    expect(tui.text()).not.toContain('Happened');
    click(tui, 'error number 4');
    await tui.waitForText('Happened');
  });

  it('moves through the list by its wheel, and through what is beside it', async () => {
    await using tui = await onErrors(40);
    wheel(tui, 'error number 38', 1);
    await tui.waitForText('4 of 40');
    wheel(tui, 'error number 38', -1);
    await tui.waitForText('1 of 40');
    await tui.press('x').until('Application');
    // The first click moves the focus, the second one selects.
    click(tui, 'WARN             20');
    click(tui, 'WARN             20');
    await tui.waitForText('[WARN]');
  });

  it('sorts by the heading that is clicked, the other way the second time', async () => {
    const server = new FakeServer();
    server.agents = ['web-2', 'api-1', 'db-3'].map((hostname, index) => agent(index + 1, { hostname }));
    await using tui = await openTui('● live', { server, columns: 100 });
    await tui.type(':agents\r').until('1 of 3');
    const order = (): number[] => ['api-1', 'db-3', 'web-2'].map((host) => rowOf(tui, host));
    click(tui, 'Host');
    await tui.waitForText('Host▲');
    expect(order()).toEqual([3, 4, 5]);
    click(tui, 'Host▲');
    // The arrow changes at once, the rows after the server has sorted them.
    await tui.waitForText('Host▼');
    await tui.waitFor('the rows the other way', () => String(order()) === '5,4,3');
  });

  it('takes what is clicked of what lies over the screen, and nothing below it', async () => {
    await using tui = await onErrors(9);
    await tui.press('s').until('Sort by');
    click(tui, 'c  Count');
    await tui.waitForText('[by count]');
    await tui.waitFor('the rows in that order', () => tui.selected() !== '');
    await tui.press('M').until('Mute group');
    click(tui, 'error number 8');
    await tui.press('escape').untilGone('Mute group');
    expect(tui.selected()).not.toContain('error number 8');
  });

  it('goes to a tile of the overview, and where it leads the second time', async () => {
    const server = new FakeServer();
    server.agents = [agent(1)];
    await using tui = await openTui('1 host', { server, columns: 100, settings: { start: 'overview' } });
    click(tui, 'Agents');
    click(tui, 'Agents');
    await tui.waitForText(/3 Agents/);
  });
});
