// Effects of a change: compares how errors developed on the hosts that made it with how they did on the others.
import { type Change, type ChangeEffect, type ChangeEffects, EFFECTS_MAX } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';
import { errlogStore, type MinuteCount } from '@quarterdeck/store';
import { countErrors } from './effect-counts.ts';
import { effectSides } from './effect-sides.ts';
import { type EffectSpan, effectSpan, spanEnd } from './effect-span.ts';
import { type Judged, judgeEffects } from './judge-effects.ts';
import { verdictOf } from './verdict.ts';

/** Groups of one read. The event loop is free between two of them. */
const GROUPS_AT_ONCE = 250;

/** Finds the errors that a change made more or less frequent; see {@link judgeEffects}. */
export async function findEffects(
  db: Database,
  change: Change,
  withinS: number,
  nowMs: number,
): Promise<ChangeEffects> {
  const eventLoop = new EventLoopYield();
  const nowS = Math.floor(nowMs / 1000);
  const span = effectSpan(Math.floor(change.time), withinS, nowS);
  const times = { time: change.time, from: span.from * 60, until: spanEnd(span, change.time) };
  const sides = await effectSides(db, change, { fromMs: span.from * 60_000, toMs: nowMs }, eventLoop);
  const canCount = span.passed > 0;
  const counted = canCount ? await countErrors(db, span, sides, eventLoop) : { errors: [], complete: true };
  const answer = { isEmpty: false, searched: counted.complete, about: 'errors' } as const;
  const { complete } = await errlogStore(db).accountOf(
    { startTime: times.from, endTime: times.until },
    answer,
    nowS,
    undefined,
  );
  const hosts = { own: sides.own.size, others: sides.others.size };
  const silent = sides.silentOwn(Math.min(nowMs, times.until * 1000));
  const series = minuteReader(db, span, eventLoop);
  const observed = { errors: counted.errors, hosts, span, series };
  const judged = canCount && hosts.own > 0 ? await judgeEffects(observed, eventLoop) : [];
  return {
    ...(await verdictOf(judged, observed, { changeS: change.time, complete, silent, nowS })),
    ...times,
    hosts: hosts.own,
    others: hosts.others,
    silent,
    complete,
    errors: await described(db, judged),
  };
}

/** Reads the minutes of groups in parts. */
const minuteReader =
  (db: Database, span: EffectSpan, eventLoop: EventLoopYield) => async (groups: readonly number[]) => {
    const counts: MinuteCount[] = [];
    await eventLoop.inParts(groups, GROUPS_AT_ONCE, async (part) => {
      counts.push(...(await errlogStore(db).countByMinute(part, span.from, span.to - 1)));
    });
    return counts;
  };

/** The changed errors as the wire has them: those that rose first, then by how certain they are. */
async function described(db: Database, judged: readonly Judged[]): Promise<ChangeEffect[]> {
  const sorted = judged
    .toSorted((a, b) => Number(b.direction === 'rise') - Number(a.direction === 'rise') || a.p - b.p)
    .slice(0, EFFECTS_MAX);
  const groups = await errlogStore(db).groupsById(sorted.map(({ error }) => error.group));
  const byId = new Map(groups.map((group) => [group.id, group]));
  return sorted.flatMap(({ error: { group, level, own, others }, direction }) => {
    const entry = byId.get(group);
    if (entry === undefined) return [];
    return {
      id: group,
      level,
      log: entry.log,
      service: entry.service ?? '',
      before: own.before,
      after: own.after,
      others_before: others.before,
      others_after: others.after,
      verdict: directionText(direction, own.before),
    };
  });
}

function directionText(direction: Judged['direction'], before: number): ChangeEffect['verdict'] {
  if (direction === 'fall') return 'less';
  return before === 0 ? 'new' : 'more';
}
