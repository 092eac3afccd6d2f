// Kind `silence`: a source or a service that usually sends lines has sent none within a time.
import { type AlertConditionState, unixSeconds } from '@quarterdeck/core';
import { errlogStore, minuteOf, type WatchedGroup } from '@quarterdeck/store';
import { readsOf } from './errlog-moments.ts';
import {
  type Cause,
  type Episode,
  type KindNeeds,
  type LastingKind,
  type Round,
  TIME_OVER,
  type WatchingRule,
} from './kind.ts';
import { matchingCondition } from './matching.ts';
import { filterOfUnit, minutesOfUnits, unitsSince } from './units.ts';
import { HISTORY_MINUTES, type MinuteSpan, silencesOf, usuallySends } from './usually-sends.ts';
import { countText, durationText } from './words.ts';

const DAY_S = 86_400;
/** Time for which a silence is followed. */
const OPEN_S = 30 * DAY_S;
/** Sources of one statement. */
const STEP = 500;
/** Groups of a unit whose minutes are read. */
const GROUPS_MAX = 5_000;
const SLICE = 250;
/** Verdicts that are kept: they stay true until the next line. */
const VERDICTS_MAX = 10_000;
/** Sources or services that an explanation shows. */
const SHOWN = 3;

/** A source or a service, and its latest line. */
interface Sender {
  readonly key: string;
  readonly src: number;
  readonly service: string;
  /** Unix seconds. */
  readonly lastS: number;
  /** Minutes with lines, in order, from a minute on until the latest one. */
  minutes(from: number): Promise<number[]>;
}

/** A source or a service at a moment. */
interface Heard {
  readonly name: string;
  /** Minutes since its latest line. */
  readonly silentFor: number;
  readonly isUsual: boolean;
}

const heardConditions = ({ name, silentFor, isUsual }: Heard, within: number): AlertConditionState[] => [
  {
    name: 'silence',
    value: silentFor,
    limit: within,
    met: silentFor >= within,
    text: `The latest line came ${silentFor} min before, ${durationText(within * 60_000)} are needed: ${name}`,
  },
  {
    name: 'habit',
    value: null,
    limit: null,
    met: isUsual,
    text: isUsual
      ? `It usually sends lines more often: ${name}`
      : `It does not usually send lines so often, or is too new: ${name}`,
  },
];

export function silence(deps: Pick<KindNeeds, 'db' | 'lineReads' | 'now'>): LastingKind {
  const store = errlogStore(deps.db);
  /** Lines that were sent while no server was there are not missing: senders get the whole time again. */
  const startedS = unixSeconds(deps.now());
  const verdicts = new Map<string, boolean>();

  /** Times in which no server listened. */
  const downSpans = (round: Round, from: number): Promise<MinuteSpan[]> =>
    round.once(`down times since ${from}`, async () =>
      (await store.downTimes(from)).map((gap) => ({ from: minuteOf(gap.from), to: minuteOf(gap.to) + 1 })),
    );

  /** All sources whose lines arrived since a time, from the ledger. */
  function sources(round: Round, sinceS: number): Promise<Sender[]> {
    return round.once(`sources since ${sinceS}`, async () => {
      const found: Sender[] = [];
      for (let behind = 0; !round.stopped(); ) {
        const rows = await store.lastArrivals(behind, STEP);
        for (const { src, minute } of rows) {
          // The latest line may have come at the end of its minute.
          if (minute === null || minute * 60 + 59 < sinceS) continue;
          const minutes = (from: number) => store.arrivalMinutes(src, from, minute);
          found.push({ key: `source:${src}`, src, service: '', lastS: minute * 60 + 59, minutes });
        }
        const last = rows.at(-1);
        if (last === undefined) break;
        behind = last.src;
        await round.eventLoop.pause();
      }
      return found;
    });
  }

  /** Sources or services of the groups that match a rule and happened since a time. */
  async function senders(round: Round, rule: WatchingRule, sinceS: number): Promise<Sender[]> {
    if (rule.per === 'source' && rule.filter === '') return sources(round, sinceS);
    const units = await unitsSince(deps, round, rule, sinceS, unixSeconds(round.nowMs));
    return [...units.values()]
      .filter(({ top }) => rule.per === 'source' || top.service !== '')
      .map(({ key, top, lastS }) => ({
        key,
        src: top.src,
        service: top.service,
        lastS: Math.min(lastS, unixSeconds(round.nowMs)),
        minutes: (from) => minutesOfUnit(round, rule, top, from, minuteOf(lastS)),
      }));
  }

  async function minutesOfUnit(
    round: Round,
    rule: WatchingRule,
    top: WatchedGroup,
    from: number,
    to: number,
  ): Promise<number[]> {
    const ids: number[] = [];
    const reads = await readsOf(deps, round, rule);
    for await (const groups of reads.recent(filterOfUnit(rule, top), from * 60, { countedS: to * 60 })) {
      ids.push(...groups.map(({ id }) => id));
      if (ids.length >= GROUPS_MAX) break;
    }
    const minutes = new Set<number>();
    await round.eventLoop.inParts(ids, SLICE, async (part) => {
      for (const { minute } of await store.countByMinute(part, from, to)) minutes.add(minute);
    });
    return [...minutes].sort((a, b) => a - b);
  }

  async function isUsual(round: Round, rule: WatchingRule, sender: Sender): Promise<boolean> {
    const key = JSON.stringify([sender.key, sender.lastS, rule.withinS, rule.filter]);
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    const from = minuteOf(sender.lastS) - HISTORY_MINUTES;
    const minutes = await sender.minutes(from);
    const verdict = usuallySends(minutes, rule.withinS / 60, await downSpans(round, from));
    if (verdicts.size >= VERDICTS_MAX) verdicts.clear();
    verdicts.set(key, verdict);
    return verdict;
  }

  const namesOf = (found: readonly Sender[]) => store.sourceNames(found.map(({ src }) => src));
  const nameOf = ({ per }: WatchingRule, { src, service }: Sender, names: ReadonlyMap<number, string>) =>
    per === 'source' ? (names.get(src) ?? `source ${src}`) : service;
  const titleOf = (rule: WatchingRule, sender: Sender, names: ReadonlyMap<number, string>) =>
    `No lines of ${nameOf(rule, sender, names)} for ${durationText(rule.withinS * 1000)}`;

  /** Visits the sources or services of a rule with the minutes in which they sent, in order, from a minute on. */
  async function eachSender(
    round: Round,
    rule: WatchingRule,
    first: number,
    visit: (key: string, name: string, minutes: readonly number[]) => void,
  ): Promise<void> {
    if (rule.per === 'source' && rule.filter === '') {
      const found = await sources(round, first * 60);
      const names = await namesOf(found);
      for (const sender of found) {
        if (round.stopped()) break;
        visit(sender.key, nameOf(rule, sender, names), await sender.minutes(first));
        await round.eventLoop.pause();
      }
      return;
    }
    const { units } = await minutesOfUnits(deps, round, rule, first * 60);
    for (const [key, { minutes }] of units) {
      if (key === 'service:') continue;
      visit(
        key,
        key.replace(':', ' '),
        [...minutes.keys()].sort((a, b) => a - b),
      );
      await round.eventLoop.pause();
    }
  }

  return {
    ends: true,
    async explain(round, rule, atMs) {
      const at = minuteOf(unixSeconds(atMs));
      const first = at - HISTORY_MINUTES;
      const down = await downSpans(round, first);
      const within = rule.withinS / 60;
      const found: Heard[] = [];
      await eachSender(round, rule, first, (_, name, all) => {
        const minutes = all.filter((minute) => minute <= at);
        const last = minutes.at(-1);
        if (last === undefined) return;
        found.push({ name, silentFor: at - last, isUsual: usuallySends(minutes, within, down) });
      });
      found.sort((a, b) => Number(b.isUsual) - Number(a.isUsual) || b.silentFor - a.silentFor);
      const of = rule.filter === '' ? '' : ' that the filter matches';
      const text = `${countText(found.length, rule.per)}${of} sent lines within two days before.`;
      return {
        conditions: [
          matchingCondition(found.length, text),
          ...found.slice(0, SHOWN).flatMap((one) => heardConditions(one, within)),
        ],
        whyIncomplete: round.stopped() ? TIME_OVER : undefined,
      };
    },
    async active(round, rule, open) {
      const nowS = unixSeconds(round.nowMs);
      const down = await downSpans(round, minuteOf(nowS) - HISTORY_MINUTES);
      const heardFromS = Math.max(startedS, ...down.map(({ to }) => to * 60));
      const limitS = nowS - rule.withinS;
      if (heardFromS > limitS) return undefined;
      const all = await senders(round, rule, nowS - (open.size > 0 ? OPEN_S : DAY_S + rule.withinS));
      const silent: Sender[] = [];
      for (const sender of all) {
        // Senders that were silent for longer than a day when a rule began were turned off.
        if (sender.lastS > limitS || (sender.lastS < limitS - DAY_S && !open.has(sender.key))) continue;
        if (open.has(sender.key) || (await isUsual(round, rule, sender))) silent.push(sender);
        await round.eventLoop.pause();
        if (round.stopped()) return undefined;
      }
      const names = await namesOf(silent);
      const causes = silent.map((sender): Cause => {
        const { key, src, service, lastS } = sender;
        const detail = { ...(rule.per === 'source' ? { src, source: names.get(src) } : { service }), last: lastS };
        return { key, title: titleOf(rule, sender, names), detail, sinceMs: (lastS + rule.withinS) * 1000 };
      });
      return { causes };
    },
    async replay(round, rule, fromMs) {
      const [from, to] = [minuteOf(unixSeconds(fromMs)), minuteOf(unixSeconds(round.nowMs))];
      const first = from - DAY_S / 60;
      const down = await downSpans(round, first);
      const within = Math.ceil(rule.withinS / 60);
      const episodes: Episode[] = [];
      await eachSender(round, rule, first, (key, name, minutes) => {
        const title = `No lines of ${name} for ${durationText(rule.withinS * 1000)}`;
        for (const { since, until } of silencesOf(minutes, { from, to }, within, down)) {
          episodes.push({ key, title, sinceMs: since * 60_000, untilMs: until === null ? null : until * 60_000 });
        }
      });
      return { episodes, whyIncomplete: round.stopped() ? TIME_OVER : undefined };
    },
  };
}
