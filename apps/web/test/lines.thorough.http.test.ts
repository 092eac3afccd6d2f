// The lines: one client's lines of the last hour, the lines around one, live lines with a hold, an export.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { word } from '../../server/test/word.ts';
import { DESK, hasNoBrowser, useVisitors } from './visitor.ts';

describe.skipIf(hasNoBrowser)('the lines', () => {
  const { api, open } = useVisitors();
  const desk = { viewport: DESK, colorScheme: 'light' } as const;

  it('of one client within the last hour are found, opened and narrowed', async () => {
    const mark = word();
    const client = '203.0.113.9';
    const nowS = Math.floor(api.now() / 1000);
    const line = (log: string, ageS: number, fields = {}) => ({ level: 'error', log, log_time: nowS - ageS, fields });
    await api.admin.errlog.append({
      body: [
        line(`refused ${mark} a`, 60, { client, request: 'GET /cart' }),
        line(`refused ${mark} b`, 120, { client, request: 'GET /pay' }),
        line(`refused ${mark} other`, 60, { client: '198.51.100.1' }),
        line(`refused ${mark} long ago`, 7_200, { client }),
      ],
    });
    await using visitor = await open();
    const { page } = visitor;
    await visitor.signInAs('admin');
    await visitor.goTo('/lines');
    await visitor.page.getByLabel('Time range').selectOption('1h');
    await visitor.type('Search', `${mark} client:${client}`);
    await visitor.press('Search');
    await visitor.sees(`refused ${mark} a`);
    await expect.poll(() => page.locator('.log-line').count()).toBe(2);
    expect(visitor.place()).toBe(`/lines?last=1h&filter=${mark}+client%3A${client}`);
    await page.getByRole('button', { name: 'Details' }).first().click();
    await page.getByRole('button', { name: 'GET /cart' }).click();
    await expect
      .poll(() => page.locator('.log-line').allTextContents())
      .toEqual([expect.stringContaining(`${mark} a`)]);
    await page.goBack();
    await visitor.sees(`refused ${mark} b`);
  });

  it('around a line are shown in their order, with the line in the middle', async () => {
    const mark = word();
    const nowS = Math.floor(api.now() / 1000);
    await api.admin.errlog.append({
      body: Array.from({ length: 9 }, (_, n) => ({
        level: 'error',
        host: `host-${mark}`,
        log: `${mark} step ${n}`,
        log_time: nowS - 20 + n,
      })),
    });
    await using visitor = await open(desk);
    await visitor.signInAs('admin');
    await visitor.goTo(`/lines?filter="${mark} step 4"`);
    await visitor.press('Details');
    await visitor.press('Lines around it');
    await visitor.sees(`${mark} step 8`);
    const texts = await visitor.page.locator('.log-line pre').allTextContents();
    expect(texts).toEqual(Array.from({ length: 9 }, (_, n) => `${mark} step ${n}`));
    expect(await visitor.page.locator('[aria-current] pre').textContent()).toBe(`${mark} step 4`);
  });

  it('arrive live on top, and wait while they are held', async () => {
    const mark = word();
    const append = (log: string) => api.admin.errlog.append({ body: { level: 'error', log: `${mark} ${log}` } });
    await using visitor = await open(desk);
    await visitor.signInAs('admin');
    await visitor.goTo(`/lines?filter=${mark}`);
    await visitor.sees('No lines match.');
    await visitor.press('Live');
    await visitor.page.getByRole('button', { name: 'Hold' }).waitFor();
    // The stream may open a moment later.
    await expect
      .poll(async () => {
        await append('first');
        return visitor.page.getByText(`${mark} first`).first().isVisible();
      })
      .toBe(true);
    await visitor.press('Hold');
    await append('second');
    await visitor.sees(/waiting/);
    expect(await visitor.page.getByText(`${mark} second`).count()).toBe(0);
    await visitor.press('Hold');
    await visitor.sees(`${mark} second`);
    expect(visitor.place()).toBe(`/lines?filter=${mark}&live=1`);
  });

  it('are exported as a file', async () => {
    const mark = word();
    await api.admin.errlog.append({ body: [1, 2, 3].map((n) => ({ level: 'error', log: `${mark} <b>${n}</b>` })) });
    await using visitor = await open(desk);
    await visitor.signInAs('admin');
    await visitor.goTo(`/lines?filter=${mark}`);
    await visitor.page.getByText('Columns, Export').click();
    const download = visitor.page.waitForEvent('download');
    await visitor.press('Export as NDJSON');
    const rows = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    expect(rows.map((row) => JSON.parse(row).log)).toEqual([1, 2, 3].map((n) => `${mark} <b>${n}</b>`));
  });
});
