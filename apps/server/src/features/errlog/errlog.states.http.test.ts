// States of groups, by whom they are changed: people, lines that come again, and the clock.
import type { ErrlogChange, ErrlogEntry, ErrlogLine } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { lastingAdmin } from '../../../test/lasting-admin.ts';
import { useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const api = useApi({ ERRLOG_DAYS: '0', OCCURRENCE_DAYS: '0' });
let admin: Client;
beforeAll(async () => {
  admin = (await lastingAdmin(api)).client;
});
afterAll(async () => {
  await expectTrueCounters(api.server.deps.db, { whole: false });
});

const nowS = () => Math.floor(api.now() / 1000);
const get = (id: number) => admin.errlog.get({ params: { id } });
const stateOf = async (id: number) => (await get(id)).state;
const append = (...body: ErrlogLine[]) => admin.errlog.append({ body });

/** A group of its own: its id, and a way to let it happen again. */
async function newGroup(line: Partial<ErrlogLine> = {}) {
  const shape = { level: 4, log: word(), log_time: nowS(), ...line };
  await append(shape);
  const { data } = await admin.errlog.list({ query: { q: shape.log } });
  const [{ id }] = data as [ErrlogEntry];
  return {
    id,
    log: shape.log,
    again: (more: Partial<ErrlogLine> = {}) => append({ ...shape, log_time: nowS(), count: 1, ...more }),
    set: (body: ErrlogChange) => admin.errlog.update({ params: { id }, body }),
  };
}

describe('a group that nobody has changed', () => {
  it('is new for a day, then ongoing, whether it happens again or not', async () => {
    const quiet = await newGroup();
    const busy = await newGroup();
    expect(await get(quiet.id)).toMatchObject({ state: 'new', until: '', until_time: 0, note: '', sources: 1 });
    api.advance(DAY_MS - HOUR_MS);
    await busy.again();
    await api.server.jobs.runAll();
    expect([await stateOf(quiet.id), await stateOf(busy.id)]).toEqual(['new', 'new']);
    api.advance(HOUR_MS);
    await api.server.jobs.runAll();
    for (const { id } of [quiet, busy]) {
      const { state, state_since = 0 } = await get(id);
      expect(state).toBe('ongoing');
      expect(Math.abs(state_since - nowS())).toBeLessThan(60);
    }
    await busy.again();
    expect(await stateOf(busy.id)).toBe('ongoing');
  });

  it('is new by the clock of the server, whatever its lines say', async () => {
    const { id } = await newGroup({ log_time: 1_000 });
    await api.server.jobs.runAll();
    expect(await stateOf(id)).toBe('new');
  });
});

describe('a resolved group', () => {
  it('regresses when it happens again, and stays so', async () => {
    const group = await newGroup();
    expect((await group.set({ state: 'resolved' })).state).toBe('resolved');
    api.advance(1_000);
    await group.again();
    const { state, state_since, count } = await get(group.id);
    expect([state, count]).toEqual(['regressed', 2]);
    expect(state_since).toBeGreaterThan(0);
    await group.again();
    api.advance(2 * DAY_MS);
    await api.server.jobs.runAll();
    expect(await stateOf(group.id)).toBe('regressed');
    await group.set({ state: 'ongoing' });
    expect(await stateOf(group.id)).toBe('ongoing');
  });

  it('stays resolved when lines come late that are older, and counts them', async () => {
    const group = await newGroup();
    api.advance(HOUR_MS);
    const { state_since = 0 } = await group.set({ state: 'resolved' });
    await group.again({ log_time: state_since - 1 });
    await group.again({ log_time: 5 });
    expect(await get(group.id)).toMatchObject({ state: 'resolved', count: 3, first_seen: 5 });
    // Late ones and a new one in the same batch.
    await append({ level: 4, log: group.log, log_time: 6 }, { level: 4, log: group.log, log_time: state_since });
    expect(await get(group.id)).toMatchObject({ state: 'regressed', count: 5 });
  });
});

describe('a muted group', () => {
  it('stays muted for ever without a word, whatever happens', async () => {
    const group = await newGroup();
    expect(await group.set({ state: 'muted' })).toMatchObject({ state: 'muted', until: 'forever', until_time: 0 });
    await group.again({ count: 1_000_000 });
    api.advance(400 * HOUR_MS);
    await group.again();
    await api.server.jobs.runAll();
    expect(await get(group.id)).toMatchObject({ state: 'muted', count: 1_000_002 });
  });

  it('is ongoing when its time is over, by the clock', async () => {
    const group = await newGroup();
    const { until_time = 0 } = await group.set({ state: 'muted', until: '2h' });
    expect(Math.abs(until_time - nowS() - 7_200)).toBeLessThan(60);
    api.advance(HOUR_MS);
    await group.again();
    await api.server.jobs.runAll();
    expect(await get(group.id)).toMatchObject({ state: 'muted', until: '2h', until_time });
    api.advance(HOUR_MS + MINUTE_MS);
    await api.server.jobs.runAll();
    expect(await get(group.id)).toMatchObject({ state: 'ongoing', until: '', until_time: 0 });
  });

  it('is ongoing when its time is over and it happens, before the clock looks', async () => {
    const group = await newGroup();
    const { until_time = 0 } = await group.set({ state: 'muted', until: '30m' });
    api.advance(31 * MINUTE_MS);
    await group.again({ log_time: until_time - 1 });
    expect(await stateOf(group.id)).toBe('muted');
    await group.again({ log_time: until_time });
    expect(await get(group.id)).toMatchObject({ state: 'ongoing', until: '', until_time: 0 });
  });

  it('is ongoing once it has happened so many times more', async () => {
    const group = await newGroup({ count: 50 });
    await group.set({ state: 'muted', until: '10x' });
    await group.again({ count: 9 });
    expect(await stateOf(group.id)).toBe('muted');
    await group.again({ log_time: nowS() - DAY_MS / 1000 });
    expect(await get(group.id)).toMatchObject({ state: 'ongoing', until: '', count: 60 });
    await group.set({ state: 'muted', until: '10x' });
    await group.again({ count: 500 });
    expect(await stateOf(group.id)).toBe('ongoing');
  });

  it('is ongoing once it happens so often in so short a time', async () => {
    const group = await newGroup({ count: 1_000 });
    await group.set({ state: 'muted', until: '10x/1h' });
    // Nine an hour for five hours.
    for (let hour = 0; hour < 5; hour += 1) {
      api.advance(61 * MINUTE_MS);
      await group.again({ count: 9 });
      expect(await stateOf(group.id)).toBe('muted');
    }
    api.advance(30 * MINUTE_MS);
    await group.again();
    expect(await get(group.id)).toMatchObject({ state: 'ongoing', until: '' });
    await group.set({ state: 'muted', until: '10x/1h' });
    await append(...Array.from({ length: 10 }, () => ({ level: 4, log: group.log, log_time: nowS() })));
    expect(await stateOf(group.id)).toBe('ongoing');
  });

  it('is not woken by what happened before it was muted, or long ago, and comes late', async () => {
    const group = await newGroup({ count: 1_000 });
    await group.set({ state: 'muted', until: '10x/1h' });
    const mutedS = nowS();
    for (let hour = 0; hour < 4; hour += 1) {
      api.advance(2 * HOUR_MS);
      await group.again({ count: 5 });
    }
    await group.again({ log_time: mutedS - HOUR_MS / 1000, count: 2 });
    expect(await stateOf(group.id)).toBe('muted');
    await group.again({ log_time: mutedS + 90, count: 2 });
    expect(await stateOf(group.id)).toBe('muted');
    await group.again({ log_time: mutedS + 2 * 3_600 + 30 * 60, count: 9 });
    expect(await stateOf(group.id)).toBe('ongoing');
  });

  it('is ongoing once it happens so often, counted from the second in which it was muted', async () => {
    const group = await newGroup({ count: 1_000 });
    api.advance(5_000);
    await group.again({ count: 500 });
    api.advance(1_000);
    await group.set({ state: 'muted', until: '10x/1h' });
    for (const count of [5, 3, 1]) {
      api.advance(2_000);
      await group.again({ count });
      expect(await stateOf(group.id)).toBe('muted');
    }
    await group.again();
    expect(await stateOf(group.id)).toBe('ongoing');
  });

  it('does not regress, and is reopened by a person', async () => {
    const group = await newGroup();
    await group.set({ state: 'resolved' });
    await group.set({ state: 'muted', until: '5x' });
    await group.again();
    expect(await stateOf(group.id)).toBe('muted');
    expect(await group.set({ state: 'new' })).toMatchObject({ state: 'new', until: '', until_time: 0 });
    await group.again({ count: 100 });
    expect(await stateOf(group.id)).toBe('new');
  });

  it('is muted anew: what would have ended the old mute is forgotten', async () => {
    const group = await newGroup();
    await group.set({ state: 'muted', until: '1h' });
    await group.set({ state: 'muted', until: '5x' });
    api.advance(2 * HOUR_MS);
    await api.server.jobs.runAll();
    expect(await get(group.id)).toMatchObject({ state: 'muted', until: '5x', until_time: 0 });
    await group.set({ state: 'muted', until: 'forever' });
    await group.again({ count: 10 });
    expect(await stateOf(group.id)).toBe('muted');
  });
});

describe('GET /admin-api/log_server/errlog/{id}', () => {
  it('shows one entry with everything, and on how many sources its error is', async () => {
    const log = word();
    await append(...[1, 2, 3].map((node_id) => ({ level: 5, log, node_id, app_id: 5 })), { level: 4, log, app_id: 5 });
    const { data } = await admin.errlog.list({ query: { q: log, level: 5, detail: 1 } });
    expect(data).toHaveLength(3);
    for (const entry of data) expect(await get(entry.id)).toEqual({ ...entry, sources: 3 });
  });
});
