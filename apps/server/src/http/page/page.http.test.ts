// The page for browsers: what a browser gets, what a program gets, and what never leaves the folder of the page.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/new-folder.ts';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const SCRIPT = 'document.title = "A page with a script that is long enough to be compressed";\n'.repeat(40);

let api: TestApi;
let other: TestApi;
let unbuilt: TestApi;

beforeAll(async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(
    join(folder, 'index.html'),
    '<head>\n    <base href="/">\n<script src="./assets/main-0a1b.js"></script>',
  );
  writeFileSync(join(folder, 'assets/main-0a1b.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/main-0a1b.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets/small-1.css'), 'p { margin: 0 }');
  writeFileSync(join(folder, 'secret.txt'), 'outside');
  [api, other, unbuilt] = await Promise.all([
    startApi({}, { pageFolder: folder }),
    startApi({ PAGE: 'off' }, { pageFolder: folder }),
    startApi({}, { pageFolder: join(folder, 'none') }),
  ]);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await unbuilt[Symbol.asyncDispose]();
});

const open = (path: string, init: RequestInit = {}, of = api) =>
  fetch(of.url + path, { ...init, headers: { Accept: BROWSER, ...init.headers } });

const PATHS = [
  '/',
  '/a/12',
  '/e',
  '/e/57?tab=lines',
  '/e/57/',
  '/a//12',
  '/h/3/deeper/4',
  '/lines?q=a',
  '/h',
  '/h/3',
  '/changes?id=5',
  '/tokens',
  '/sign-in',
];

describe.each(nonEmpty(PATHS))('the address %s', (path) => {
  it('is the page for a browser, with the policy of the page, and without a credential', async () => {
    const page = await open(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
    expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(page.headers.get('permissions-policy')).toContain('camera=()');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(page.headers.get('vary')).toContain('Accept');
  });

  it('finds its script also below a path of a proxy', async () => {
    const html = await (await open(path)).text();
    expect(html).not.toContain('<base');
    const script = /src="([^"]+)"/.exec(html)?.[1] ?? '';
    const target = new URL(script, `https://logs.example.com/below${path}`);
    expect(target.pathname).toBe('/below/assets/main-0a1b.js');
  });

  it('is not sent again while it is the same', async () => {
    const first = await open(path);
    const etag = first.headers.get('etag') ?? '';
    const again = await open(path, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    const head = await open(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(await first.text())));
  });
});

describe.each(nonEmpty(['/a/12', '/lines', '/sign-in']))('the address %s', (path) => {
  it.each(['*/*', 'application/json', ''])('is unknown to a program that accepts "%s"', async (accept) => {
    const response = await open(path, { headers: { Accept: accept } });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ status: 404, err: { code: 'unknown_path' } });
    expect(response.headers.get('vary')).toContain('Accept');
  });

  it('takes no other method', async () => {
    const response = await open(path, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'HEAD, GET']);
  });
});

describe('the files of the page', () => {
  it('are kept for good, and come as the build has compressed them', async () => {
    const asset = await open('/assets/main-0a1b.js', { headers: { 'Accept-Encoding': 'br' } });
    expect([asset.status, await asset.text()]).toEqual([200, SCRIPT]);
    expect(asset.headers.get('content-encoding')).toBe('br');
    expect(asset.headers.get('vary')).toContain('Accept-Encoding');
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const plain = await open('/assets/main-0a1b.js', { headers: { 'Accept-Encoding': 'gzip' } });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, SCRIPT]);
    const small = await open('/assets/small-1.css', { headers: { 'Accept-Encoding': 'br' } });
    expect([small.headers.get('content-encoding'), await small.text()]).toEqual([null, 'p { margin: 0 }']);
  });

  it.each([
    '/assets/main-0a1b.js.br',
    '/assets/missing.js',
    '/assets/..%2fsecret.txt',
    '/assets/%2e%2e/secret.txt',
    '/assets/..%5csecret.txt',
    '/assets/%00',
    '/assets/__proto__',
    '/assets/',
    '/assets',
    '/index.html',
    '/secret.txt',
  ])('do not include %s', async (path) => {
    const response = await open(path);
    expect([400, 404]).toContain(response.status);
    expect(await response.text()).not.toContain('outside');
  });
});

describe('a server without the page', () => {
  it('leads from its root to the documentation, and knows no address of the page', async () => {
    const root = await open('/', { redirect: 'manual' }, other);
    expect([root.status, root.headers.get('location')]).toEqual([302, './docs']);
    for (const path of ['/a/12', '/sign-in', '/assets/main-0a1b.js']) {
      expect((await open(path, {}, other)).status).toBe(404);
    }
  });
});

it('a server whose page is not built says so, wherever a browser begins', async () => {
  for (const path of ['/', '/a/12']) {
    const html = await (await open(path, {}, unbuilt)).text();
    expect(html).toContain('is not built');
    const docs = /href="([^"]+)"/.exec(html)?.[1] ?? '';
    expect((await fetch(new URL(docs, unbuilt.url + path))).status).toBe(200);
  }
});
