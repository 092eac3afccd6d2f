// The fleet at a moment, compared with answers that were recorded then: random changes of agents and of the clock.
import type { Agent, AgentTotals } from '@quarterdeck/core';
import { statement } from '@quarterdeck/core/db';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { agentCalls } from '../../../test/agent-calls.ts';
import { DIALECT, type TestApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { fleetAt } from './records/fleet-at.repo.ts';

const STEPS = atMost(25, 150);
const MOMENTS = atMost(15, 150);
const SECOND_MS = 1_000;
const STEP_MS = 50;
const JOBS_MS = 750;

type OwnAgent = Awaited<ReturnType<TestApi['agent']>>;

interface Recorded {
  /** Unix seconds. */
  readonly at: number;
  readonly agents: Agent[];
  readonly totals: AgentTotals;
}

const api = useSteadyApi();

const { agentsBy, beat } = agentCalls(api);

const ALL = 'include_deleted=1&detail=1&sort=created';

/** Lets the clock go on to a fraction of a second: of a step, then of the jobs, then of the moment that is recorded. */
const goOnTo = (ms: number) => api.advance((SECOND_MS + ms - (api.now() % SECOND_MS)) % SECOND_MS);

/** Registers an agent that has reported its start, as agents do. */
async function newAgent(): Promise<OwnAgent> {
  const agent = await api.agent();
  await beat(agent, { started: 1 });
  return agent;
}

async function record(): Promise<Recorded> {
  goOnTo(JOBS_MS);
  await api.server.jobs.runAgents();
  goOnTo(0);
  const totals = await api.admin.agent.totals({ query: { include_deleted: true } });
  return { at: Math.floor(api.now() / SECOND_MS), agents: await agentsBy(ALL), totals };
}

/** An agent without the fields that no history has. */
function known(agent: Agent): Partial<Agent> {
  const {
    unknown: _,
    modified,
    progress,
    interval,
    shipper,
    cloned,
    enrollment_id,
    boot_time,
    last_reported,
    ...rest
  } = agent;
  return rest;
}

type Step = (agent: OwnAgent) => Promise<unknown>;

const word = fc.constantFrom('a', 'b', 'c', '');
const reports = <T extends object>(facts: fc.Arbitrary<T>) =>
  facts.map(
    (each): Step =>
      (agent) =>
        beat(agent, each),
  );
/** A change by an administrator. */
const updates = (bodies: fc.Arbitrary<NonNullable<Parameters<TestApi['admin']['agent']['update']>[0]['body']>>) =>
  bodies.map(
    (body): Step =>
      ({ id }) =>
        api.admin.agent.update({ params: { id }, body }),
  );
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: reports(fc.record({ system_version: fc.record({ kernel: word, libc: word }) })) },
  reports(fc.record({ hostname: fc.constantFrom('x', 'y'), ip: word, env: word, system_name: word })),
  reports(fc.record({ package: fc.record({ version: fc.nat(3), timestamp: fc.nat(3) }) })),
  // Each start is a later one: starts that alternate are those of two hosts, whose differences are not stored.
  fc.constantFrom(1_000, 5_000).map(
    (boot_time): Step =>
      (agent) =>
        beat(agent, { boot_time, started: Math.floor(api.now() / SECOND_MS) }),
  ),
  reports(fc.boolean().map((bad) => ({ bad_kernel: bad, catch_transient_event: bad }))),
  updates(fc.record({ note: word, maintenance: fc.boolean(), autorun_tools: fc.boolean() })),
  updates(fc.record({ labels: fc.dictionary(fc.constantFrom('site', 'tier', 'a.b'), word) })),
  fc.constant<Step>((agent) => agent.client.agent.shutdown({ params: { id: agent.id } })),
  fc.constant<Step>((agent) => api.admin.agent.remove({ params: { id: agent.id } })),
  fc.constant<Step>((agent) => api.admin.agent.restore({ params: { id: agent.id } })),
);

describe('the fleet at a moment', () => {
  it('is what the lists and totals showed then', async () => {
    const random = fc.sample(fc.tuple(steps, fc.nat(7), fc.constantFrom(0, 1, 1, 2, 40, 200)), {
      numRuns: STEPS,
      seed: 16,
    });
    const fleet = await Promise.all(Array.from({ length: 8 }, newAgent));
    const recorded: Recorded[] = [];
    for (const [step, n, passed] of random) {
      const agent = fleet[n];
      goOnTo(STEP_MS);
      // Of a deleted agent most steps are refused, and change nothing.
      if (agent !== undefined) await step(agent).catch(() => undefined);
      recorded.push(await record());
      api.advance(passed * SECOND_MS);
      goOnTo(STEP_MS);
      if (n === 0) fleet.push(await newAgent());
    }
    for (const { at, agents, totals } of fc.sample(fc.constantFrom(...recorded), { numRuns: MOMENTS, seed: 1 })) {
      const then = await agentsBy(`${ALL}&at=${at}`);
      expect(then.map(known), String(at)).toEqual(agents.map(known));
      const { cloned: _, ...counted } = await api.admin.agent.totals({ query: { include_deleted: true, at } });
      expect(counted).toEqual({ ...counted, ...totals, cloned: undefined });
      for (const { id } of agents.slice(0, 1)) {
        const one = await api.admin.agent.get({ params: { id }, query: { detail: 1, include_deleted: true, at } });
        expect(known(one)).toEqual(known(agents[0] as Agent));
      }
    }
  });

  it.runIf(DIALECT === 'sqlite')('searches every difference by an index of its own', async () => {
    const { clause } = fleetAt('sqlite', 0, 0);
    const explain = statement(`EXPLAIN QUERY PLAN ${clause}SELECT a.kernel, a.state, l.value
      FROM agent a JOIN agent_label l ON l.agent_id = a.id`);
    const plan = await api.server.deps.db.read.sql.all<{ detail: string }>(explain, 0);
    const steps = plan.map(({ detail }) => detail);
    for (const columns of ['field_agent_id_time_ms_id', 'agent_id_time_ms_id', 'agent_id_field_time_ms_id'])
      expect(steps.join('\n')).toMatch(new RegExp(`INDEX agent_change_${columns}_idx`));
    expect(steps.filter((step) => /^SCAN [cps]( |$)/.test(step))).toEqual([]);
  });

  it('names what is not known', async () => {
    const agent = await api.agent();
    api.advance(SECOND_MS);
    const at = Math.floor(api.now() / SECOND_MS);
    api.advance(SECOND_MS);
    await beat(agent, { system_version: { kernel: 'later' } });
    const { db } = api.server.deps;
    const get = () => api.admin.agent.get({ params: { id: agent.id }, query: { at } });
    expect((await get()).unknown).toEqual(expect.arrayContaining(['last_reported', 'progress']));
    expect((await get()).unknown).not.toContain('system_version.kernel');
    const historyFromMs = BigInt(api.now());
    await db.write((tx) => tx.prisma.agent.update({ where: { id: agent.id }, data: { historyFromMs } }));
    expect((await get()).unknown).toContain('system_version.kernel');
  });

  it('has no agents from before their registration', async () => {
    const before = Math.floor(api.now() / SECOND_MS) - 1;
    const agent = await api.agent();
    await expect(api.admin.agent.get({ params: { id: agent.id }, query: { at: before } })).rejects.toMatchObject({
      status: 404,
    });
    expect((await agentsBy(`${ALL}&at=${before}`)).map(({ id }) => id)).not.toContain(agent.id);
  });
});
