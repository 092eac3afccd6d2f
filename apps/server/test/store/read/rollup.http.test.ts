// The roll-up over sources: what is one error, and what is not.
import { beforeAll, describe, expect, it } from 'vitest';
import { PORTION } from '../../../../../packages/store/src/read/ordered-scan.ts';
import { nonEmpty } from '../../../../../test/non-empty.ts';
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

const ERRORS = 2 * PORTION + 60;
const SOURCES = [1, 2, 3];
/** Groups of one batch. */
const AT_ONCE = 1_000;

/** Stores {@link ERRORS} errors of a service, some in the same second, on each source; the newest comes last. */
async function storeErrors(service: string, sources: readonly number[]): Promise<string[]> {
  const logs = Array.from({ length: ERRORS }, word);
  const lines = logs.flatMap((log, i) =>
    sources.map((node_id) => ({
      level: 4 + (i % 2),
      service,
      log,
      node_id,
      count: 1 + ((7 * i) % ERRORS),
      log_time: 1_000 + (i >> 1),
    })),
  );
  for (let at = 0; at < lines.length; at += AT_ONCE) {
    await storeGroups(api.server.deps.db, lines.slice(at, at + AT_ONCE));
  }
  return logs;
}

const pageOf = (query: object) => api.admin.errlog.list({ query: { detail: 1, ...query } });

describe('pages of many errors', () => {
  const [onOne, onAll] = [word(), word()];
  /** Texts, the newest first. */
  let logs: string[];
  beforeAll(async () => {
    await storeErrors(onOne, [1]);
    await storeErrors(onAll, SOURCES);
    // The order of groups that tie is that of their ids.
    const { data } = await pageOf({ service: onAll, page_size: 10_000 });
    logs = [...new Set(data.map(({ log }) => log))];
  });

  const STARTS = [0, PORTION - 7, PORTION, PORTION + 20, ERRORS - PORTION - 7, ERRORS - 7, ERRORS];

  it.each(nonEmpty(STARTS))('of several sources have each error once, from %i on', async (start) => {
    const query = { rollup: true, service: onAll, start, end: start + 7 };
    const { data, meta } = await pageOf(query);
    expect(meta).toEqual({ count: ERRORS });
    expect(data.map(({ log }) => log)).toEqual(logs.slice(start, start + 7));
    for (const { sources } of data) expect(sources).toBe(SOURCES.length);
    const ofLevel = await pageOf({ ...query, level_max: 7 });
    expect(ofLevel.data).toEqual(data);
  });

  it.each(nonEmpty(STARTS))('of one source are those of the groups, from %i on', async (start) => {
    const query = { service: onOne, start, end: start + 7 };
    const { data, meta } = await pageOf(query);
    const rolledUp = await pageOf({ ...query, rollup: true });
    expect(rolledUp).toEqual({ data: data.map((group) => ({ ...group, sources: 1 })), meta });
    const basic = { ...query, detail: 0 };
    expect((await pageOf({ ...basic, rollup: true })).data).toEqual((await pageOf(basic)).data);
  });

  it('are complete where a span or a state narrows them', async () => {
    const query = { rollup: true, service: onAll, start: PORTION, end: PORTION + 7 };
    const { data } = await pageOf(query);
    for (const filter of [{ state: 'new' }, { start_time: 1 }]) {
      const { data: narrowed, meta } = await pageOf({ ...query, ...filter });
      expect(narrowed.map(({ id }) => id)).toEqual(data.map(({ id }) => id));
      expect(meta).toMatchObject({ count: ERRORS });
      expect(meta).not.toHaveProperty('capped');
    }
  });

  it('in the order of counts have the most frequent errors first, or the rarest', async () => {
    const [most, least] = [{ sort: '-count' }, { sort: 'count' }].map((order) =>
      pageOf({ ...order, rollup: true, service: onAll, page_size: 3 }),
    );
    expect((await most)?.data.map(({ count }) => count)).toEqual([0, 1, 2].map((i) => 3 * (ERRORS - i)));
    expect((await least)?.data.map(({ count }) => count)).toEqual([3, 6, 9]);
  });

  it('have an error of one source once as soon as another source has it', async () => {
    const service = word();
    const [first = '', second = ''] = [word(), word()];
    const line = (log: string, node_id: number, log_time: number) => ({ level: 4, service, log, node_id, log_time });
    await storeGroups(api.server.deps.db, [line(first, 1, 1_000), line(second, 1, 2_000)]);
    const shown = async () => {
      const { data, meta } = await pageOf({ rollup: true, service });
      return [meta.count, ...data.map(({ log, sources }) => [log, sources])];
    };
    expect(await shown()).toEqual([2, [second, 1], [first, 1]]);
    await storeGroups(api.server.deps.db, [line(first, 2, 3_000)]);
    expect(await shown()).toEqual([2, [first, 2], [second, 1]]);
  });
});
