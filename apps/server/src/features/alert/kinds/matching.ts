// Conditions on what the filter of a rule matches at a moment.
import { type AlertConditionState, unixSeconds } from '@quarterdeck/core';
import { listAgents } from '../../agent/agent-list.repo.ts';
import { FLEET_NOW, fleetAt } from '../../agent/records/fleet-at.repo.ts';
import { readsOf } from './errlog-moments.ts';
import { type Explanation, isPresent, type KindNeeds, type Round, TIME_OVER, type WatchingRule } from './kind.ts';
import type { UnitDeps } from './units.ts';
import { countText } from './words.ts';

const DAY_S = 86_400;
/** Groups that are counted. */
const GROUPS_MAX = 10_000;

/** Condition: something matches. */
export const matchingCondition = (count: number, text: string): AlertConditionState => ({
  name: 'matching',
  value: count,
  limit: 0,
  met: count > 0,
  text,
});

const ofFilter = ({ filter }: Pick<WatchingRule, 'filter'>) => (filter === '' ? '' : ' that the filter matches');

/** Explains a rule by the groups that match and happened within the day before. */
export const explainGroups =
  (deps: UnitDeps) =>
  async (round: Round, rule: WatchingRule, atMs: number): Promise<Explanation> => {
    const atS = unixSeconds(atMs);
    let count = 0;
    const reads = await readsOf(deps, round, rule);
    for await (const groups of reads.recent(rule.filter, atS - DAY_S, { countedS: atS })) {
      count += groups.filter(({ firstSeen }) => firstSeen <= atS).length;
      if (count >= GROUPS_MAX || round.stopped()) break;
    }
    const some = `${count >= GROUPS_MAX ? 'At least ' : ''}${countText(count, 'group')}${ofFilter(rule)}`;
    const conditions = [matchingCondition(count, `${some} happened since a day before.`)];
    return { conditions, whyIncomplete: round.stopped() ? TIME_OVER : undefined };
  };

/** The agents at a moment, and how statuses are computed then. */
export const fleetOf = (
  { db, listeningWindow }: Pick<KindNeeds, 'db' | 'listeningWindow'>,
  round: Round,
  atMs: number,
) =>
  isPresent(round, atMs)
    ? { fleet: FLEET_NOW, moment: listeningWindow.moment() }
    : { fleet: fleetAt(db.dialect, atMs, round.nowMs), moment: { nowMs: atMs, sinceMs: 0 } };

/** Explains a rule by the agents that match at a moment, as far as their history has it. */
export const explainAgents =
  (deps: Pick<KindNeeds, 'db' | 'listeningWindow'>) =>
  async (round: Round, rule: WatchingRule, atMs: number): Promise<Explanation> => {
    const filter = { include_deleted: false, ...(rule.filter !== '' && { filter: rule.filter }) };
    const query = { filter, place: 'query', sort: '-created', detail: 0, slice: { offset: 0, limit: 0 } } as const;
    const { count } = (await listAgents(deps.db, { ...query, ...fleetOf(deps, round, atMs) })).meta;
    const isOne = count === 1;
    const text = rule.filter === '' ? `There ${isOne ? 'is' : 'are'} ${countText(count, 'agent')}.` : undefined;
    const matched = `The filter matches ${countText(count, 'agent')}.`;
    return { conditions: [matchingCondition(count, text ?? matched)] };
  };
