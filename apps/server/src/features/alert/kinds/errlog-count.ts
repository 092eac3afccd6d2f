// Kind `errlog.count`: more than a number of occurrences within a time, of a group, a source or a service.
import { unixSeconds } from '@quarterdeck/core';
import { errlogStore, minuteOf } from '@quarterdeck/store';
import { explainUnits } from './explain-units.ts';
import { CAUSES_MAX, type Episode, type LastingKind, type Round, TIME_OVER, type WatchingRule } from './kind.ts';
import {
  type Minutes,
  minutesOfUnits,
  type Unit,
  type UnitDeps,
  type UnitMinutes,
  unitCauses,
  unitName,
  unitsSince,
} from './units.ts';
import { durationText } from './words.ts';

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
