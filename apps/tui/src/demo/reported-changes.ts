// Changes from outside of the demo, with their effects on errors.
import type { Change, ChangeEffect, ChangeEffects } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { createBuilders } from '@quarterdeck/sdk/testing';
import { DEPLOYED_AGO_S } from './agent-story.ts';
import type { Fleet } from './fleet-state.ts';
import { STORIES } from './stories.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
/** Least time after which effects are certain, seconds. */
const EARLY_S = 600;

type Given = Partial<Change> & { readonly ago: number };

const CHANGES: readonly Given[] = [
  {
    id: 6,
    ago: 320,
    kind: 'deploy',
    name: 'orders',
    before: '5.1.0',
    after: '5.1.1',
    hosts: ['api-fra-1', 'api-fra-2', 'api-fra-9'],
    unknown_hosts: ['api-fra-9'],
    service: 'orders',
    author: 'Ada Moreau',
    url: 'https://ci.example.org/runs/4471',
  },
  {
    id: 1,
    ago: DEPLOYED_AGO_S,
    kind: 'deploy',
    name: 'checkout',
    before: '2.8.4',
    after: '2.9.0',
    service: 'checkout',
    author: 'Jun Park',
    url: 'https://ci.example.org/runs/4458',
  },
  {
    id: 5,
    ago: 7 * HOUR_S,
    kind: 'flag',
    name: 'new-cart',
    before: 'off',
    after: 'on',
    labels: { tier: 'back' },
    author: 'Ada Moreau',
  },
  { id: 4, ago: 26 * HOUR_S, kind: 'firewall', name: 'egress rules', before: 'r41', after: 'r42', author: 'netops' },
  {
    id: 3,
    ago: 2 * DAY_S + 900,
    kind: 'migration',
    name: 'orders: index on customer',
    hosts: ['db-fra-1', 'db-iad-1'],
    service: 'postgresql',
    author: 'Mira Lind',
    url: 'https://git.example.org/shop/db/merge/212',
  },
  {
    id: 2,
    ago: 5 * DAY_S,
    kind: 'deploy',
    name: 'auth',
    before: '1.12.0',
    after: '1.12.3',
    hosts: ['auth-iad', 'auth-sin'],
    service: 'auth',
    author: 'Jun Park',
  },
];

/** Creates the changes, latest first. */
export function makeChanges(agents: readonly Agent[], nowS: number): Change[] {
  const { change } = createBuilders({ now: nowS * 1000 });
  const names = agents.map(({ hostname }) => hostname);
  return CHANGES.map(({ ago, ...given }) => {
    // The deployment of the story concerns all hosts of the API.
    const hosts = given.name === 'checkout' ? names.filter((name) => name.startsWith('api-')) : (given.hosts ?? []);
    const time = nowS - ago;
    return change({
      ...given,
      time,
      hosts,
      host_count: hosts.length,
      agents: hosts.length === 0 ? agents.length : hosts.filter((host) => names.includes(host)).length,
      created: time + 4,
      created_by: 'ci',
    });
  });
}

const [, CURRENCY] = STORIES;

/** An error, found by a part of its text, and its counts on the hosts of a change and on others. */
type Effect = readonly [
  text: string,
  level: number,
  verdict: ChangeEffect['verdict'],
  before: number,
  after: number,
  othersBefore: number,
  othersAfter: number,
];

/** The effects of changes, by the names of the changes. */
const EFFECTS: Readonly<Record<string, readonly Effect[]>> = {
  checkout: [
    [CURRENCY?.log ?? '', 4, 'new', 0, 412, 0, 0],
    ['payment of order', 4, 'more', 18, 96, 4, 5],
    ['connection pool', 5, 'less', 240, 6, 31, 29],
  ],
  'orders: index on customer': [['deadlock detected', 4, 'less', 61, 2, 9, 11]],
};

/** The errors of a change that became new, more or less frequent. */
const errorsOf = ({ errlog }: Fleet, { name }: Change): ChangeEffect[] =>
  (EFFECTS[name] ?? []).flatMap(([text, level, verdict, before, after, others_before, others_after]) => {
    const entry = errlog.find((one) => one.log.includes(text) && one.level === level);
    if (entry === undefined) return [];
    const { id, log, service = '' } = entry;
    return [{ id, level, log, service, verdict, before, after, others_before, others_after }];
  });

export function effectsOf(fleet: Fleet, change: Change, withinS: number, nowS: number): ChangeEffects {
  const { time, host_count: count, unknown_hosts: unknown } = change;
  const until = Math.min(nowS, Math.floor(time) + withinS);
  const errors = nowS - time < EARLY_S ? [] : errorsOf(fleet, change);
  const isWorse = errors.some(({ verdict, level }) => verdict !== 'less' && level <= 4);
  const hosts = count === 0 ? fleet.agents.length : count - unknown.length;
  const isEarly = nowS - time < EARLY_S;
  const settled = isWorse ? 'worse' : 'no_difference';
  return {
    verdict: isEarly ? 'too_early' : settled,
    settled: !isEarly,
    missing: isEarly ? ['time'] : [],
    silent: 0,
    time,
    from: Math.floor(time) - withinS,
    until,
    hosts,
    others: Math.max(0, fleet.agents.length - hosts),
    complete: true,
    errors,
  };
}
