// The list of agents and its totals by filters, orders and the filter language, compared with the whole list.
import {
  AGENT_FIELD_NAMES,
  AGENT_FIELDS,
  type Agent,
  type AgentState,
  compileAgentFilter,
  parseFilter,
  unixSeconds,
} from '@quarterdeck/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { atMost } from '../../../../../test/thoroughness.ts';
import { agentCalls } from '../../../test/agent-calls.ts';
import type { Answer } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const api = useSteadyApi({ AGENT_INTERVAL: '3600' });
/** All agents, deleted ones too, newest first. Tests remove the agents that they add. */
let all: Agent[];
beforeAll(async () => {
  await makeFleet();
  all = await agentsBy('include_deleted=1&detail=1');
});

const { ask, agentsBy, beat } = agentCalls(api);
const _removeAgents = (ids: readonly number[]) =>
  api.server.deps.db.write((tx) => tx.prisma.agent.deleteMany({ where: { id: { in: [...ids] } } }));

const NOTES = ['', 'spare GATEWAY', '100%_sure', 'back\\slash', 'Ünïcode ÄÖ', 'it\'s; -- "quoted"'];
const KERNELS = ['6.1.0', '6.12.1', '', '5.15.0-91'];
const RACKS = ['7', '12', '3.5', 'b-2', ''];

/** Agents that differ in everything that can be filtered. */
async function makeFleet(): Promise<void> {
  for (let n = 0; n < 20; n += 1) {
    const agent = await api.agent(`node-${n % 2 === 0 ? 'even' : 'ODD'}-${n}`);
    const params = { id: agent.id };
    await beat(agent, {
      hostname: `${n % 3 === 0 ? 'Web' : 'db'}-${n % 5}`,
      ip: `192.0.2.${n}`,
      env: ['host', 'vm', 'container'][n % 3],
      system_name: n % 2 === 0 ? 'Debian GNU/Linux 13' : 'Alma Linux 9',
      autorun_tools: n % 4 === 1,
      bad_kernel: n % 4 === 0,
      package: { version: n % 3 },
      system_version: { kernel: KERNELS[n % KERNELS.length] ?? '', kernel_distro: n % 2 === 0 ? 'debian' : 'el9' },
    });
    const note = NOTES[n % NOTES.length] ?? '';
    const labels = {
      site: n % 2 === 0 ? 'north' : 'South',
      rack: RACKS[n % RACKS.length] ?? '',
      [`n${n}`]: 'a=b%',
      ...(n % 3 === 0 ? { tier: '', host: 'other' } : {}),
    };
    await api.admin.agent.update({ params, body: { note, labels, maintenance: n % 6 === 0 } });
    if (n % 7 === 3) await agent.client.agent.shutdown({ params });
    if (n % 8 === 5) await api.admin.agent.remove({ params });
    api.advance(1000);
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
  it.each(nonEmpty(flags))('select agents that are %s, or are not', async (name, isSo) => {
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

  it.each(nonEmpty(Object.entries(keys)))('by %s sort both ways, through all pages', async (name, keyOf) => {
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
});

/** Puts the time of the last report of the nth agent in the place of `Tn`. */
const withTimes = (filter: string) =>
  filter.replaceAll(/T(\d)/g, (_, n) => String(all.at(-1 - Number(n))?.last_reported));
const queryOf = (filter: string) => `detail=1&filter=${encodeURIComponent(withTimes(filter))}`;
const namesState = (filter: string) => filter.includes('deleted');

/** Ids that the evaluation in memory finds. */
function expectedIds(filter: string): number[] {
  const matches = compileAgentFilter(parseFilter(withTimes(filter), AGENT_FIELDS), unixSeconds(api.now()));
  return all.filter((agent) => (namesState(filter) || !agent.is_deleted) && matches(agent)).map(({ id }) => id);
}

/** The first refused field of a request with its message. */
const placed = ({ err }: Answer): string => `${err.fields[0].path}: ${err.fields[0].message}`;

const foundIds = async (filter: string) => (await agentsBy(queryOf(filter))).map(({ id }) => id);

describe('filter= of agents', () => {
  it.each([
    'web',
    'SITE=NORTH',
    '100%_',
    'host:web-0',
    'hostname:WEB*',
    'host:"WEB-0","db-1"',
    'node:node-odd*',
    'ip:192.0.2.3',
    'note:*',
    'note:""',
    'env:vm,host',
    'os:Debian*',
    'distribution:el9',
    'state:online',
    'state:offline,deleted',
    '-state:online',
    'online:no',
    'maintenance:yes',
    'bad_kernel:true -online:yes',
    'cloned:no',
    'autorun_tools:yes',
    'version:2',
    'version:>=1',
    'version:0..1',
    'version:*',
    'package.version:>1 interval:3600',
    'system_version.kernel:6.1*',
    'kernel:6.1*',
    'kernel:/^6\\.1\\d/',
    'kernel:"" OR kernel:5*',
    '/^(web|db)-[01]$/i',
    '/site=n/',
    'label.site:north',
    'site:north,south',
    'label.host:other',
    'host:other',
    'tier:*',
    '-tier:*',
    'label.tier:""',
    'label.none:*',
    '-label.none:x',
    'rack:>=3',
    'rack:<7',
    'rack:3..12',
    'rack:/^b/',
    '(web OR site:south) -(kernel:6* NOT version:1)',
    'since:T5',
    'seen:T2 until:T9',
    '-since:2020-01-01',
  ])('selects by %s', async (filter) => {
    expect(await foundIds(filter)).toEqual(expectedIds(filter));
  });

  it('finds some agents by most of its fields', async () => {
    for (const filter of [
      'rack:>=3',
      'kernel:/^6\\.1\\d/',
      'since:1d',
      'label.tier:""',
      'version:*',
      'state:deleted',
    ]) {
      expect(await foundIds(filter)).not.toEqual([]);
    }
  });

  const someTerm = fc.oneof(
    fc.constantFrom('web', 'NORTH', '1', '%', '_', 'ä', '/[a-c]1?/', '/ÄÖ/', '*', 'since:T4', 'until:T7'),
    fc.constantFrom('version:1', 'version:>0', 'id:>5', 'rack:>6', 'rack:<=3.5', 'kernel:/1/', 'tier:*', 'tier:""'),
    fc
      .tuple(
        fc.constantFrom('host', 'node', 'address', 'note', 'env', 'kernel', 'distribution', 'os', 'site', 'label.rack'),
        fc.constantFrom('*', '""', 'w*', 'NORTH', 'db-1', '"100%"*', '6*', 'vm,host', '"Ünïcode äö"', '7,b-2'),
      )
      .map((parts) => parts.join(':')),
    fc
      .tuple(fc.constantFrom('online', 'maintenance', 'cloned', 'bad_kernel'), fc.constantFrom('yes', 'no'))
      .map((parts) => parts.join(':')),
    fc.constantFrom('state:online', 'state:offline,pending'),
  );
  const { filter: someFilter } = fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      someTerm,
      tie('filter').map((filter) => `-(${filter})`),
      fc.tuple(tie('filter'), fc.constantFrom('OR', 'AND'), tie('filter')).map(([a, word, b]) => `(${a} ${word} ${b})`),
    ),
  }));

  it('agrees with the evaluation in memory', async () => {
    await fc.assert(
      fc.asyncProperty(someFilter, async (filter) => {
        expect(await foundIds(filter)).toEqual(expectedIds(filter));
      }),
      { numRuns: atMost(30, 600) },
    );
  });

  it('is joined with the other filters by AND, also in totals and pages', async () => {
    const ids = (await agentsBy(`${queryOf('site:north')}&env=host&online=1`)).map(({ id }) => id);
    expect(ids).toEqual(
      all
        .filter(({ labels, env, online }) => labels?.['site'] === 'north' && env === 'host' && online)
        .map(({ id }) => id),
    );
    const totals = await api.admin.agent.totals({ query: { filter: 'site:north', env: 'host', online: true } });
    expect(totals.count).toBe(ids.length);
    expect(totals.envs).toEqual([{ value: 'host', count: ids.length }]);
    const page = await api.admin.agent.list.page({ query: { filter: 'site:north', _page: 1, _pagesize: 2 } });
    expect(page.meta.count).toBe((await foundIds('site:north')).length);
  });

  it('selects the agents of a bulk change', async () => {
    const filter = { filter: 'site:north -rack:>=3' };
    const result = await api.admin.agent.bulk({ body: { filter, action: 'delete', dry_run: true } });
    expect(result.matched).toBe((await foundIds(filter.filter)).length);
    const operated = await api.admin.agent.bulk({
      body: { filter, action: 'operate', kind: 'collect_facts', dry_run: true },
    });
    expect(operated.matched).toBe(result.matched);
  });

  it.each([
    ['colour:red', 'query.filter: at character 1 ("colour"): There is no such field. Quote a text that has a colon.'],
    ['web nothing:1', 'query.filter: at character 5 ("nothing"): There is no such field.'],
    ['state:loud', 'query.filter: at character 7 ("loud"): There is no such state.'],
    ['online:maybe', 'query.filter: at character 8 ("maybe"): online: is yes or no. Allowed: yes, no.'],
    ['host:>3', 'query.filter: at character 7 ("3"): host: cannot be compared.'],
    ['kernel:/(/', 'query.filter: at character 8 ("/(/"): The expression is not valid'],
  ])('refuses %s', async (filter, message) => {
    const { status, body } = await ask('GET', `?${queryOf(filter)}`);
    expect(status).toBe(400);
    expect(body.err).toMatchObject({ code: 'validation_failed' });
    expect(placed(body)).toContain(message);
  });

  it('names the fields that there are where it refuses one', async () => {
    const { body } = await ask('GET', `?${queryOf('colour:red')}`);
    for (const name of [...AGENT_FIELD_NAMES, 'label.NAME']) expect(placed(body)).toContain(name);
  });

  it('refuses an unknown field of a bulk change with its place', async () => {
    const body = { filter: { filter: 'colour:red' }, action: 'delete', dry_run: true };
    expect(placed((await ask('POST', '/bulk', body)).body)).toContain('body.filter.filter: at character 1');
  });
});
