// New names of hosts and services, and Idempotency-Keys, after a restart.

import { fingerprint } from '@quarterdeck/core/fingerprint';
import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { newPlace, startApi } from '../../../../test/start-api.ts';

describe('hosts with a source', () => {
  it('are known after a restart', async () => {
    await using place = await newPlace();
    const linesOf = (prefix: string) =>
      Array.from({ length: 1_000 }, (_, i) => ({ level: 4, log: 'x', host: `${prefix}${i}` }));
    const accepted = { accepted: 1_000, refused: [] };
    {
      await using before = await startApi(place.sharing);
      expect(await before.admin.errlog.append({ body: linesOf('old') })).toEqual(accepted);
    }
    await using after = await startApi(place.sharing);
    expect(await after.admin.errlog.append({ body: linesOf('new') })).toEqual(accepted);
    expect(await after.admin.errlog.append({ body: linesOf('old') })).toEqual(accepted);
  });
});

describe('new names of one credential', () => {
  it('are a thousand an hour, of hosts and of services; further lines are stored under "other"', async () => {
    await using own = await startApi();
    const { token } = await own.admin.apiToken.create({ body: { name: 'shipper' } });
    const { errlog } = createClient({ url: own.url, apiToken: token });
    const lines = Array.from({ length: 1_002 }, (_, i) => ({ level: 4, log: 'x', host: `h${i}`, service: `s${i}` }));
    const first = await errlog.append({ body: [{ level: 4, log: 'x' }, ...lines] });
    const message = 'Too many new names within an hour: 2 lines are stored under other';
    expect(first).toMatchObject({
      accepted: 1_003,
      warnings: [{ index: 1_001, fields: ['host', 'service'], message }],
      warned: 2,
    });
    const sources = async () => (await own.admin.errlog.sources({ query: { page_size: 2_000 } })).data;
    const names = (await sources()).map(({ name }) => name);
    expect(names).toHaveLength(1_003);
    expect(names).toEqual(expect.arrayContaining(['quarterdeck', 'shipper', 'h0', 'h999', 'other']));
    const { data } = await own.admin.errlog.list({ query: { detail: 1, page_size: 2_000 } });
    const other = data.filter(({ source }) => source === 'other');
    expect(other).toMatchObject([{ count: 2, fingerprint: fingerprint('x', 'other') }]);
    expect(own.logged.join()).toContain('log lines stored under the host or service \\"other\\"');

    // Known names and other credentials have no limit.
    expect(await errlog.append({ body: { level: 4, log: 'x', host: 'h7' } })).toEqual({ accepted: 1, refused: [] });
    const fresh = { level: 4, log: 'x', host: 'h1001' };
    expect(await own.admin.errlog.append({ body: fresh })).toEqual({ accepted: 1, refused: [] });
    expect((await sources()).map(({ name }) => name)).toContain('h1001');
  });
});
