// The list of errors, with a mouse, with keys alone, and with hostile text in it.
import { describe, expect, it } from 'vitest';
import { hostileTexts } from './hostile-texts.ts';
import { DESK, hasNoBrowser, useVisitors } from './visitor.ts';

/** Age of the hostile lines: they are in no list of the other tests. */
const OLD_S = 2 * 86_400;

describe.skipIf(hasNoBrowser)('the errors', () => {
  const { api, open } = useVisitors();
  const atDesk = { viewport: DESK, colorScheme: 'light' } as const;

  it('are narrowed by filter, facet and chart, all of it in the address', async () => {
    const nowS = Math.floor(api.now() / 1000);
    const line = (service: string, log: string, agoS: number) => ({
      level: 'error',
      service,
      log,
      log_time: nowS - agoS,
    });
    await api.admin.errlog.append({
      body: [line('checkout', 'card refused', 60), line('checkout', 'cart lost', 40_000), line('auth', 'no key', 60)],
    });
    await using visitor = await open(atDesk);
    const { page } = visitor;
    await visitor.signInAs('admin');
    await visitor.goTo('/e');
    await visitor.sees('no key');
    await page.keyboard.press('/');
    await page.keyboard.type('serv');
    await page.getByRole('option', { name: /service:/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('option', { name: /checkout/ }).waitFor();
    await page.keyboard.type('checkout');
    await page.keyboard.press('Enter');
    await page.getByText('no key').waitFor({ state: 'detached' });
    expect(new URLSearchParams(visitor.place().split('?')[1]).get('filter')).toBe('service:checkout');

    const chart = page.locator('.histogram-area');
    const { x, y, width, height } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + width * 0.8, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.getByText('cart lost').waitFor({ state: 'detached' });
    await visitor.sees('card refused');
    expect(visitor.place()).toMatch(/start_time=\d+&end_time=\d+/);

    await page.reload();
    await visitor.sees('card refused');
    expect(await page.getByText('cart lost').count()).toBe(0);
    await page.goBack();
    await visitor.sees('cart lost');
    await visitor.page.getByLabel('Time range').selectOption('Other…');
    await visitor.type('From when to when', 'soonish');
    await visitor.press('Show');
    await visitor.sees(/is not a time range/);
    await visitor.type('From when to when', '2h');
    await visitor.press('Show');
    await page.getByText('cart lost').waitFor({ state: 'detached' });
    expect(visitor.place()).toContain('last=2h');
    await page.goBack();
    await visitor.sees('cart lost');
    await page.getByRole('checkbox', { name: /checkout/ }).check();
    expect(visitor.place()).toContain('service=checkout');
  });

  it('are resolved, reopened, muted and noted with keys alone', async () => {
    const { data } = await (async () => {
      await api.admin.errlog.append({ body: { level: 'error', log: 'keyboard unplugged' } });
      return api.admin.errlog.list({ query: { q: 'keyboard unplugged' } });
    })();
    const id = data[0]?.id ?? 0;
    const state = async () => (await api.admin.errlog.get({ params: { id } })).state;
    await using visitor = await open(atDesk);
    const { page } = visitor;
    await visitor.signInAs('admin');
    await visitor.goTo('/e?filter=unplugged');
    await visitor.sees('keyboard unplugged');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'keyboard unplugged' }).waitFor();
    const reach = async (name: string) => {
      for (let tabs = 0; tabs < 60; tabs += 1) {
        const focused = await page.evaluate("document.activeElement?.textContent ?? ''");
        if (focused === name) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`${name} cannot be reached with Tab`);
    };
    await reach('Resolve');
    await page.keyboard.press('Enter');
    await visitor.sees('Resolved 1 group.');
    expect(await state()).toBe('resolved');
    await reach('Undo');
    await page.keyboard.press('Enter');
    await visitor.sees('Undone.');
    expect(await state()).toBe('new');
    await reach('Mute');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await reach('until it happens 100 times more');
    await page.keyboard.press('Enter');
    await visitor.sees('Muted 1 group.');
    expect(await api.admin.errlog.get({ params: { id } })).toMatchObject({ state: 'muted', until: '100x' });
    await reach('Note');
    await page.keyboard.press('Enter');
    await page.keyboard.type('seen at night');
    await reach('Save');
    await page.keyboard.press('Enter');
    await visitor.sees('Saved the note.');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('show hostile text as characters', async () => {
    const texts = hostileTexts();
    const nowS = Math.floor(api.now() / 1000);
    expect(texts.length).toBeGreaterThanOrEqual(200);
    await api.admin.errlog.append({
      body: texts.map((log) => ({
        level: 'error',
        log,
        log_time: nowS - OLD_S,
        service: 'hostile',
        fields: { path: log, client: log },
      })),
    });
    await using visitor = await open(atDesk);
    const { page } = visitor;
    await page.addInitScript(
      "globalThis.alert = globalThis.confirm = globalThis.prompt = () => { throw new Error('a payload ran') }",
    );
    await visitor.signInAs('admin');
    await visitor.goTo('/e?service=hostile&last=all');
    await page.locator('.row').first().waitFor();
    const elements = new Set<string>();
    const links = new Set<string>();
    const look = async () => {
      const inMain = await page.evaluate(
        "[...document.querySelectorAll('main *')].map((one) => [one.localName, one.getAttribute('href') ?? one.getAttribute('src') ?? ''])",
      );
      for (const [name, address] of inMain as [string, string][]) {
        elements.add(name);
        if (address !== '') links.add(address.replace(/\d+/g, 'N'));
      }
    };
    for (let screens = 0; screens < 40; screens += 1) {
      await look();
      await page.mouse.wheel(0, 700);
    }
    const { data } = await api.admin.errlog.list({ query: { service: 'hostile', page_size: 200 } });
    for (const { id } of data.slice(0, 30)) {
      await visitor.goTo(`/e/${id}`);
      await visitor.sees(/Newest lines/);
      await look();
    }
    const own =
      /^(a|article|button|dd|details|div|dl|dt|fieldset|figcaption|figure|form|g|h1|h2|h3|header|input|label|legend|li|ol|option|p|path|pre|rect|search|section|select|span|summary|svg|table|tbody|td|th|thead|time|tr|ul)$/;
    expect([...elements].filter((name) => !own.test(name))).toEqual([]);
    expect([...links].filter((address) => !/^\/(e|lines|a|h|changes)(\/N|\?|$)/.test(address))).toEqual([]);
  });
});
