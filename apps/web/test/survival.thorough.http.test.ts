// A page that stays open: the server restarts under it, the address is wrong, the person may not do everything.
import { describe, expect, it } from 'vitest';
import { newPlace } from '../../server/test/start-api.ts';
import { fillWithDemo } from './demo-world.ts';
import { DESK, hasNoBrowser, startWithPage, useVisitors } from './visitor.ts';

describe.skipIf(hasNoBrowser)('a page that stays open', () => {
  const { api, open } = useVisitors();

  it('says how old it is while the server restarts, and follows it again afterwards', async () => {
    await using place = await newPlace();
    const first = await startWithPage(place.sharing);
    const { alertId } = await fillWithDemo(first);
    await using visitor = await open({ viewport: DESK, colorScheme: 'light' }, first.url);
    visitor.expects(
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_NETWORK/,
    );
    await visitor.signInAs('admin');
    await visitor.goTo(`/a/${alertId}`);
    await visitor.sees(/^Live$/);
    const { port } = new URL(first.url);
    await first[Symbol.asyncDispose]();
    await visitor.sees(/Connection lost. Reconnecting…, as of/);
    await visitor.sees('The newest');
    await using second = await startWithPage({ ...place.sharing, PORT: port });
    await visitor.sees(/^Live$/);
    await second.admin.alert.acknowledge({ params: { id: alertId }, body: { note: 'after the restart' } });
    await visitor.sees('after the restart');
  });

  it('offers a viewer nothing that the server would refuse', async () => {
    const { alertId, groupId } = await fillWithDemo(api);
    const { username } = await api.person('viewer');
    await using visitor = await open();
    await visitor.signInAs(username);
    for (const place of [`/a/${alertId}`, `/e/${groupId}`]) {
      await visitor.goTo(place);
      await visitor.sees(/newest/i);
      const buttons = await visitor.page.getByRole('button').allTextContents();
      expect(buttons.filter((name) => /Mute|Acknowledge|Assign|Resolve|Note/.test(name))).toEqual([]);
    }
  });

  it('shows 10,000 groups, and reaches the last of them with one key', async () => {
    const body = Array.from({ length: 10_000 }, (_, n) => ({ level: 'error', log: `${lettersOf(n)} failed` }));
    await using own = await startWithPage();
    for (let from = 0; from < body.length; from += 1_000) {
      await own.admin.errlog.append({ body: body.slice(from, from + 1_000) });
    }
    await using visitor = await open({ viewport: DESK, colorScheme: 'dark' }, own.url);
    await visitor.signInAs('admin');
    await visitor.goTo('/e');
    await visitor.sees('10,000 groups');
    await visitor.page.keyboard.press('j');
    await visitor.page.keyboard.press('j');
    const second = await visitor.page.locator('.row[data-selected] a').textContent();
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('heading', { level: 1, name: second ?? '' }).waitFor();
    await visitor.page.goBack();
    await visitor.sees('10,000 groups');
    await visitor.page.keyboard.press('G');
    await visitor.page.locator('.row[data-selected] a').waitFor();
    const last = await visitor.page.locator('.row[data-selected] a').textContent();
    expect(last).toMatch(/failed$/);
    expect(last).not.toBe(second);
    expect(await visitor.page.locator('.row').count()).toBeLessThan(60);
  });
});

/** A word that no other number has, without digits, which a fingerprint leaves out. */
const lettersOf = (n: number): string =>
  `q${[...String(n)].map((digit) => 'ghijklmnop'[Number(digit)] ?? '').join('')}`;
