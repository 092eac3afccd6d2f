// Agents go online and offline: stored states, history and events, also when a clock is set.
import { afterEach, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { isOf } from '../../../test/event-calls.ts';
import { type Heard, listenEvents } from '../../../test/listen-events.ts';
import { newPlace, startApi } from '../../../test/start-api.ts';
import { removeFleet, startSteadyApi, useSteadyApi } from '../../../test/steady-api.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Twice the default interval of 30 s and half a minute. */
const WITHIN_MS = 90_000;

const api = useSteadyApi();
afterEach(() => removeFleet(api));

const { ask, beat } = agentCalls(api);

const sweep = () => api.server.jobs.runAgents();
const storedStatus = async (id: number, from = api) => {
  const agents = await from.admin.agent.list({ query: { detail: 1, include_deleted: true } });
  const agent = agents.find((row) => row.id === id);
  return [agent?.state, agent?.reason, agent?.online];
};
const ONLINE = ['online', 'reporting', true];
const LOST = ['offline', 'lost', false];
const WAITING = ['pending', 'server_restarted', false];

/** Kinds of an agent's history entries, with their fields. */
async function historyOf(agentId: number, from = api) {
  const rows = await from.server.deps.db.read.prisma.agentChange.findMany({
    where: { agentId },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ kind, field }) => (field === '' ? kind : `${kind} ${field}`)).slice(1);
}

const register = (node_id: string) => api.admin.agent.register({ body: { node_id, hostname: 'h' } });
const typesOf = (events: readonly Heard[], id: number) => events.filter(isOf(id)).map(({ type }) => type);

describe('an agent', () => {
  it('is pending after registering, online after a report, and never_reported without one', async () => {
    const [comes, never] = [await register('comes'), await register('never')];
    expect(await storedStatus(comes.id)).toEqual(['pending', 'registered', true]);
    await beat(comes);
    expect(await storedStatus(comes.id)).toEqual(ONLINE);
    api.advance(WITHIN_MS - 40_000);
    await beat(comes);
    await sweep();
    expect(await storedStatus(never.id)).toEqual(['pending', 'registered', true]);
    api.advance(41_000);
    for (const run of [async () => {}, sweep, sweep]) {
      await run();
      expect(await storedStatus(never.id)).toEqual(['offline', 'never_reported', false]);
    }
    expect(await storedStatus(comes.id)).toEqual(ONLINE);
    expect(await historyOf(never.id)).toEqual(['offline never_reported']);
    await beat(never);
    expect(await storedStatus(never.id)).toEqual(ONLINE);
    expect(await historyOf(never.id)).toEqual(['offline never_reported', 'online']);
  });

  it('is lost when silent and shut_down after a shutdown, with one event and history entry each', async () => {
    await using stream = await listenEvents(api.admin);
    const [silent, polite] = [await api.agent(), await api.agent()];
    await ask('POST', `/${polite.id}/shutdown`, undefined, polite.secret);
    await ask('POST', `/${polite.id}/shutdown`, undefined, polite.secret);
    expect(await storedStatus(polite.id)).toEqual(['offline', 'shut_down', false]);
    api.advance(WITHIN_MS + 1_000);
    expect(await storedStatus(silent.id)).toEqual(LOST);
    expect(await api.admin.agent.totals()).toMatchObject({ count: 2, online: 0 });
    await Promise.all([sweep(), sweep()]);
    await sweep();
    expect(await storedStatus(silent.id)).toEqual(LOST);
    expect(await storedStatus(polite.id)).toEqual(['offline', 'shut_down', false]);
    for (const agent of [silent, polite]) await beat(agent);
    await stream.until(() => typesOf(stream.events, polite.id).length === 4);
    for (const { id } of [silent, polite]) {
      expect(typesOf(stream.events, id)).toEqual(['agent.registered', 'agent.online', 'agent.offline', 'agent.online']);
      expect(await storedStatus(id)).toEqual(ONLINE);
    }
    expect(await historyOf(silent.id)).toEqual(['online', 'offline lost', 'online']);
    expect(await historyOf(polite.id)).toEqual(['online', 'offline shut_down', 'online']);
  });

  it('goes offline without an alarm in maintenance, but with history', async () => {
    await using stream = await listenEvents(api.admin);
    const agent = await api.agent();
    const { db } = api.server.deps;
    await db.write((tx) => tx.prisma.agent.update({ where: { id: agent.id }, data: { maintenance: true } }));
    api.advance(WITHIN_MS + 1_000);
    await sweep();
    expect(await storedStatus(agent.id)).toEqual(LOST);
    await beat(agent);
    await ask('POST', `/${agent.id}/shutdown`, undefined, agent.secret);
    await stream.until(() => typesOf(stream.events, agent.id).length === 5);
    expect(stream.events.filter(isOf(agent.id)).map(({ type, data }) => [type, data.online])).toEqual([
      ['agent.registered', true],
      ['agent.online', true],
      ['agent.changed', false],
      ['agent.changed', true],
      ['agent.changed', false],
    ]);
    expect(await historyOf(agent.id)).toEqual(['online', 'offline lost', 'online', 'offline shut_down']);
  });

  it('becomes inactive after two weeks, and is purged 30 days after its deletion', async () => {
    const [away, deleted] = [await api.agent(), await api.agent()];
    api.advance(WITHIN_MS + 1_000);
    await sweep();
    const { db } = api.server.deps;
    await api.admin.agent.remove({ params: { id: deleted.id } });
    api.advance(14 * DAY_MS - HOUR_MS);
    await sweep();
    expect(await storedStatus(away.id)).toEqual(LOST);
    api.advance(HOUR_MS);
    for (const run of [async () => {}, sweep, sweep]) {
      await run();
      expect(await storedStatus(away.id)).toEqual(['inactive', 'lost', false]);
    }
    expect(await historyOf(away.id)).toEqual(['online', 'offline lost', 'inactive lost']);
    expect(await storedStatus(deleted.id)).toEqual(['deleted', 'deleted', false]);

    await using stream = await listenEvents(api.admin);
    api.advance(16 * DAY_MS);
    await sweep();
    const counts = async (id: number) => [
      await db.read.prisma.agent.count({ where: { id } }),
      await db.read.prisma.agentChange.count({ where: { agentId: id } }),
    ];
    expect(await counts(deleted.id)).toEqual([0, 0]);
    expect(await counts(away.id)).toEqual([1, 4]);
    await stream.first(isOf(deleted.id, 'agent.removed'));
    const where = { action: 'agent.purge', targetId: deleted.id };
    expect(await db.read.prisma.audit.findMany({ where })).toMatchObject([{ actorKind: 'system' }]);
    await beat(away);
    expect(await storedStatus(away.id)).toEqual(ONLINE);
  });
});

describe('a server that was away', () => {
  it('declares no agent lost before it had time to report', async () => {
    await using place = await newPlace();
    const former = await startApi(place.sharing);
    const [back, gone] = [await former.agent(), await former.agent()];
    await former[Symbol.asyncDispose]();
    // The server starts again two hours after it stopped, and reads the clock then.
    await using later = await startSteadyApi(place.sharing, { startMs: Date.now() + 2 * HOUR_MS });
    await using stream = await listenEvents(later.admin);
    await later.server.jobs.runAgents();
    for (const { id } of [back, gone]) expect(await storedStatus(id, later)).toEqual(WAITING);
    later.advance(WITHIN_MS - 40_000);
    await agentCalls(later).beat(back);
    await later.server.jobs.runAgents();
    expect(await storedStatus(back.id, later)).toEqual(ONLINE);
    expect(await storedStatus(gone.id, later)).toEqual(WAITING);
    later.advance(41_000);
    await later.server.jobs.runAgents();
    expect(await storedStatus(gone.id, later)).toEqual(LOST);
    await stream.first(isOf(gone.id, 'agent.offline'));
    expect(typesOf(stream.events, gone.id)).toEqual(['agent.offline']);
    expect(typesOf(stream.events, back.id)).toEqual([]);
    // Subscribers were asked to read the list again.
    expect(stream.events.some(({ type, data }) => type === 'resync' && data.of === 'agent')).toBe(true);
    expect(await historyOf(back.id, later)).toEqual(['online']);
  });
});

describe('the clock of the server, set', () => {
  /** Expects the silent agent to be lost after its time, and the other never. */
  async function onlyLost(stream: Awaited<ReturnType<typeof listenEvents>>, goneId: number, aliveId: number) {
    api.advance(41_000);
    await sweep();
    expect(await storedStatus(goneId)).toEqual(LOST);
    expect(await storedStatus(aliveId)).toEqual(ONLINE);
    await stream.first(isOf(goneId, 'agent.offline'));
    expect(typesOf(stream.events, aliveId)).toEqual(['agent.registered', 'agent.online']);
  }

  it.each([HOUR_MS, DAY_MS])('forward by %i ms, loses no agent', async (stepMs) => {
    await using stream = await listenEvents(api.admin);
    const [alive, gone] = [await api.agent(), await api.agent()];
    api.advance(20_000);
    await sweep();
    api.setClock(stepMs);
    // Now, and until a report is due.
    for (const { id } of [alive, gone]) expect(await storedStatus(id)).toEqual(WAITING);
    await sweep();
    await beat(alive);
    expect(await storedStatus(alive.id)).toEqual(ONLINE);
    api.advance(WITHIN_MS - 40_000);
    await beat(alive);
    await sweep();
    expect(await storedStatus(gone.id)).toEqual(WAITING);
    await onlyLost(stream, gone.id, alive.id);
  });

  it.each([HOUR_MS, DAY_MS])('back by %i ms, keeps no agent online', async (stepMs) => {
    await using stream = await listenEvents(api.admin);
    const [alive, gone] = [await api.agent(), await api.agent()];
    api.advance(20_000);
    api.setClock(-stepMs);
    for (const { id } of [alive, gone]) expect(await storedStatus(id)).toEqual(ONLINE);
    await sweep();
    for (const { id } of [alive, gone]) expect(await storedStatus(id)).toEqual(ONLINE);
    api.advance(WITHIN_MS - 40_000);
    await beat(alive);
    await onlyLost(stream, gone.id, alive.id);
  });

  it('purges no agent for an hour', async () => {
    const agent = await api.agent();
    const { db } = api.server.deps;
    await api.admin.agent.remove({ params: { id: agent.id } });
    const count = () => db.read.prisma.agent.count({ where: { id: agent.id } });
    api.setClock(365 * DAY_MS);
    await sweep();
    expect(await count()).toBe(1);
    api.advance(HOUR_MS);
    await sweep();
    expect(await count()).toBe(0);
  });
});
