// Numbers of the units that a rule counts by, at a moment: those with the most occurrences.
import { type AlertConditionState, unixSeconds } from '@quarterdeck/core';
import { errlogStore, minuteOf } from '@quarterdeck/store';
import { type Explanation, isPresent, type Round, TIME_OVER, type WatchingRule } from './kind.ts';
import { matchingCondition } from './matching.ts';
import { minutesOfUnits, sumOf, type Unit, type UnitDeps, unitName, unitsSince } from './units.ts';
import { countText, durationText } from './words.ts';

/** Units whose numbers are shown. */
const SHOWN = 3;

/** A unit with its name for people. */
export type NamedUnit = Unit & { readonly name: string };

/** Occurrences of a unit within the time of a rule, against its limit. */
export const countCondition = (
  { count, withinS }: Pick<WatchingRule, 'count' | 'withinS'>,
  { n, name }: Pick<NamedUnit, 'n' | 'name'>,
): AlertConditionState => {
  const value = Math.round(n);
  const text = `${countText(value, 'occurrence')} in ${durationText(withinS * 1000)}, more than ${count} are needed: ${name}`;
  return { name: 'count', value, limit: count, met: value > count, text };
};

/** Explains a rule by the units with the most occurrences; `more` adds conditions of one unit. */
export async function explainUnits(
  deps: UnitDeps,
  round: Round,
  rule: WatchingRule,
  atMs: number,
  more: (unit: NamedUnit) => Promise<readonly AlertConditionState[]> = async () => [],
): Promise<Explanation> {
  // The interesting ones do not exceed the number of the rule.
  const { units, complete } = await unitsAt(deps, round, { ...rule, count: 0 }, atMs);
  const found = units.filter(({ n }) => Math.round(n) > 0).sort((a, b) => b.n - a.n);
  const top = found.slice(0, SHOWN);
  const entries = await errlogStore(deps.db).groupsById(top.map((unit) => unit.top.id));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const conditions: AlertConditionState[] = [];
  for (const unit of top) {
    const entry = byId.get(unit.top.id);
    const named = { ...unit, name: entry === undefined ? unit.key.replace(':', ' ') : unitName(rule, entry) };
    conditions.push(countCondition(rule, named), ...(await more(named)));
  }
  const of = rule.filter === '' ? '' : ' that the filter matches';
  const text = `${countText(found.length, rule.per)}${of} had occurrences in ${durationText(rule.withinS * 1000)}.`;
  return {
    conditions: [matchingCondition(found.length, text), ...conditions],
    whyIncomplete: complete ? undefined : TIME_OVER,
  };
}

/** Units with their occurrences within the time of a rule. The past is counted by the minute, as in previews. */
async function unitsAt(deps: UnitDeps, round: Round, rule: WatchingRule, atMs: number) {
  if (isPresent(round, atMs)) {
    const units = await unitsSince(deps, round, rule, unixSeconds(round.nowMs) - rule.withinS);
    return { units: [...units.values()], complete: !round.stopped() };
  }
  const atS = unixSeconds(atMs);
  const { units, complete } = await minutesOfUnits(deps, round, rule, atS - rule.withinS);
  const end = minuteOf(atS) + 1;
  const counted = [...units].map(([key, { top, minutes }]): Unit => {
    const n = sumOf(minutes, end - Math.ceil(rule.withinS / 60), end);
    return { key, n, top, topN: n, lastS: top.logTime };
  });
  return { units: counted, complete };
}
