import type { ErrlogEntry } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { errlogCalls } from '../../../test/errlog-calls.ts';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const CLIENTS = atMost(8, 20);

const api = useApi();

const { list, newApp, listOf, append } = errlogCalls(() => api);

describe('a group', () => {
  it('is what differs in numbers only; count is how often it happened, ever', async () => {
    const app_id = newApp();
    const name = word();
    const text = (n: number) => `${name} worker ${n} exceeded ${n * 7} ms at 10.0.0.${n % 250}`;
    await append([1, 2, 3].map((n) => ({ level: 4, log: text(n), app_id, log_time: 1_000 + n })));
    await append([{ level: 4, log: text(4), app_id, log_time: 2_000, count: 10 }]);
    const entries = await listOf(app_id);
    expect(entries).toMatchObject([{ count: 13, log: text(4), log_time: 2_000, first_seen: 1_001, state: 'new' }]);
  });

  it('is another one for another source, application or level', async () => {
    const app_id = newApp();
    const other = newApp();
    const log = word();
    const agents = [await api.agent(), await api.agent()];
    const base = { level: 4, log, app_id };
    await append([
      base,
      { ...base, level: 0 },
      { ...base, level: 8 },
      { ...base, app_id: other },
      { ...base, app_id: other, level: 0 },
      { ...base, node_type: 1 },
      { ...base, node_id: 0 },
      { ...base, node_id: 1 },
      { ...base, node_id: 1, node_type: 2 },
    ]);
    for (const { client } of agents) await append([base], client);
    const entries = [...(await listOf(app_id)), ...(await listOf(other))];
    expect(entries).toHaveLength(11);
    for (const { count } of entries) expect(count).toBe(1);
    expect(new Set(entries.map(({ src }) => src)).size).toBe(7);
    const sources = entries.map(({ source, node_type, node_id }) => `${source},${node_type},${node_id}`).sort();
    expect([...new Set(sources)]).toEqual(
      [
        `host-${agents[0]?.nodeId},0,null`,
        `host-${agents[1]?.nodeId},0,null`,
        'admin,0,0',
        'admin,0,1',
        'admin,0,null',
        'admin,1,null',
        'admin,2,1',
      ].sort(),
    );
  });

  it('shows the text that is latest by time; of one second, the one that came last', async () => {
    const app_id = newApp();
    const name = word();
    const line = (n: number, log_time: number) => ({ level: 4, log: `${name} ${n}`, app_id, log_time });
    const shown = async () => {
      const [{ log, log_time, first_seen, count } = {} as ErrlogEntry] = await listOf(app_id);
      return [log, log_time, first_seen, count];
    };
    await append([line(1, 500), line(2, 700), line(3, 600)]);
    expect(await shown()).toEqual([`${name} 2`, 700, 500, 3]);
    await append([line(4, 700)]);
    expect(await shown()).toEqual([`${name} 4`, 700, 500, 4]);
    // Late lines count, and the newest text stays.
    await append([line(5, 100), line(6, 699)]);
    expect(await shown()).toEqual([`${name} 4`, 700, 100, 6]);
    // Late and new ones at once.
    await append([line(7, 50), line(8, 800), line(9, 800), line(10, 60)]);
    expect(await shown()).toEqual([`${name} 9`, 800, 50, 10]);
    await append([line(11, 800), line(12, 40)]);
    expect(await shown()).toEqual([`${name} 11`, 800, 40, 12]);
    await append([line(13, 0)]);
    expect(await shown()).toEqual([`${name} 11`, 800, 0, 13]);
  });

  it(`loses nothing when ${CLIENTS} clients send at once`, async () => {
    const app_id = newApp();
    const names = Array.from({ length: 12 }, word);
    const agents = await Promise.all(Array.from({ length: 3 }, () => api.agent()));
    const clients = [api.admin, ...agents.map(({ client }) => client)];
    const sends = Array.from({ length: CLIENTS }, (_, i) => {
      const lines = names.flatMap((name, n) =>
        Array.from({ length: 5 }, (_, k) => ({
          level: (n + i) % 3,
          log: `${name} ${i * 100 + k}`,
          app_id,
          log_time: 1_000_000 + ((i * 37 + k * 101 + n) % 500),
          count: 1 + (k % 3),
          // New sources, too, and everybody meets them at the same time.
          node_id: app_id * 10 + (n % 4),
        })),
      );
      // Each in another order.
      const turned = [...lines.slice(i), ...lines.slice(0, i)];
      return append(i % 2 === 0 ? turned : turned.reverse(), clients[i % clients.length]);
    });
    for (const { accepted } of await Promise.all(sends)) expect(accepted).toBe(60);
    const { data, meta } = await list({ query: { app_id, page_size: 10_000 } });
    expect(data).toHaveLength(meta.count);
    expect(data.reduce((sum, { count }) => sum + count, 0)).toBe(CLIENTS * 12 * (1 + 2 + 3 + 1 + 2));
    // 12 texts x 3 levels x the sources that sent them at that level.
    expect(meta.count).toBe(new Set(data.map(({ level, src, log }) => `${level},${src},${log.split(' ')[0]}`)).size);
    await expectTrueCounters(api.server.deps.db);
  });
});
