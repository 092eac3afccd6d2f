// A real nginx sends its errors by syslog to a real server.
import type { ErrlogEntry } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../test/free-port.ts';
import { findProgram } from '../../../test/programs.ts';
import { exampleBelow } from './guide.ts';
import { startNginx } from './nginx-process.ts';
import { startNginxWith } from './proxy-process.ts';
import { startApi, type TestApi } from './start-api.ts';

const nginx = findProgram('nginx');

const entryWith = async (api: TestApi, text: string): Promise<ErrlogEntry | undefined> => {
  const { data } = await api.admin.errlog.list({ query: { detail: 1, page_size: 200 } });
  return data.find(({ log }) => log.includes(text));
};

describe.skipIf(nginx === undefined)('a real nginx', () => {
  it('has its errors grouped, with level, count, source and fields', async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    await using web = await startNginx(nginx ?? '', api.server.syslogPort ?? 0);
    for (let i = 0; i < 10; i += 1) {
      expect(await web.get(`/missing-${i}.html`)).toBe(404);
      expect(await web.get(`/up/${i}`)).toBe(502);
    }
    for (const text of ['missing-9.html', 'Connection refused']) {
      await expect.poll(async () => (await entryWith(api, text))?.count).toBe(10);
    }
    const refused = await entryWith(api, 'Connection refused');
    expect(refused).toMatchObject({ level: 4, count: 10, node_type: 0, state: 'new' });
    expect(refused?.log).toMatch(/^connect\(\) failed \(111: Connection refused\) while connecting to upstream/);
    expect(refused?.log).not.toMatch(/\[error\]|#\d+:/);
    expect(Math.abs((refused?.log_time ?? 0) - api.now() / 1000)).toBeLessThan(60);

    // Each line is taken apart: which client requested what, of which process and connection.
    const { data } = await api.admin.errlog.occurrences({ params: { id: refused?.id ?? 0 } });
    expect(data).toHaveLength(10);
    expect(data[0]?.fields).toMatchObject({
      client: '127.0.0.1',
      request: expect.stringMatching(/^GET \/up\/\d HTTP\/1\.1$/),
      host: expect.stringContaining('127.0.0.1'),
      pid: expect.stringMatching(/^\d+$/),
      connection: expect.stringMatching(/^\d+$/),
    });
  });

  it('has a failed request and what nginx says about it found by the id of the answer, as the guide says', async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    const port = await freePort();
    const replacements = {
      '127.0.0.1:5140': `127.0.0.1:${api.server.syslogPort}`,
      'listen 8080;': `listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:1; }`,
    };
    const example = exampleBelow('## Find an error by its request', 'nginx', replacements, 'how-to/nginx.md');
    await using _ = await startNginxWith(nginx ?? '', port, example);
    const ask = () => fetch(`http://127.0.0.1:${port}/pay/42`);
    const [answer] = [await ask(), await ask()];
    const id = answer.headers.get('x-request-id');
    const find = async (filter: string) => (await api.admin.line.list({ query: { filter } })).data;

    await expect.poll(() => find(`req:${id}`)).toHaveLength(1);
    const [request] = await find(`req:${id}`);
    expect(request).toMatchObject({ level: 4, log: 'GET /pay/42 answered 502', req_id: id, service: 'nginx' });
    const { connection, client } = request?.fields ?? {};
    const found = () => find(`connection:${connection} client:${client} level:>=error pay`);
    await expect
      .poll(async () => (await found()).map(({ log }) => log).sort())
      .toEqual([
        'GET /pay/42 answered 502',
        expect.stringMatching(/^connect\(\) failed .* while connecting to upstream/),
      ]);
  });
});
