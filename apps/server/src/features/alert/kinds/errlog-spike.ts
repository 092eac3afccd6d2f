// Kind `errlog.spike`: far more occurrences within a time than is usual for a group, a source or a service.
import { unixSeconds } from '@quarterdeck/core';
import { errlogStore, minuteOf } from '@quarterdeck/store';
import { medianOf } from '../../suspects/spikes.ts';
import { episodesOfUnits, explainUnits, type NamedUnit, unitsOver } from './errlog-count.ts';
import { readsOf } from './errlog-moments.ts';
import type { LastingKind, Round, WatchingRule } from './kind.ts';
import { filterOfUnit, type Minutes, minutesOfUnits, sumOf, type Unit, type UnitDeps, unitCauses } from './units.ts';
import { durationText } from './words.ts';

const DAY_MINUTES = 24 * 60;
/** Minutes of a unit that must be known before its usual rate is. */
const KNOWN_MINUTES = 60;
/** Least multiple of the median of all times of the same length. */
const TIMES_USUAL = 4;
/** Standard deviations above the median. For normally distributed values, one is 1.4826 median deviations. */
const DEVIATIONS = 6 * 1.4826;
/** Least multiple of what one in twenty of these times had: a job of each hour is no spike. */
const TIMES_BUSY = 2;
const BUSY_PART = 0.95;

/** Units that are compared with their usual rate in a round, the most frequent ones. */
const UNITS_MAX = 200;
/** Groups of a unit whose minutes are read, the latest ones. */
const GROUPS_MAX = 5_000;
const SLICE = 250;
/** Time for which a usual rate is kept. */
const USUAL_KEPT_MS = 10 * 60_000;
const USUAL_MAX = 5_000;

/** Number of occurrences that a time of a length must exceed to be a spike; undefined for what is too new. */
export function spikeLimit(minutes: Minutes, end: number, span: number): number | undefined {
  let first = end;
  for (const minute of minutes.keys()) if (minute >= end - DAY_MINUTES && minute < first) first = minute;
  if (end - first < KNOWN_MINUTES) return undefined;
  const sums: number[] = [];
  for (let to = end; to - span >= first; to -= span) sums.push(sumOf(minutes, to - span, to));
  if (sums.length === 0) return undefined;
  sums.sort((a, b) => a - b);
  const median = medianOf(sums);
  const deviation = medianOf(sums.map((sum) => Math.abs(sum - median)).sort((a, b) => a - b));
  const busy = sums[Math.min(sums.length - 1, Math.floor(sums.length * BUSY_PART))] ?? 0;
  return Math.max(TIMES_USUAL * median, median + DEVIATIONS * deviation, TIMES_BUSY * busy);
}

const spanOf = ({ withinS }: WatchingRule) => Math.ceil(withinS / 60);

export function errorSpike(deps: UnitDeps): LastingKind {
  const store = errlogStore(deps.db);
  const limits = new Map<string, { readonly limit: number | undefined; readonly untilMs: number }>();

  /** Number of occurrences that a unit must exceed, kept for a while. */
  async function limitOf(round: Round, rule: WatchingRule, unit: Unit): Promise<number | undefined> {
    const key = JSON.stringify([unit.key, rule.filter, rule.within, rule.withinS]);
    const kept = limits.get(key);
    if (kept !== undefined && kept.untilMs > round.nowMs) return kept.limit;
    const end = minuteOf(unixSeconds(round.nowMs) - rule.withinS);
    const minutes = await minutesBefore(round, rule, unit, end);
    const limit = spikeLimit(minutes, end, spanOf(rule));
    if (limits.size >= USUAL_MAX) limits.clear();
    limits.set(key, { limit, untilMs: round.nowMs + USUAL_KEPT_MS });
    return limit;
  }

  async function minutesBefore(round: Round, rule: WatchingRule, unit: Unit, end: number): Promise<Minutes> {
    const first = end - DAY_MINUTES;
    const ids: number[] = [];
    if (rule.per === 'group') ids.push(unit.top.id);
    else {
      const reads = await readsOf(deps, round, rule);
      for await (const groups of reads.recent(filterOfUnit(rule, unit.top), first * 60, {
        countedS: end * 60,
      })) {
        ids.push(...groups.flatMap(({ id, state }) => (state === 'muted' ? [] : id)));
        if (ids.length >= GROUPS_MAX) break;
      }
    }
    const minutes: Minutes = new Map();
    await round.eventLoop.inParts(ids, SLICE, async (part) => {
      for (const { minute, n } of await store.countByMinute(part, first, end - 1)) {
        minutes.set(minute, (minutes.get(minute) ?? 0) + n);
      }
    });
    return minutes;
  }

  /** Occurrences of a unit against its usual rate before a moment. */
  async function usualCondition(round: Round, rule: WatchingRule, unit: NamedUnit, atMs: number) {
    const end = minuteOf(unixSeconds(atMs) - rule.withinS);
    const limit = spikeLimit(await minutesBefore(round, rule, unit, end), end, spanOf(rule));
    const value = Math.round(unit.n);
    const known = limit !== undefined;
    const text = known
      ? `${value} in ${durationText(rule.withinS * 1000)}, a spike is more than ${Math.floor(limit)}: ${unit.name}`
      : `It is known for less than ${KNOWN_MINUTES} min, so no number is usual yet: ${unit.name}`;
    return [
      { name: 'usual' as const, value, limit: known ? Math.floor(limit) : null, met: known && unit.n > limit, text },
    ];
  }

  return {
    ends: true,
    explain: (round, rule, atMs) =>
      explainUnits(deps, round, rule, atMs, (unit) => usualCondition(round, rule, unit, atMs)),
    async active(round, rule) {
      const spikes: Unit[] = [];
      for (const unit of (await unitsOver(deps, round, rule)).slice(0, UNITS_MAX)) {
        const limit = await limitOf(round, rule, unit);
        if (limit !== undefined && unit.n > limit) spikes.push(unit);
        if (round.stopped()) return undefined;
      }
      const titleOf = ({ n }: Unit, name: string) =>
        `${Math.round(n)} times in ${durationText(rule.withinS * 1000)}, far more than usual: ${name}`;
      return { causes: await unitCauses(deps, round, rule, spikes, titleOf) };
    },
    async replay(round, rule, fromMs) {
      const span = spanOf(rule);
      const found = await minutesOfUnits(deps, round, rule, unixSeconds(fromMs) - DAY_MINUTES * 60 - rule.withinS);
      return episodesOfUnits(deps, round, rule, fromMs, found, (minutes) => {
        let limit: number | undefined;
        let hour = -1;
        return (n, minute) => {
          if (n <= rule.count) return false;
          if (Math.floor(minute / 60) !== hour) {
            hour = Math.floor(minute / 60);
            limit = spikeLimit(minutes, minute - span, span);
          }
          return limit !== undefined && n > limit;
        };
      });
    },
  };
}
