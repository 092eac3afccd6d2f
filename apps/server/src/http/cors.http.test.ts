// CORS, over HTTP and from a real browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../test/programs.ts';
import { startApi, type TestApi } from '../../test/start-api.ts';

const chromium = findProgram('chromium');

let pages: Server;
let origin: string;
let api: TestApi;
let page: () => string;
let told: (results: unknown) => void;
beforeAll(async () => {
  pages = createServer(async (req, res) => {
    if (req.method === 'POST') told(await json(req));
    res.setHeader('Content-Type', 'text/html').end(req.method === 'POST' ? '' : page());
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  api = await startApi({ CORS_ORIGINS: `https://app.example,${origin}` });
});
afterAll(async () => {
  pages.closeAllConnections();
  pages.close();
  await api[Symbol.asyncDispose]();
});

const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
  const answer = await fetch(api.url + path, { method, headers });
  await answer.body?.cancel();
  return answer;
};
const namesOf = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort();
const wants = (from: string) => ({
  Origin: from,
  'Access-Control-Request-Method': 'PUT',
  'Access-Control-Request-Headers': 'api-token,if-match',
});

describe('an origin of the list', () => {
  it.each(['/healthz', '/admin-api/user/me', '/no/such/path', '/openapi.json', '/docs', '/api/v1/user/me'])(
    'may read the answer of %s, also a failure',
    async (path) => {
      const { headers } = await ask(path, { Origin: 'https://app.example' });
      expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
      expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual(
        expect.arrayContaining(['ETag', 'X-Total-Count', 'X-Request-Id', 'Retry-After', 'Sunset']),
      );
      expect(headers.get('vary')?.split(', ')).toContain('Origin');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    },
  );

  it('gets an answer to its preflight, without a credential', async () => {
    const { status, headers } = await ask('/api/agents/1', wants('https://app.example'), 'OPTIONS');
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE');
    expect(headers.get('access-control-allow-headers')?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(['api-token', 'edge-token', 'authorization', 'if-match', 'last-event-id', 'traceparent']),
    );
    expect(headers.get('access-control-max-age')).toBe('600');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });
});

describe('any other origin', () => {
  it.each([
    'null',
    'https://app.example.evil',
    'http://app.example',
    'https://app.example:8443',
    'https://APP.example',
  ])('gets no permission: %s', async (from) => {
    const { status, headers } = await ask('/healthz', { Origin: from });
    expect([status, namesOf(headers), headers.get('vary')]).toEqual([200, [], 'Origin']);
    const preflight = await ask('/api/agents/1', wants(from), 'OPTIONS');
    expect([preflight.status, namesOf(preflight.headers)]).toEqual([405, []]);
  });
});

it('is off unless it is configured', async () => {
  await using plain = await startApi();
  const { headers } = await plain.fetch('/healthz', { headers: { Origin: 'https://app.example' } });
  expect([namesOf(headers), headers.get('vary')]).toEqual([[], null]);
});

/** Runs in the browser: what a script of this page can do. */
const SCRIPT = `
  async function attempt(work) {
    try { return await work(); } catch (error) { return error.name; }
  }
  const send = (path, init = {}) => fetch(API + path, {
    ...init, headers: { 'API-Token': TOKEN, 'Content-Type': 'application/json', ...init.headers },
  });
  async function results() {
    return {
      list: await attempt(async () => {
        const answer = await send('/api/agents');
        return [answer.status, answer.headers.get('X-Total-Count'), answer.headers.get('X-Request-Id') !== null];
      }),
      put: await attempt(async () => {
        const path = '/admin-api/log_server/errlog/1';
        const tag = (await send(path)).headers.get('ETag');
        const init = { method: 'PUT', body: JSON.stringify({ note: tag }), headers: { 'If-Match': tag } };
        return [(await send(path, init)).status, (await send(path, init)).status];
      }),
      failure: await attempt(async () => (await (await send('/admin-api/user/me?x', { headers: { 'API-Token': 'x' } })).json()).err.code),
      exported: await attempt(async () => (await (await send('/admin-api/log_server/errlog/export')).text()).includes('the anchor drags')),
      events: await attempt(async () => {
        const stop = new AbortController();
        const answer = await send('/admin-api/events', { signal: stop.signal, headers: { 'Last-Event-ID': '0' } });
        const { value } = await answer.body.getReader().read();
        stop.abort();
        return new TextDecoder().decode(value).startsWith('retry: ');
      }),
      withCredentials: await attempt(async () => (await send('/api/agents', { credentials: 'include' })).status),
    };
  }
`;

/** Results of a page that may do nothing. */
const REFUSED = Object.fromEntries(
  ['list', 'put', 'failure', 'exported', 'events', 'withCredentials'].map((name) => [name, 'TypeError']),
);

describe.skipIf(chromium === undefined)('in Chromium', () => {
  it('lets a listed page use the API, and neither another page nor one without an origin', async () => {
    await api.admin.errlog.append({ body: { level: 4, log: 'the anchor drags' } });
    const { token } = await api.admin.apiToken.create({ body: {} });
    const script = `const API = ${JSON.stringify(api.url)}, TOKEN = ${JSON.stringify(token)}; ${SCRIPT}`;
    const child = `<script>${script} results().then((all) => parent.postMessage(all, '*'))</script>`;
    const other = origin.replace('127.0.0.1', 'localhost');
    page = () => `<!doctype html><body><script>${script}
      if (location.origin === ${JSON.stringify(origin)}) run(); else results().then((all) => parent.postMessage(all, '*'));
      async function resultsOf(attributes) {
        const frame = Object.assign(document.createElement('iframe'), attributes);
        const told = new Promise((resolve) => addEventListener('message', ({ data, source }) => {
          if (source === frame.contentWindow) resolve(data);
        }));
        document.body.append(frame);
        return told;
      }
      async function run() {
        const listed = await results();
        const other = await resultsOf({ src: ${JSON.stringify(other)} });
        const none = await resultsOf({ sandbox: 'allow-scripts', srcdoc: ${JSON.stringify(child).replaceAll('</', '<\\/')} });
        await fetch('/', { method: 'POST', body: JSON.stringify({ listed, other, none }) });
      }
    </script></body>`;
    const results = new Promise((resolve) => {
      told = resolve;
    });
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-cors-'));
    const options = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${folder}`];
    const browser = spawn(chromium ?? '', [...options, origin], { stdio: 'ignore' });
    const left = once(browser, 'exit');
    try {
      expect(await Promise.race([results, left.then(() => 'Chromium left')])).toEqual({
        listed: {
          list: [200, '0', true],
          put: [200, 412],
          failure: 'credential_invalid',
          exported: true,
          events: true,
          withCredentials: 'TypeError',
        },
        other: REFUSED,
        none: REFUSED,
      });
    } finally {
      browser.kill();
      await left;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
