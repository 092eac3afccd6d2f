// Units that rules count by (groups, sources and services), with their occurrences.
import { allOf, type ErrlogEntry, type Filter, formatFilter, parseFilter, unixSeconds } from '@quarterdeck/core';
import { errlogStore, minuteOf, type WatchedGroup } from '@quarterdeck/store';
import { readsOf } from './errlog-moments.ts';
import type { Cause, KindNeeds, Round, WatchingRule } from './kind.ts';
import { outageCauses } from './outage-hosts.ts';
import { detailOf, placeOf, textOf } from './words.ts';

/** Units whose texts are read in a round: those that are notified first. */
const TITLED_MAX = 100;

export type UnitDeps = Pick<KindNeeds, 'db' | 'lineReads'>;

/** A unit, and what happened in it within a time. */
export interface Unit {
  /** Such as `service:shop`. */
  readonly key: string;
  n: number;
  /** The most frequent of its groups. */
  top: WatchedGroup;
  topN: number;
  /** Time of the latest line, Unix seconds. */
  lastS: number;
}

/** Cause of the unit that a group belongs to. */
export function unitOf({ per }: Pick<WatchingRule, 'per'>, { id, src, service }: WatchedGroup): string {
  if (per === 'group') return `group:${id}`;
  return per === 'source' ? `source:${src}` : `service:${service}`;
}

/**
 * Units of the groups that match a rule and happened since a time, by cause, with their occurrences since `countedS`.
 * Muted groups count in no other unit.
 */
export function unitsSince(
  deps: UnitDeps,
  round: Round,
  rule: WatchingRule,
  sinceS: number,
  countedS = sinceS,
): Promise<ReadonlyMap<string, Unit>> {
  const { per, filter, within } = rule;
  // A group cannot have happened more often within the time than in all.
  const over = per === 'group' ? rule.count : 0;
  return round.once(`units ${per} ${sinceS} ${countedS} ${over} ${filter} within ${within}`, async () => {
    const units = new Map<string, Unit>();
    const reads = await readsOf(deps, round, rule);
    for await (const groups of reads.recent(filter, sinceS, { over, countedS })) {
      for (const group of groups) if (per === 'group' || group.state !== 'muted') addGroup(units, rule, group, group.n);
      if (round.stopped()) break;
    }
    return units;
  });
}

function addGroup(units: Map<string, Unit>, rule: WatchingRule, group: WatchedGroup, n: number): void {
  const key = unitOf(rule, group);
  const unit = units.get(key);
  if (unit === undefined) {
    units.set(key, { key, n, top: group, topN: n, lastS: group.logTime });
    return;
  }
  unit.n += n;
  unit.lastS = Math.max(unit.lastS, group.logTime);
  if (n > unit.topN) [unit.top, unit.topN] = [group, n];
}

/** Filter of the groups of a unit that match a rule. */
export function filterOfUnit({ per, filter }: WatchingRule, { src, service }: WatchedGroup): string {
  const values = [per === 'source' ? String(src) : service];
  const unit: Filter = { kind: 'field', field: per === 'source' ? 'src' : 'service', test: { op: 'equals', values } };
  return formatFilter(allOf([parseFilter(filter), unit]));
}

/** Name of a unit for people. */
export function unitName({ per }: Pick<WatchingRule, 'per'>, entry: ErrlogEntry): string {
  if (per === 'group') return `${placeOf(entry)}: ${textOf(entry)}`;
  if (per === 'source') return entry.source ?? `source ${entry.src}`;
  return entry.service || 'lines without a service';
}

/**
 * Causes of units, in their order. `titleOf` gets the name of a unit. Units behind the first ones have a title without
 * the text of their group.
 */
export async function unitCauses(
  { db }: UnitDeps,
  round: Round,
  rule: WatchingRule,
  units: readonly Unit[],
  titleOf: (unit: Unit, name: string) => string,
): Promise<Cause[]> {
  const store = errlogStore(db);
  const titled = units.slice(0, TITLED_MAX).map(({ top }) => top.id);
  const entries = new Map((await store.groupsById(titled)).map((entry) => [entry.id, entry]));
  const hosts = rule.per === 'service' ? [] : units.map(({ top }) => top);
  const begun = hosts.map(({ id, src }) => ({ id, src, beganMs: round.nowMs }));
  const parents = await outageCauses(db, round, begun);
  return units.map((unit) => {
    const entry = entries.get(unit.top.id);
    return {
      key: unit.key,
      title: titleOf(unit, entry === undefined ? unit.key.replace(':', ' ') : unitName(rule, entry)),
      detail: { n: Math.round(unit.n), within: rule.withinS, ...(entry && { group: detailOf(entry) }) },
      groups: [unit.top.id],
      sinceMs: round.nowMs,
      parentCause: parents.get(unit.top.id),
      silent: rule.per === 'group' && unit.top.state === 'muted',
    };
  });
}

/** Occurrences by the minute, counted from 1970. */
export type Minutes = Map<number, number>;

/** Occurrences of units by the minute since a time, and whether all of them were read. */
export interface UnitMinutes {
  readonly units: ReadonlyMap<string, { readonly top: WatchedGroup; readonly minutes: Minutes }>;
  readonly complete: boolean;
}

/** Reads the minutes of all units that match a rule, for a preview. */
export async function minutesOfUnits(
  deps: UnitDeps,
  round: Round,
  rule: WatchingRule,
  sinceS: number,
): Promise<UnitMinutes> {
  const store = errlogStore(deps.db);
  const units = new Map<string, { top: WatchedGroup; minutes: Minutes }>();
  const last = minuteOf(unixSeconds(round.nowMs));
  const reads = await readsOf(deps, round, rule);
  for await (const groups of reads.recent(rule.filter, sinceS, {
    over: rule.per === 'group' ? rule.count : 0,
  })) {
    const counted = new Map(groups.flatMap((group) => (group.state === 'muted' ? [] : [[group.id, group] as const])));
    for (const { id, minute, n } of await store.minutesOfGroups([...counted.keys()], minuteOf(sinceS), last)) {
      const group = counted.get(id) as WatchedGroup;
      const key = unitOf(rule, group);
      const unit = units.get(key) ?? { top: group, minutes: new Map() };
      units.set(key, unit);
      unit.minutes.set(minute, (unit.minutes.get(minute) ?? 0) + n);
    }
    await round.eventLoop.pause();
    if (round.stopped()) return { units, complete: false };
  }
  return { units, complete: true };
}

/** Occurrences from one minute until before another. */
export function sumOf(minutes: Minutes, from: number, to: number): number {
  let sum = 0;
  for (let minute = from; minute < to; minute += 1) sum += minutes.get(minute) ?? 0;
  return sum;
}
