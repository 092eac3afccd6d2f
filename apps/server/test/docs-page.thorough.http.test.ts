// The page /docs in Chromium, and its commands in a shell.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../../test/programs.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import { useSharedApi } from './start-api.ts';

const operations = Object.values(openApiDocument().paths).flatMap((path) => Object.values(path));

const api = useSharedApi();

const executablePath = findProgram('chromium');

describe.skipIf(executablePath === undefined)('the page /docs', () => {
  let browser: Browser;
  beforeAll(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: executablePath ?? '', args });
  });
  afterAll(() => browser.close());

  /** Opens the page, and collects what the browser reports as errors. */
  async function open(options: { width?: number; javaScriptEnabled?: boolean; hash?: string } = {}) {
    const { width = 1200, javaScriptEnabled = true, hash = '' } = options;
    const page = await browser.newPage({ viewport: { width, height: 844 }, javaScriptEnabled });
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${api.url}/docs${hash}`);
    return { page, errors, [Symbol.asyncDispose]: () => page.close() };
  }

  const shown = (page: Page) => page.locator('article:visible').evaluateAll((articles) => articles.map(({ id }) => id));

  it('finds endpoints by all of their words', async () => {
    await using opened = await open();
    const { page, errors } = opened;
    const all = (await shown(page)).length;
    expect(all).toBeGreaterThan(operations.length);
    await page.keyboard.press('/');
    await page.keyboard.type('Rotate secret grace old');
    expect(await shown(page)).toEqual(['apiToken_rotate']);
    expect(await page.locator('#found').textContent()).toBe(`1 of ${all}`);
    expect(await page.locator('main > section:visible').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await shown(page)).toHaveLength(all);
    expect(errors).toEqual([]);
  });

  it('shows the target of a link that the search has hidden', async () => {
    await using opened = await open({ hash: '#user_login' });
    const { page } = opened;
    await page.locator('#search').fill('rotate');
    await page.locator('nav a[href="#errors"]').click();
    await page.waitForFunction("document.querySelector('#search').value === ''");
    expect(await page.locator('#error-not_found').isVisible()).toBe(true);
  });

  it('is complete without its script', async () => {
    await using opened = await open({ javaScriptEnabled: false });
    const { page } = opened;
    expect(await page.locator('article:visible').count()).toBeGreaterThan(operations.length);
    expect(await page.locator('#search').isVisible()).toBe(false);
  });

  it('fits the width of a phone, with everything unfolded', async () => {
    await using opened = await open({ width: 390 });
    const { page } = opened;
    const wide = await page.evaluate(`
      for (const one of document.querySelectorAll('details')) one.open = true;
      [...document.querySelectorAll('body *')]
        .filter((one) => one.getBoundingClientRect().right > 390.5 || one.scrollWidth > one.clientWidth + 1)
        .filter((one) => getComputedStyle(one).display !== 'inline')
        .map((one) => one.outerHTML.slice(0, 200))`);
    expect(wide).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  it.skipIf(findProgram('curl') === undefined)('has commands that a shell can run', async () => {
    await using opened = await open();
    const { token } = await api.admin.apiToken.create({ body: {} });
    const env = { ...process.env, URL: api.url, TOKEN: token, SESSION: api.adminToken };
    for (const id of ['change_create', 'change_list', 'user_me', 'errlog_append', 'system_version', 'system_health']) {
      const command = (await opened.page.locator(`#${id} pre`).textContent()) ?? '';
      const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent`], { env });
      expect([command, JSON.parse(stdout)]).toMatchObject([command, { status: 0 }]);
    }
  });
});
