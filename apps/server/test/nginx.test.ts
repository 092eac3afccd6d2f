// A real nginx sends its errors by syslog to a real server.
import type { ErrlogEntry } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { startNginx } from './nginx-process.ts';
import { findProgram } from './programs.ts';
import { startApi, type TestApi } from './start-api.ts';

const nginx = findProgram('nginx');

const entryWith = async (api: TestApi, text: string): Promise<ErrlogEntry | undefined> => {
  const { data } = await api.admin.errlog.list({ query: { detail: 1, page_size: 200 } });
  return data.find(({ log }) => log.includes(text));
};

describe.skipIf(nginx === undefined)('a real nginx', () => {
  it('has its errors grouped, with level, count and source', async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    await using web = await startNginx(nginx ?? '', api.server.syslogPort ?? 0);
    for (let i = 0; i < 10; i += 1) {
      expect(await web.get(`/missing-${i}.html`)).toBe(404);
      expect(await web.get(`/up/${i}`)).toBe(502);
    }
    await expect.poll(async () => (await entryWith(api, 'missing-9.html'))?.count, { timeout: 10_000 }).toBe(10);
    const refused = await entryWith(api, 'Connection refused');
    expect(refused).toMatchObject({ level: 4, count: 10, node_type: 0, state: 'new' });
    expect(refused?.log).toMatch(/^connect\(\) failed \(111: Connection refused\) while connecting to upstream/);
    expect(refused?.log).not.toMatch(/\[error\]|#\d+:/);
    expect(Math.abs((refused?.log_time ?? 0) - api.now() / 1000)).toBeLessThan(60);
  });

  it('is followed live over the event stream', async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    await using web = await startNginx(nginx ?? '', api.server.syslogPort ?? 0);
    const done = new AbortController();
    const opened = Promise.withResolvers<void>();
    const onStatus = (status: string) => status === 'open' && opened.resolve();
    const seen = (async () => {
      for await (const event of api.admin.events({ types: ['errlog.new'], signal: done.signal, onStatus })) {
        if (event.type === 'errlog.new' && event.data.log.includes('live.html')) return event.data;
      }
      return undefined;
    })();
    await opened.promise;
    await web.get('/live.html');
    expect(await seen).toMatchObject({ level: 4, count: 1 });
    done.abort();
  });
});
