// The same error of several sources as one row: on the overview, in the list, and in the details.
import { describe, expect, it } from 'vitest';
import { entry, FakeServer } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

/** An error on six sources, 60 times on each, and a frequent one on a single source. */
function server(): FakeServer {
  const made = new FakeServer();
  made.errlog = [
    ...[1, 2, 3, 4, 5, 6].map((n) =>
      entry(n, {
        source: `web-${n}`,
        host: `web-${n}`,
        src: n,
        service: 'nginx',
        fingerprint: 'f',
        log: 'Bad address',
        count: 60,
      }),
    ),
    entry(7, {
      source: 'db-1',
      host: 'db-1',
      src: 7,
      service: 'postgresql',
      fingerprint: 'g',
      log: 'too many clients',
      count: 240,
    }),
  ];
  return made;
}

describe('an error of several sources', () => {
  it('is one row of the overview, which opens it on all of its sources', async () => {
    await using tui = await openTui(/360 +\S+ +×6 +Bad/, { server: server(), settings: { start: 'overview' } });
    const rows = tui.lines().filter((line) => /Bad address|too many/.test(line));
    expect(rows.map((line) => / (\d+) {2}/.exec(line)?.[1])).toEqual(['360', '240']);
    await tui.press('tab', 'enter').until('[same error]', '1 of 6');
    for (const n of [1, 2, 3, 4, 5, 6]) expect(tui.text()).toContain(`web-${n} nginx`);
    expect(tui.text()).not.toContain('too many clients');
  });

  it('opens the selected row of the overview', async () => {
    await using tui = await openTui(/360 +\S+ +×6 +Bad/, { server: server(), settings: { start: 'overview' } });
    await tui.press('tab', 'j', 'enter').until('1 of 1');
    expect(tui.text()).toContain('db-1 postgresql');
    expect(tui.text()).not.toContain('Bad address');
  });

  it('is one row of the list with the sources together, and lists them with their counts', async () => {
    await using tui = await openTui('1 of 7', { server: server(), columns: 160, rows: 40 });
    await tui.press('b', 'u').until('1 of 2', /360 +6 sources/);
    expect(tui.text()).toContain('db-1');
    await tui.press('j', 'enter').until('On 6 sources');
    expect(tui.text()).toMatch(/web-1 nginx +60/);
    expect(tui.text()).toMatch(/web-6 nginx +60/);
  });

  it('is resolved on all of its sources, and so undone', async () => {
    const made = server();
    await using tui = await openTui('1 of 7', { server: made, columns: 120, rows: 40 });
    await tui.press('b', 'u').until('1 of 2');
    await tui.press('j', 'R').until('Resolved 6 groups.');
    const statesOf = (): unknown[] => made.errlog.toSorted((a, b) => a.id - b.id).map(({ state }) => state);
    expect(statesOf()).toEqual([...new Array(6).fill('resolved'), 'new']);
    tui.press('U');
    await tui.waitFor('the states before', () => statesOf().every((state) => state === 'new'));
  });
});
