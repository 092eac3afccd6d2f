// The roll-up over sources: what is one error, and what is not.
import { expect, it } from 'vitest';
import { useApi } from '../../start-api.ts';
import { storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const api = useApi();

it('keeps applications and levels apart, from both ends of the list, and puts sources together', async () => {
  const [log, service] = [word(), word()];
  const kinds = [1, 2].flatMap((app_id) => [4, 5].map((level) => ({ app_id, level })));
  const body = kinds.flatMap((kind, i) =>
    [1, 2, 3].map((node_id) => ({
      ...kind,
      service,
      log,
      node_id,
      count: 10 ** i,
      log_time: 1_000 * (i + 1) + node_id,
    })),
  );
  await storeGroups(api.server.deps.db, body);
  const wanted = kinds
    .map((kind, i) => ({ ...kind, sources: 3, count: 3 * 10 ** i, log_time: 1_000 * (i + 1) + 3 }))
    .reverse();
  const query = { rollup: true, detail: 1, service } as const;
  const whole = await api.admin.errlog.list({ query });
  expect(whole.meta).toEqual({ count: 4 });
  expect(whole.data).toMatchObject(wanted);
  for (const [i, one] of wanted.entries()) {
    const { data } = await api.admin.errlog.list({ query: { ...query, start: i, end: i + 1 } });
    expect(data).toMatchObject([one]);
  }
  const found = await api.admin.errlog.list({ query: { ...query, q: log } });
  expect(found.data).toMatchObject(wanted);
});

it('sorts errors by the sum of their counts, and counts all their groups in a span', async () => {
  const service = word();
  const line = (log: string, node_id: number, log_time: number, count: number) => ({
    level: 4,
    service,
    log,
    node_id,
    log_time,
    count,
  });
  const [often, rare] = [word(), word()];
  await storeGroups(api.server.deps.db, [
    line(often, 1, 7_200, 5),
    line(often, 2, 7_260, 5),
    line(rare, 1, 7_320, 6),
    line(often, 1, 10_800, 7),
  ]);
  const query = { rollup: true, detail: 1, service } as const;
  const counted = async (more: object) =>
    (await api.admin.errlog.list({ query: { ...query, ...more } })).data.map(({ log, count, count_in_range: n }) => [
      log,
      count,
      n,
    ]);
  expect(await counted({ sort: '-count' })).toEqual([
    [often, 17, undefined],
    [rare, 6, undefined],
  ]);
  expect(await counted({ sort: 'count', page_size: 1 })).toEqual([[rare, 6, undefined]]);
  expect(await counted({ sort: '-count', start_time: 7_200, end_time: 9_000 })).toEqual([
    [often, 17, 10],
    [rare, 6, 6],
  ]);
  expect(await counted({ start_time: 7_300 })).toEqual([
    [often, 17, 7],
    [rare, 6, 6],
  ]);
});
