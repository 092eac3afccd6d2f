// Pages of the links in messages: what a browser shows, what a program gets, and what never reaches the page.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { useSteadyApi } from '../../test/steady-api.ts';

const api = useSteadyApi();

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const open = (path: string, init: RequestInit = {}) =>
  fetch(api.url + path, { ...init, headers: { Accept: BROWSER, ...init.headers } });

const LINKS = [
  ['/a/12', 'Alert 12', 'quarterdeck alerts show 12', 'gt', '/admin-api/alert/instance/12'],
  ['/e/57', 'Error 57', 'quarterdeck errors get 57', '2', '/admin-api/log_server/errlog/57'],
  ['/h/3', 'Host 3', 'quarterdeck agents get 3', '3', '/api/agents/3'],
  ['/changes?id=5', 'Change 5', 'quarterdeck change get 5', '9', '/admin-api/change/5'],
  ['/changes', 'Changes', 'quarterdeck change list', '9', '/admin-api/change'],
] as const;

describe.each(nonEmpty(LINKS))('the link %s', (path, name, command, key, endpoint) => {
  it('shows a person how to read it, without a credential and without a script', async () => {
    const page = await open(path);
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html).toContain(`<h1>${name}</h1>`);
    expect(html).toContain(`<code>${command}</code>`);
    expect(html).toContain(`<kbd>${key}</kbd>`);
    expect(html).toContain(`$URL${endpoint}"`);
    expect(html).not.toMatch(/<script|<link|<img|http:|https:| on\w+=/);
  });

  it('is a page that fits a phone, has a language and a title, and follows dark and light', async () => {
    const html = await (await open(path)).text();
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(html).toContain(`<title>${name} - Quarterdeck</title>`);
    expect(html).toContain('color-scheme:light dark');
    expect(html).toContain('overflow-wrap:anywhere');
    expect(html).toMatch(/<main>[\s\S]*<\/main>/);
  });

  it('allows nothing but its own style, is not cached, and says the same to HEAD', async () => {
    const page = await open(path);
    const html = await page.text();
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('vary')).toContain('Accept');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const head = await open(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(html)));
  });

  it.each(['*/*', 'application/json', ''])('is unknown to a program that accepts "%s"', async (accept) => {
    const response = await open(path, { headers: { Accept: accept } });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    expect(await response.json()).toMatchObject({ status: 404, err: { code: 'unknown_path' } });
    expect(response.headers.get('vary')).toContain('Accept');
  });

  it('takes no other method', async () => {
    const response = await open(path, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'HEAD, GET']);
  });
});

it.each(
  nonEmpty([
    '/a/0',
    '/a/012',
    '/a/-1',
    '/a/1e3',
    '/a/1234567890123456',
    '/a/x%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    '/e/..%2f',
    '/h/%00',
    '/changes?id=%3Cb%3E',
    '/changes?id=1&id=2',
    '/changes?id[]=1',
  ]),
)('the damaged link %s is a page of its own, or that of all, with nothing of the address on it', async (path) => {
  const page = await open(path);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await page.text();
  expect(html).toContain(page.status === 404 ? '<h1>This link is damaged</h1>' : '<h1>Changes</h1>');
  expect(html).not.toMatch(/<script|<b>|1234567890123456|%/);
});

it.each([
  ['/a/12', '../docs'],
  ['/a/12/', '../../docs'],
  ['/changes', './docs'],
  ['/changes/?id=1', '../docs'],
])('the page of %s leads to the documentation also below a path of a proxy', async (path, link) => {
  expect(await (await open(path)).text()).toContain(`href="${link}"`);
  const target = new URL(link, `https://logs.example.com/below${path}`);
  expect(target.pathname).toBe('/below/docs');
});

it('the start page leads a browser to the documentation', async () => {
  const response = await open('/', { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, './docs']);
});
