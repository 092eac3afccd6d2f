// Several servers over one PostgreSQL: none keeps anything that another one needs.
import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { DIALECT, startApi } from './start-api.ts';

describe.skipIf(DIALECT === 'sqlite')('two servers', () => {
  it('refuse on the next request what the other one has revoked', async () => {
    await using a = await startApi();
    await using b = await startApi(a.sharing);
    for (let i = 0; i < 20; i += 1) {
      const { id, token } = await a.admin.apiToken.create({ body: {} });
      const onB = createClient({ url: b.url, apiToken: token });
      expect((await onB.user.me()).credential.id).toBe(id);
      await a.admin.apiToken.remove({ params: { id } });
      await expect(onB.user.me()).rejects.toMatchObject({ status: 401, code: 'credential_invalid' });
    }
  });

  it('tell their subscribers what the other one has stored', async () => {
    await using a = await startApi();
    await using b = await startApi(a.sharing);
    const done = new AbortController();
    const opened = Promise.withResolvers<void>();
    const onStatus = (status: string) => status === 'open' && opened.resolve();
    const seen = (async () => {
      for await (const event of b.admin.events({ types: ['errlog.new'], signal: done.signal, onStatus })) {
        if (event.type === 'errlog.new') return event.data.log;
      }
      return undefined;
    })();
    await opened.promise;
    await a.admin.errlog.append({ body: { level: 'error', log: 'stored by the other one' } });
    expect(await seen).toBe('stored by the other one');
    done.abort();
  });

  it('count together', async () => {
    await using a = await startApi();
    await using b = await startApi(a.sharing);
    const send = (api: typeof a) =>
      api.admin.errlog.append({
        body: [
          { level: 4, log: 'both' },
          { level: 5, log: 'both' },
        ],
      });
    await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 === 0 ? a : b)));
    const { data, meta } = await a.admin.errlog.list();
    expect(meta.count).toBe(2);
    expect(data.map(({ count }) => count)).toEqual([20, 20]);
  });

  it('make one administrator when they start for the first time together', async () => {
    await using first = await startApi();
    const servers = await Promise.all(Array.from({ length: 5 }, () => startApi(first.sharing)));
    try {
      expect(await first.server.deps.db.read.prisma.user.count()).toBe(1);
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]();
    }
  });
});
