// Routes outside the contract that programs read: the start page, the export, and filtered events.
import type { ErrlogEntry } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { errlogCalls } from '../../test/errlog-calls.ts';
import { listenEvents } from '../../test/listen-events.ts';
import { startApi, useSharedApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';
import { RAW_ENDPOINTS } from './endpoints/raw-endpoints.ts';

const api = useSharedApi();

describe('GET /', () => {
  const start = (headers: Record<string, string>, method = 'GET') =>
    fetch(`${api.url}/`, { method, headers, redirect: 'manual' });

  it.each(['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'])(
    'leads a browser to the documentation: %s',
    async (Accept) => {
      const answer = await start({ Accept });
      expect([answer.status, answer.headers.get('location'), answer.headers.get('vary')]).toEqual([
        302,
        './docs',
        'Accept',
      ]);
      const page = await fetch(new URL(answer.headers.get('location') ?? '', answer.url));
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    },
  );

  it.each(['application/json', '*/*', 'application/json, text/html;q=0.9', 'image/png'])(
    'tells a program where things are: %s',
    async (Accept) => {
      const answer = await start({ Accept });
      const { data } = (await answer.json()) as { data: Record<string, string> };
      expect([answer.status, Object.keys(data)]).toEqual([200, ['docs', 'openapi', 'health', 'ready']]);
      for (const path of Object.values(data)) expect((await fetch(api.url + path)).status, path).toBe(200);
    },
  );

  it('refuses other methods', async () => {
    const answer = await start({}, 'POST');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'HEAD, GET']);
  });
});

const EXPORT = '/admin-api/log_server/errlog/export';

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(api.url + path, { headers: { 'edge-token': api.adminToken, ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const { newApp } = errlogCalls(() => api);

describe('GET /admin-api/log_server/errlog/export', () => {
  it('has every group of a filter as a line of JSON, as the list shows it', async () => {
    const app_id = newApp();
    await api.admin.errlog.append({ body: Array.from({ length: 60 }, () => ({ level: 4, log: word(), app_id })) });
    await api.admin.errlog.append({ body: Array.from({ length: 5 }, () => ({ level: 3, log: word(), app_id })) });
    const { status, headers, text } = await get(`${EXPORT}?app_id=${app_id}&level=4`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/x-ndjson');
    expect(headers.get('content-disposition')).toBe('attachment; filename="error-logs.ndjson"');
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ErrlogEntry);
    const { data } = await api.admin.errlog.list({ query: { app_id, level: 4, page_size: 100, detail: 1 } });
    expect(rows).toEqual(data.sort((a, b) => b.id - a.id));
  });

  it('continues below an id, and the SDK reads it to its end', async () => {
    const app_id = newApp();
    await api.admin.errlog.append({ body: Array.from({ length: 30 }, () => ({ level: 4, log: word(), app_id })) });
    const entries: ErrlogEntry[] = [];
    for await (const entry of api.admin.exportErrlog({ filter: { app_id, state: 'new' } })) entries.push(entry);
    const { data } = await api.admin.errlog.list({ query: { app_id, page_size: 100, detail: 1 } });
    expect(entries).toEqual(data.sort((a, b) => b.id - a.id));
    const [, , { id: third }] = entries as [ErrlogEntry, ErrlogEntry, ErrlogEntry];
    const { text } = await get(`${EXPORT}?app_id=${app_id}&before_id=${third}`);
    expect(text).toBe(
      entries
        .slice(3)
        .map((entry) => `${JSON.stringify(entry)}\n`)
        .join(''),
    );
    const csv: string[] = [];
    for await (const piece of api.admin.exportErrlogText('csv', { filter: { app_id } })) csv.push(piece);
    expect(csv.join('').split('\r\n')).toHaveLength(32);
  });

  it('is empty without matches, and refuses an invalid filter', async () => {
    expect((await get(`${EXPORT}?app_id=${newApp()}`)).text).toBe('');
    const wrong = await get(`${EXPORT}?level=99`);
    expect(wrong.status).toBe(400);
    expect(JSON.parse(wrong.text).err.fields[0].path).toBe('query.level');
    expect((await get(`${EXPORT}?format=xls`)).status).toBe(400);
  });
});

describe('GET /admin-api/events with a filter', () => {
  it('sends events of the error logs that the list would show, and all other events', async () => {
    // A server of its own: events of the tests above could be merged with these.
    await using own = await startApi();
    const app_id = newApp();
    const [loud, quiet, other] = [word(), word(), word()];
    await using live = await listenEvents(own.admin, { filter: { app_id, level_max: 4, q: loud.toUpperCase() } });
    await own.admin.errlog.append({
      body: [
        { level: 7, log: `${loud} too harmless`, app_id },
        { level: 4, log: `${quiet} says something else`, app_id },
        { level: 4, log: `${loud} of another application`, app_id: app_id + 1_000 },
        { level: 4, log: `${other} ${loud} it is`, app_id },
      ],
    });
    await own.agent();
    await live.until(({ type }) => type === 'agent.registered');
    await live.first(({ type, data }) => type === 'errlog.new' && data.log === `${other} ${loud} it is`);
    expect(live.events.filter(({ type }) => type.startsWith('errlog.'))).toHaveLength(1);
  });
});

describe('every route outside the contract', () => {
  const open = ['/healthz', '/readyz', '/openapi.json', '/docs'].map((path) => ({ method: 'GET', path }));
  const guarded = Object.values(RAW_ENDPOINTS).map(({ method, path }) => ({ method, path }));

  it.each(nonEmpty([...open, ...guarded]))('forbids caching and framing: $method $path', async ({ method, path }) => {
    const credential = { 'edge-token': api.adminToken };
    const requests = [
      { method, headers: credential },
      { method: 'HEAD', headers: credential },
      { method: 'DELETE', headers: credential },
      { method, headers: { 'edge-token': 'no token' } },
    ];
    for (const init of requests) {
      const response = await fetch(api.url + path, init);
      await response.body?.cancel();
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    }
  });
});
