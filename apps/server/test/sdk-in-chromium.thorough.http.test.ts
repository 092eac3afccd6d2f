// The SDK in a page of another origin, in Chromium.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { expect, it } from 'vitest';
import { bundleProgram } from '../../../packages/sdk/test/bundle.ts';
import { findProgram } from '../../../test/programs.ts';
import { startApi } from './start-api.ts';

const executablePath = findProgram('chromium');

/** The program of the page: sends, reads with a check of every answer, follows an event, and is refused. */
const PROGRAM = `
  import { createClient, isApiError, paginate } from '@quarterdeck/sdk';
  import { contract } from '@quarterdeck/sdk/contract';

  globalThis.use = async (url, apiToken) => {
    const client = createClient({ url, apiToken, contract, checkAnswers: true });
    let first;
    await new Promise((resolve) => {
      const events = client.events({ types: ['errlog.new'], onStatus: (status) => status === 'open' && resolve() });
      first = events[Symbol.asyncIterator]().next();
    });
    await client.errlog.append({ body: { level: 4, log: 'sent by a page' } });
    const logs = [];
    for await (const { log } of paginate(client.errlog.list)) logs.push(log);
    const event = (await first).value.data.log;
    const refused = await client.user.get({ params: { id: 9999 } }).catch((error) => isApiError(error) && error.code);
    return { logs, event, refused };
  };
`;

it.skipIf(executablePath === undefined)(
  'works in a page of an origin that may use the API, and of no other',
  async () => {
    const pages = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end('<!doctype html>'));
    await once(pages.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    await using api = await startApi({ CORS_ORIGINS: origin });
    const { token } = await api.admin.apiToken.create({ body: { name: 'page' } });
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'];
    const browser = await chromium.launch({ executablePath: executablePath ?? '', args });
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      await page.addScriptTag({ type: 'module', content: await bundleProgram(PROGRAM) });
      // A module runs some time after its element is there.
      await page.waitForFunction(`typeof use === 'function'`);
      const used = page.evaluate(`use(${JSON.stringify(api.url)}, ${JSON.stringify(token)})`);
      expect(await used).toEqual({ logs: ['sent by a page'], event: 'sent by a page', refused: 'not_found' });
      const read = (init: RequestInit = {}) => {
        const call = `fetch(${JSON.stringify(api.url)} + '/healthz', ${JSON.stringify(init)})`;
        return page.evaluate(`${call}.then(() => 'read', ({ name }) => name)`);
      };
      expect([await read(), await read({ credentials: 'include' })]).toEqual(['read', 'TypeError']);
      await page.goto(origin.replace('127.0.0.1', 'localhost'));
      expect(await read()).toBe('TypeError');
    } finally {
      await browser.close();
      pages.closeAllConnections();
      pages.close();
    }
  },
);
