import { afterEach, beforeEach, expect, it } from 'vitest';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import { openListenerLosses } from './listener-losses.ts';

const SYSLOG = { SYSLOG_PORT: '0' };

let api: TestApi;
beforeEach(async () => {
  api = await startApi(SYSLOG);
});
afterEach(() => api[Symbol.asyncDispose]());

const ledger = async () => (await api.admin.ledger.list()).meta;

it('writes the losses of listeners with their span, none twice, and later those that cannot be written', async () => {
  const { deps } = api.server;
  let isDown = false;
  const write: typeof deps.db.write = (...args) =>
    isDown ? Promise.reject(new Error('down')) : deps.db.write(...args);
  const db = Object.create(deps.db, { write: { value: write } });
  const losses = await openListenerLosses({ ...deps, db });
  losses.note('udp', 3, 10);
  losses.note('refused', 1, 0);
  losses.note('udp', 4, 0);
  await losses.flush();
  await losses.flush();
  isDown = true;
  losses.note('udp', 2, 0);
  await losses.flush();
  losses.note('udp', 3, 0);
  await losses.flush();
  isDown = false;
  await losses.close();
  const { complete, gaps } = await ledger();
  expect(complete).toBe(false);
  const ofListeners = gaps.filter(({ stage }) => stage !== 'down');
  expect(ofListeners).toMatchObject([
    { src: 0, stage: 'udp', lines: 12 },
    { src: 0, stage: 'refused', lines: 1 },
  ]);
  const [udp] = ofListeners;
  expect((udp?.end_time ?? 0) - (udp?.start_time ?? 0)).toBeGreaterThanOrEqual(10);
});

it('shows the time in which no server received syslog as a gap of all sources but agents', async () => {
  const agent = await api.agent();
  for (const client of [api.admin, agent.client]) {
    await client.errlog.append({ body: [{ level: 4, log: 'one', host: 'gw1' }] });
  }
  const { data: sources } = await api.admin.errlog.sources();
  const ofAgent = sources.find(({ agent_id }) => agent_id === agent.id)?.id ?? -1;
  const other = sources.find(({ name }) => name === 'gw1')?.id ?? -1;
  expect(await ledger()).toEqual({ complete: true, gaps: [] });
  const stoppedS = Math.floor(api.now() / 1000);
  await api.server.stop();
  const AWAY_S = 3600;
  const again = await startApi({ ...SYSLOG, ...api.sharing }, { startMs: (stoppedS + AWAY_S) * 1000 });
  try {
    const gapsOf = async (src: number) => (await again.admin.ledger.list({ query: { src } })).meta.gaps;
    const [gap, ...more] = await gapsOf(other);
    expect(more).toEqual([]);
    expect(gap).toMatchObject({ src: 0, stage: 'down', lines: null });
    expect(gap?.start_time).toBeGreaterThanOrEqual(stoppedS);
    expect(gap?.end_time).toBeGreaterThanOrEqual(stoppedS + AWAY_S);
    expect(await gapsOf(ofAgent)).toEqual([]);
  } finally {
    await again.server.stop();
  }
});

it.runIf(DIALECT === 'postgresql')('takes no gap for another server that listens', async () => {
  await (await openListenerLosses(api.server.deps)).close();
  expect(await ledger()).toEqual({ complete: true, gaps: [] });
});
