// Screens for screen readers: words from top to bottom, without drawings.
import { describe, expect, it } from 'vitest';
import { agent, apiToken, entry, FakeServer } from './fake-server.ts';
import { openTui, type Tui } from './render-tui.tsx';

const DRAWN = /[\u2500-\u25FF\u2800-\u28FF]/;

async function onErrors(columns = 200): Promise<Tui> {
  const server = new FakeServer();
  server.errlog = Array.from({ length: 40 }, (_, index) => entry(index + 1));
  server.agents = [agent(1)];
  server.tokens = [apiToken(1)];
  const tui = await openTui('1 of 40', { server, columns, rows: 40, screenReader: true });
  return tui;
}

describe('a screen reader', () => {
  it('gets every screen without anything that is only drawn', async () => {
    await using tui = await onErrors();
    for (const [word, sees] of [
      ['overview', 'Most frequent'],
      ['logs', 'error number'],
      ['agents', 'Host'],
      ['tokens', 'Expires'],
      ['users', 'No users'],
      ['audit', 'Audit'],
      ['account', 'Account'],
      ['settings', 'theme'],
    ] as const) {
      await tui.type(`:${word}\r`).until(sees);
      await tui.waitForNoText(`:${word}`);
      expect(tui.text(), word).not.toMatch(DRAWN);
    }
  });

  it('gets one part at a time, however wide the screen is', async () => {
    await using tui = await onErrors();
    await tui.press('enter').until('Happened');
    expect(tui.text()).not.toContain('error number 12');
    await tui.press('x').until('Application');
    expect(tui.text()).not.toContain('Happened');
    await tui.press('escape').untilGone('Application');
  });

  it('gets what is open over the screen in the place of the screen', async () => {
    await using tui = await onErrors();
    await tui.type('?').until('type to search');
    expect(tui.text()).not.toContain('error number');
    expect(tui.text()).not.toMatch(DRAWN);
  });

  it('has a sign for what is selected and one for what is marked', async () => {
    await using tui = await onErrors(100);
    await tui.press('j', ' ').until('1 marked');
    expect(tui.lines().filter((line) => /^ \*/.test(line))).toHaveLength(1);
    expect(tui.lines().filter((line) => line.startsWith('>'))).toHaveLength(1);
  });
});
