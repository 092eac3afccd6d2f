// A mute by rate, to the second.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const RATE = { count: 10, seconds: 600, until: '10x/10m' };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** A group that has been muted for an hour; `at` lets it happen so many seconds behind a second of that hour. */
async function mutedGroup() {
  const log = word();
  const line = { level: 4, log };
  await api.admin.errlog.append({ body: line });
  const [group] = (await api.admin.errlog.list({ query: { q: log } })).data;
  const params = { id: group?.id ?? 0 };
  await api.admin.errlog.update({ params, body: { state: 'muted', until: RATE.until } });
  api.advance(3_600_000);
  const base = Math.floor(api.now() / 1000) - 1_800;
  return {
    at: (...lines: [seconds: number, count: number][]) =>
      api.admin.errlog.append({ body: lines.map(([after, count]) => ({ ...line, log_time: base + after, count })) }),
    state: async () => (await api.admin.errlog.get({ params })).state,
  };
}

describe('a group that is muted by rate', () => {
  it.each([
    [RATE.seconds, 'muted'],
    [RATE.seconds - 1, 'ongoing'],
  ])('with what happened before, %i seconds ago, is %s', async (seconds, state) => {
    const { at, state: stateNow } = await mutedGroup();
    // Stored together with what counts in both cases.
    await at([0, 8], [1, 1]);
    expect(await stateNow()).toBe('muted');
    await at([seconds, 1]);
    expect(await stateNow()).toBe(state);
  });

  it.each([
    [RATE.seconds + 1, 'muted'],
    [RATE.seconds, 'ongoing'],
  ])('with what came in the same batch, %i seconds before its last line, is %s', async (seconds, state) => {
    const { at, state: stateNow } = await mutedGroup();
    await at([0, 9], [seconds, 1]);
    expect(await stateNow()).toBe(state);
  });
});
