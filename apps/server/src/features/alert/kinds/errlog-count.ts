// Kind `errlog.count`: more than a number of occurrences within a time, of a group, a source or a service.
import { type AlertConditionState, unixSeconds } from '@quarterdeck/core';
import { errlogStore, minuteOf } from '@quarterdeck/store';
import {
  CAUSES_MAX,
  type Episode,
  type Explanation,
  isPresent,
  type LastingKind,
  type Round,
  TIME_OVER,
  type WatchingRule,
} from './kind.ts';
import { matchingCondition } from './matching.ts';
import {
  type Minutes,
  minutesOfUnits,
  sumOf,
  type Unit,
  type UnitDeps,
  type UnitMinutes,
  unitCauses,
  unitName,
  unitsSince,
} from './units.ts';
import { countText, durationText } from './words.ts';

/** Units with more than the number of a rule, the most frequent first. */
export async function unitsOver(deps: UnitDeps, round: Round, rule: WatchingRule): Promise<Unit[]> {
  const units = await unitsSince(deps, round, rule, unixSeconds(round.nowMs) - rule.withinS);
  return [...units.values()].filter(({ n }) => n > rule.count).sort((a, b) => b.n - a.n);
}

export const errorCount = (deps: UnitDeps): LastingKind => ({
  ends: true,
  async active(round, rule, open) {
    const over = await unitsOver(deps, round, rule);
    if (round.stopped()) return undefined;
    const listed = [...over.slice(0, CAUSES_MAX), ...over.slice(CAUSES_MAX).filter(({ key }) => open.has(key))];
    const titleOf = ({ n }: Unit, name: string) => countTitle(rule, n, name);
    return { causes: await unitCauses(deps, round, rule, listed, titleOf), more: over.length - listed.length };
  },
  async replay(round, rule, fromMs) {
    const found = await minutesOfUnits(deps, round, rule, unixSeconds(fromMs) - rule.withinS);
    const isOver = (n: number) => n > rule.count;
    return episodesOfUnits(deps, round, rule, fromMs, found, () => isOver);
  },
  explain: (round, rule, atMs) => explainUnits(deps, round, rule, atMs),
});

const countTitle = ({ withinS }: WatchingRule, n: number, name: string) =>
  `${Math.round(n)} times in ${durationText(withinS * 1000)}: ${name}`;

/**
 * Times in which the occurrences of units within the time of a rule meet a test, which may depend on the unit and the
 * minute.
 */
export async function episodesOfUnits(
  { db }: UnitDeps,
  round: Round,
  rule: WatchingRule,
  fromMs: number,
  { units, complete }: UnitMinutes,
  testOf: (minutes: Minutes) => (n: number, minute: number) => boolean,
) {
  const episodes: (Episode & { readonly top: number })[] = [];
  const span = Math.ceil(rule.withinS / 60);
  const [first, last] = [minuteOf(unixSeconds(fromMs)), minuteOf(unixSeconds(round.nowMs))];
  let whyIncomplete = complete ? undefined : TIME_OVER;
  for (const [key, { top, minutes }] of units) {
    if (round.stopped()) {
      whyIncomplete = TIME_OVER;
      break;
    }
    const test = testOf(minutes);
    let n = 0;
    let begin: { readonly minute: number; readonly n: number } | undefined;
    const end = (minute: number | undefined) => {
      if (begin === undefined) return;
      const untilMs = minute === undefined ? null : minute * 60_000;
      const title = countTitle(rule, begin.n, key.replace(':', ' '));
      episodes.push({ key, title, top: top.id, sinceMs: begin.minute * 60_000, untilMs });
      begin = undefined;
    };
    for (let minute = first - span + 1; minute <= last; minute += 1) {
      n += (minutes.get(minute) ?? 0) - (minutes.get(minute - span) ?? 0);
      if (minute < first) continue;
      if (!test(n, minute)) end(minute);
      else begin ??= { minute, n };
    }
    end(undefined);
    await round.eventLoop.pause();
  }
  return { episodes: await named(db, rule, episodes), whyIncomplete };
}

/** Episodes whose texts a preview shows at most. */
const NAMED_MAX = 50;

/** Puts the names of units into the titles of the latest episodes. */
async function named(
  db: UnitDeps['db'],
  rule: WatchingRule,
  episodes: readonly (Episode & { readonly top: number })[],
): Promise<Episode[]> {
  const sorted = [...episodes].sort((a, b) => b.sinceMs - a.sinceMs);
  const entries = await errlogStore(db).groupsById(sorted.slice(0, NAMED_MAX).map(({ top }) => top));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return sorted.map(({ top, ...episode }) => {
    const entry = byId.get(top);
    if (entry === undefined) return episode;
    return { ...episode, title: episode.title.replace(/: .*$/s, () => `: ${unitName(rule, entry)}`) };
  });
}

/** Units whose numbers are shown. */
const SHOWN = 3;

/** A unit with its name for people. */
export type NamedUnit = Unit & { readonly name: string };

/** Occurrences of a unit within the time of a rule, against its limit. */
const countCondition = (
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
