// Screens for screen readers: words from top to bottom, without drawings.
import { describe, expect, it } from 'vitest';
import { agent, apiToken, entry, FakeServer, serverWithErrors } from './fake-server.ts';
import { openTui, type Tui } from './render-tui.tsx';

const DRAWN = /[\u2500-\u25FF\u2800-\u28FF…·›★]/;

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

  it('gets messages whole at 80 columns, and the counts of charts in words', async () => {
    const server = new FakeServer();
    const long = 'the payment worker lost its connection because the pool of the database was closed by the operator';
    server.errlog = Array.from({ length: 12 }, (_, index) => entry(index + 1, { log: `${long}, number ${index + 1}` }));
    await using tui = await openTui('1 of 12', { server, screenReader: true });
    const words = (): string => tui.text().replaceAll(/\s+/g, ' ');
    expect(words()).toContain(`${long}, number 12`);
    await tui.press('G').until('12 of 12');
    expect(words()).toContain(`${long}, number 1 `);
    expect(tui.lines().filter((line) => line.startsWith('>'))).toHaveLength(1);
    await tui.press('1').until(/peak \d+, (\w{3} \d+ )?\d\d:\d\d-\d\d:\d\d/);
    expect(words()).toContain(`${long}, number`);
    expect(tui.text()).toContain('ERROR 12');
    expect(tui.text()).not.toMatch(/\bnow$|^ +0 *$/m);
    expect(tui.text()).not.toMatch(DRAWN);
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

it('draws nothing but ASCII with --ascii, also where a text is cut', async () => {
  const server = serverWithErrors(3);
  server.errlog = server.errlog.map((row) => ({ ...row, log: 'a long message '.repeat(20) }));
  server.agents = [agent(1, { hostname: 'a-very-long-name-of-a-host-'.repeat(4) })];
  await using tui = await openTui('1 of 3', { server, columns: 60, rows: 16, settings: { ascii: true } });
  for (const [word, sees] of [
    ['logs', 'a long'],
    ['overview', 'Most frequent'],
    ['agents', 'a-very-long'],
    ['help', 'type to search'],
  ] as const) {
    await tui.type(`:${word}\r`).until(sees);
    await tui.waitForNoText(`:${word} `);
    expect(tui.text(), word).toMatch(/^[\n\x20-\x7e]*$/);
    if (word === 'help') await tui.press('escape').untilGone('type to search');
  }
});
