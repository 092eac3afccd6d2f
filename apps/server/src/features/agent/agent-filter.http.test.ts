// The filter language over agents: SQL agrees with the evaluation in memory, on both databases.
import {
  AGENT_FIELD_NAMES,
  AGENT_FIELDS,
  type Agent,
  compileAgentFilter,
  parseFilter,
  unixSeconds,
} from '@quarterdeck/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { agentCalls } from '../../../test/agent-calls.ts';
import { type Answer, startApi, type TestApi } from '../../../test/start-api.ts';
import { cached } from '../../sql/cached.ts';

let api: TestApi;
/** All agents, deleted ones too, newest first. */
let all: Agent[];
beforeAll(async () => {
  api = await startApi({ AGENT_INTERVAL: '3600' });
  await makeFleet();
  all = await agentsBy('include_deleted=1&detail=1');
});
afterAll(() => api[Symbol.asyncDispose]());

const { ask, agentsBy, beat, storeAgents } = agentCalls(() => api);

const NOTES = ['', 'spare GATEWAY', '100%_sure', 'back\\slash', 'Ünïcode ÄÖ', 'it\'s; -- "quoted"'];
const KERNELS = ['6.1.0', '6.12.1', '', '5.15.0-91'];
const RACKS = ['7', '12', '3.5', 'b-2', ''];

async function makeFleet(): Promise<void> {
  for (let n = 0; n < 18; n += 1) {
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
      ...(n % 3 === 0 ? { tier: '', host: 'other' } : {}),
    };
    await api.admin.agent.update({ params, body: { note, labels, maintenance: n % 6 === 0 } });
    if (n % 7 === 3) await agent.client.agent.shutdown({ params });
    if (n % 8 === 5) await api.admin.agent.remove({ params });
    api.advance(1000);
  }
}

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
      'since:5s',
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
      { numRuns: atMost(60, 600) },
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

describe('many expressions over many values', () => {
  const NOTE_LENGTH = 10_000;
  const AGENTS = 250;
  const either = (terms: readonly string[]) => terms.map((term) => `note:${term}`).join(' OR ');

  beforeAll(async () => {
    await storeAgents(AGENTS);
    const fill = cached("UPDATE agent SET note = ? || id WHERE note = ''");
    await api.server.deps.db.write((tx) => tx.sql.run(fill, 'x'.repeat(NOTE_LENGTH)));
  });

  it('find agents one by one', async () => {
    expect(await foundIds('note:/x\\d+$/')).toHaveLength((await foundIds('note:xx*')).length);
    expect((await foundIds('note:xx*')).length).toBeGreaterThanOrEqual(AGENTS);
  });

  it.each([
    ['that take too long together', ['/y(a?){28}z/', '/z(a?){28}y/', '/y(b?){28}z/', '/z(b?){28}y/']],
    ['that match too many values together', Array.from({ length: 10 }, (_, n) => `/x{${n + 1}}/`)],
  ])('are refused %s', async (_, terms) => {
    expect((await ask('GET', `?${queryOf(either(terms.slice(0, 1)))}`)).status).toBe(200);
    const { status, body } = await ask('GET', `?${queryOf(either(terms))}`);
    expect(status).toBe(400);
    expect(placed(body)).toContain('query.filter: The expressions take too long over the values of all agents.');
  });
});

describe('filter= with at=', () => {
  it('selects by the values of that time', async () => {
    const agent = await api.agent('node-moved');
    await beat(agent, { hostname: 'before', system_version: { kernel: '1.0.0' } });
    await api.admin.agent.update({ params: { id: agent.id }, body: { labels: { place: 'old' } } });
    api.advance(60_000);
    const then = unixSeconds(api.now());
    api.advance(60_000);
    await beat(agent, { hostname: 'after', system_version: { kernel: '2.0.0' } });
    await api.admin.agent.update({ params: { id: agent.id }, body: { labels: { place: 'new' } } });
    const idsAt = async (filter: string, at = '') => (await agentsBy(`${queryOf(filter)}${at}`)).map(({ id }) => id);
    for (const [now, past] of [
      ['host:after', 'host:before'],
      ['kernel:/^2/', 'kernel:/^1/'],
      ['place:new', 'place:old'],
    ] as const) {
      expect([await idsAt(now), await idsAt(past)]).toEqual([[agent.id], []]);
      expect([await idsAt(now, `&at=${then}`), await idsAt(past, `&at=${then}`)]).toEqual([[], [agent.id]]);
      const totals = await api.admin.agent.totals({ query: { filter: past, at: then } });
      expect(totals.count).toBe(1);
    }
  });
});
