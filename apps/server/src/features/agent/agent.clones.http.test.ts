import { describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { isOf } from '../../../test/event-calls.ts';
import { listenEvents } from '../../../test/listen-events.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const HOUR_MS = 3_600_000;

const api = useSteadyApi();

const { agentOf, beat } = agentCalls(api);

/** Registers by force: a refusal would keep the two hosts apart. */
const register = (node_id: string, hostname = 'h') =>
  api.admin.agent.register({ body: { node_id, hostname, force: true } });
const isCloned = async (id: number) => (await agentOf(id, 'detail=1')).cloned;
const clonesIn = (agentId: number) =>
  api.server.deps.db.read.prisma.agentChange.count({ where: { agentId, kind: 'cloned' } });

/** Waits for the writes of clones, which run after the answers. */
const written = () => api.server.deps.db.write(async () => {});

describe('two hosts with one node_id', () => {
  it('show when they register in turn, once in the history', async () => {
    await using stream = await listenEvents(api.admin);
    let [one, two] = [await register('twins', 'a'), await register('twins', 'a')];
    await beat(two);
    const { id } = two;
    expect(await isCloned(id)).toBe(false);
    for (let round = 0; round < 6; round += 1) {
      api.advance(120_000);
      await beat(two);
      // The other host is refused and registers again.
      expect((await beat(one)).status).toBe(401);
      await written();
      one = await register('twins', 'b');
      await beat(one);
      [one, two] = [two, one];
    }
    expect(await isCloned(id)).toBe(true);
    expect(await clonesIn(id)).toBe(1);
    const cloned = await stream.first((event) => isOf(id, 'agent.changed')(event) && event.data.cloned === true);
    expect(cloned.data.id).toBe(id);

    // One of the hosts has gone.
    api.advance(HOUR_MS);
    await beat(two);
    expect(await isCloned(id)).toBe(false);
    await api.server.jobs.runAgents();
    await stream.first(
      (event) => Number(event.id) > Number(cloned.id) && isOf(id)(event) && event.data.cloned === false,
    );
    expect(await clonesIn(id)).toBe(1);
  });

  it('show by alternating starts when they share a secret, without history of their facts', async () => {
    const agent = await api.agent();
    const [a, b] = [
      { started: 1_000, ip: '192.0.2.1' },
      { started: 2_000, ip: '192.0.2.2' },
    ];
    for (const report of [a, b]) await beat(agent, report);
    expect(await isCloned(agent.id)).toBe(false);
    await beat(agent, a);
    expect(await isCloned(agent.id)).toBe(true);
    const { agentChange } = api.server.deps.db.read.prisma;
    const before = await agentChange.count({ where: { agentId: agent.id } });
    for (const report of [b, a, b, a]) await beat(agent, report);
    expect(await agentChange.count({ where: { agentId: agent.id } })).toBe(before);
    expect(await clonesIn(agent.id)).toBe(1);
    expect((await agentOf(agent.id)).ip).toBe('192.0.2.1');
  });
});

describe('one host', () => {
  it('is no clone of itself if it could not save its new secret', async () => {
    const first = await register('lost-state');
    await beat(first);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await register('lost-state');
      // The agent was stopped before it saved the secret, and continues with the old one.
      expect((await beat(first)).status).toBe(401);
      await written();
      expect(await isCloned(first.id)).toBe(false);
    }
    const saved = await register('lost-state');
    await beat(saved);
    expect(await isCloned(first.id)).toBe(false);
    // Only another host can still use the first secret.
    expect((await beat(first)).status).toBe(401);
    await expect.poll(() => isCloned(first.id)).toBe(true);
  });

  it('is no clone of a former host', async () => {
    const first = await register('replaced');
    await beat(first);
    const second = await register('replaced');
    await beat(second);
    api.advance(HOUR_MS);
    expect((await beat(first)).status).toBe(401);
    await written();
    expect(await isCloned(first.id)).toBe(false);
  });
});
