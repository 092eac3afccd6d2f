// Filters, orders and totals of the list of agents, compared with the whole list.
import type { Agent, AgentState } from '@quarterdeck/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';

let api: TestApi;
/** All agents, deleted ones too, newest first. */
let all: Agent[];
beforeAll(async () => {
  api = await startApi();
  await makeFleet();
  all = await agentsBy('include_deleted=1&detail=1');
});
afterAll(() => api[Symbol.asyncDispose]());

const { ask, agentsBy, beat } = agentCalls(() => api);

const NOTES = ['', 'spare GATEWAY', '100%_sure', 'back\\slash', 'Ünïcode ÄÖ', "it's; -- quoted"];

/** Agents that differ in everything that can be filtered. */
async function makeFleet(): Promise<void> {
  for (let n = 0; n < 24; n += 1) {
    const agent = await api.agent(`node-${n % 2 === 0 ? 'even' : 'ODD'}-${n}`);
    const params = { id: agent.id };
    await beat(agent, {
      hostname: `${n % 3 === 0 ? 'Web' : 'db'}-${n % 5}`,
      ip: `192.0.2.${n}`,
      env: ['host', 'vm', 'container'][n % 3],
      bad_kernel: n % 4 === 0,
      package: { version: n % 3 },
      system_version: { kernel: `6.${n % 4}.0` },
    });
    const note = NOTES[n % NOTES.length] ?? '';
    const labels = { site: n % 2 === 0 ? 'north' : 'south', ...(n % 3 === 0 ? { tier: '' } : {}), [`n${n}`]: 'a=b%' };
    await api.admin.agent.update({ params, body: { note, labels, maintenance: n % 6 === 0 } });
    if (n % 7 === 3) await agent.client.agent.shutdown({ params });
    if (n % 8 === 5) await api.admin.agent.remove({ params });
  }
  const { db } = api.server.deps;
  const [{ id } = { id: 0 }] = await agentsBy('');
  await db.write((tx) => tx.prisma.agent.update({ where: { id }, data: { clonedMs: BigInt(api.now()) } }));
}

const idsBy = async (query: string) => (await agentsBy(query)).map(({ id }) => id);
const present = () => all.filter(({ is_deleted }) => !is_deleted);
const idsOf = (agents: readonly Agent[]) => agents.map(({ id }) => id);
const lower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Texts that `q` searches. */
const textsOf = (agent: Agent) => [
  agent.hostname,
  agent.node_id,
  agent.ip,
  agent.note,
  ...Object.entries(agent.labels ?? {}).map(([name, value]) => `${name}=${value}`),
];

describe('the filters of GET /api/agents', () => {
  const flags: readonly [string, (agent: Agent) => boolean | undefined][] = [
    ['online', ({ online }) => online],
    ['bad_kernel', ({ bad_kernel }) => bad_kernel],
    ['maintenance', ({ maintenance }) => maintenance],
    ['cloned', ({ cloned }) => cloned],
  ];
  it.each(flags)('select agents that are %s, or are not', async (name, isSo) => {
    const wanted = present();
    expect(await idsBy(`${name}=1`)).toEqual(idsOf(wanted.filter((agent) => isSo(agent) === true)));
    expect(await idsBy(`${name}=0`)).toEqual(idsOf(wanted.filter((agent) => isSo(agent) === false)));
    expect(await idsBy(`${name}=1`)).not.toEqual([]);
    expect(await idsBy(`${name}=`)).toEqual(idsOf(wanted));
  });

  it('select one state or several, deleted agents where the states name them', async () => {
    const inState = (...states: AgentState[]) =>
      idsOf(all.filter(({ state }) => state !== undefined && states.includes(state)));
    for (const state of ['online', 'offline', 'deleted'] as const) {
      expect(await idsBy(`state=${state}`)).toEqual(inState(state));
      expect(inState(state)).not.toEqual([]);
    }
    expect(await idsBy('state=deleted,offline')).toEqual(inState('offline', 'deleted'));
    expect(await idsBy('state=pending,inactive')).toEqual([]);
    expect((await ask('GET', '?state=online,gone')).body.err.fields[0].path).toBe('query.state');
  });

  it('match environment and kernel exactly', async () => {
    expect(await idsBy('env=vm')).toEqual(idsOf(present().filter(({ env }) => env === 'vm')));
    expect(await idsBy('kernel=6.1.0')).toEqual(
      idsOf(present().filter(({ system_version }) => system_version.kernel === '6.1.0')),
    );
    expect(await idsBy('env=v')).toEqual([]);
    expect(await idsBy('kernel=6.1')).toEqual([]);
  });

  it('match all given labels, by name or by name and value', async () => {
    const by = (fits: (labels: Record<string, string>) => boolean) =>
      idsOf(present().filter(({ labels }) => fits(labels ?? {})));
    expect(await idsBy('label=tier')).toEqual(by(({ tier }) => tier !== undefined));
    expect(await idsBy('label=tier=')).toEqual(by(({ tier }) => tier === ''));
    expect(await idsBy('label=site=north')).toEqual(by(({ site }) => site === 'north'));
    expect(await idsBy('label=site=north,tier')).toEqual(by(({ site, tier }) => site === 'north' && tier === ''));
    expect(await idsBy(`label=${encodeURIComponent('n2=a=b%')}`)).toHaveLength(1);
    for (const none of ['site=north,site=south', 'site=nor', 'Site=north', 'site=%25']) {
      expect(await idsBy(`label=${none}`), none).toEqual([]);
    }
    for (const wrong of [',', 'a,,b', '=x', '-a', `${'a,'.repeat(10)}a`]) {
      expect((await ask('GET', `?label=${wrong}`)).body.err.fields[0].path, wrong).toBe('query.label');
    }
  });

  it('find a substring literally, ignoring the case of A to Z', async () => {
    for (const q of [
      'web',
      'WEB-1',
      'EVEN',
      '192.0.2.1',
      'gateway',
      '%',
      '%_',
      '\\',
      "';",
      'ünï',
      'ÜNÏ',
      'site=NOR',
      '=',
      'tier',
    ]) {
      const fits = (text: string) => lower(text).includes(lower(q));
      const wanted = idsOf(present().filter((agent) => textsOf(agent).some(fits)));
      expect(await idsBy(`q=${encodeURIComponent(q)}`), q).toEqual(wanted);
    }
    expect(await idsBy('q=w_b')).toEqual([]);
    expect(await idsBy(`q=${encodeURIComponent('Ünï')}`)).not.toEqual([]);
  });

  it('combine, and the total counts the result', async () => {
    const query = 'label=site=north&env=host&online=1&q=web&maintenance=1';
    const wanted = present().filter(
      (agent) =>
        agent.labels?.['site'] === 'north' &&
        agent.env === 'host' &&
        agent.online &&
        agent.maintenance &&
        textsOf(agent).some((text) => lower(text).includes('web')),
    );
    expect(wanted).not.toEqual([]);
    const { body, headers } = await ask('GET', `?${query}&_pagesize=1`);
    expect([headers.get('x-total-count'), body.data.length]).toEqual([String(wanted.length), 1]);
    const page = await api.admin.agent.list.page({
      query: { label: 'site=north', env: 'host', online: true, q: 'web', maintenance: true },
    });
    expect([idsOf(page.data), page.meta.count]).toEqual([idsOf(wanted), wanted.length]);
  });
});

describe('the orders of GET /api/agents', () => {
  const keys: Readonly<Record<string, (agent: Agent) => string | number>> = {
    created: ({ created }) => created,
    hostname: ({ hostname }) => hostname,
    last_reported: ({ last_reported }) => last_reported,
    state_since: ({ state_since = 0 }) => state_since,
    kernel: ({ system_version }) => system_version.kernel,
    package: ({ package: { version } }) => version,
  };

  it.each(Object.entries(keys))('by %s sort both ways, through all pages', async (name, keyOf) => {
    // Shown in whole seconds, ordered by milliseconds.
    const compare = (a: Agent, b: Agent) => Number(keyOf(a) > keyOf(b)) - Number(keyOf(a) < keyOf(b));
    const up = await agentsBy(`sort=${name}&detail=1`);
    expect(up).toEqual(up.toSorted(compare));
    expect(idsOf(up).toSorted((a, b) => b - a)).toEqual(idsOf(present()).toSorted((a, b) => b - a));
    expect(await idsBy(`sort=-${name}`)).toEqual(idsOf(up).toReversed());
    const paged: number[] = [];
    for (let page = 1; paged.length < up.length; page += 1) {
      const { body } = await ask('GET', `?sort=${name}&_page=${page}&_pagesize=7`);
      expect(body.data.length).toBeGreaterThan(0);
      paged.push(...body.data.map(({ id }: Agent) => id));
    }
    expect(paged).toEqual(idsOf(up));
  });

  it('accept the named orders alone', async () => {
    for (const sort of ['node_id', '-', 'hostname,id', 'HOSTNAME']) {
      expect((await ask('GET', `?sort=${sort}`)).body.err.fields[0].path).toBe('query.sort');
    }
  });
});

describe('GET /api/agents/totals', () => {
  /** The totals of some agents, counted one by one. */
  function totalsOf(agents: readonly Agent[]) {
    const counted = (values: readonly string[]) =>
      [...Map.groupBy(values, (value) => value)]
        .map(([value, { length: count }]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
    const flagged = (fits: (agent: Agent) => boolean | undefined) => agents.filter(fits).length;
    return {
      count: agents.length,
      online: flagged(({ online }) => online),
      bad_kernel: flagged(({ bad_kernel }) => bad_kernel),
      maintenance: flagged(({ maintenance }) => maintenance),
      cloned: flagged(({ cloned }) => cloned),
      states: counted(agents.map(({ state = 'pending' }) => state)).map(({ value, count }) => ({
        state: value,
        count,
      })),
      envs: counted(agents.map(({ env }) => env)),
      kernels: counted(agents.map(({ system_version }) => system_version.kernel)),
      packages: counted(agents.map(({ package: { version } }) => String(version))),
      systems: counted(agents.map(({ system_name }) => system_name)),
      labels: counted(
        agents.flatMap(({ labels = {} }) =>
          Object.entries(labels).map(([name, value]) => (value === '' ? name : `${name}=${value}`)),
        ),
      ),
    };
  }

  it('counts exactly the list of the same filter', async () => {
    expect(await api.admin.agent.totals()).toEqual(totalsOf(present()));
    for (const query of [
      'include_deleted=1',
      'state=deleted',
      'label=site=north',
      'online=0',
      'q=web&env=host',
      'q=none',
    ]) {
      const { body } = await ask('GET', `/totals?${query}`);
      expect(body.data, query).toEqual(totalsOf(await agentsBy(`detail=1&${query}`)));
    }
  });

  it('agrees with the list after every agent went silent', async () => {
    await using own = await startApi();
    const calls = agentCalls(() => own);
    for (let n = 0; n < 3; n += 1) await own.agent();
    expect(await own.admin.agent.totals()).toMatchObject({ count: 3, online: 3 });
    await own.server.jobs.runAll();
    own.advance(10 * 60_000);
    const totals = await own.admin.agent.totals();
    expect(totals).toEqual(totalsOf(await calls.agentsBy('detail=1')));
    expect(totals.online).toBe(0);
  });
});
