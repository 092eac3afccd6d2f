// Screens for screen readers: words from top to bottom, without drawings.
import { describe, expect, it } from 'vitest';
import { agent, apiToken, entry, FakeServer } from './fake-server.ts';
import { renderTui, type Tui } from './render-tui.tsx';

const DRAWN = /[\u2500-\u25FF\u2800-\u28FF]/;

async function onErrors(columns = 200): Promise<Tui> {
  const server = new FakeServer();
  server.errlog = Array.from({ length: 40 }, (_, index) => entry(index + 1));
  server.agents = [agent(1)];
  server.tokens = [apiToken(1)];
  const tui = renderTui({ server, columns, rows: 40, screenReader: true });
  await tui.waitForText('1 of 40');
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
      tui.type(`:${word}\r`);
      await tui.waitForText(sees);
      await tui.waitForNoText(`:${word}`);
      expect(tui.text(), word).not.toMatch(DRAWN);
    }
  });

  it('gets one part at a time, however wide the screen is', async () => {
    await using tui = await onErrors();
    tui.press('enter');
    await tui.waitForText('Happened');
    expect(tui.text()).not.toContain('error number 12');
    tui.press('x');
    await tui.waitForText('Application');
    expect(tui.text()).not.toContain('Happened');
    tui.press('escape');
    await tui.waitForNoText('Application');
  });

  it('gets what is open over the screen in the place of the screen', async () => {
    await using tui = await onErrors();
    tui.type('?');
    await tui.waitForText('type to search');
    expect(tui.text()).not.toContain('error number');
    expect(tui.text()).not.toMatch(DRAWN);
  });

  it('has a sign for what is selected and one for what is marked', async () => {
    await using tui = await onErrors(100);
    tui.press('j', ' ');
    await tui.waitForText('1 marked');
    expect(tui.lines().filter((line) => /^ \*/.test(line))).toHaveLength(1);
    expect(tui.lines().filter((line) => line.startsWith('>'))).toHaveLength(1);
  });
});
