// Verdicts on generated deployments, as somebody who waits for them gets them.

import { EventLoopYield } from '@quarterdeck/core/threads';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../../test/thoroughness.ts';
import { makeRollout, type Rollout, type RolloutError } from '../../../../test/rollouts.ts';
import type { ErrorCounts, SideCounts } from './effect-counts.ts';
import { type EffectSpan, effectSpan, minutesBefore } from './effect-span.ts';
import { judgeEffects, type Observed } from './judge-effects.ts';
import { verdictOf } from './verdict.ts';

const HOUR_S = 3_600;
/** Seconds between two looks, in the first two minutes and later. */
const [OFTEN_S, SELDOM_S] = [atMost(40, 10), atMost(160, 30)];

/** Counts of one error until a moment, and its minutes on both sides. */
function countsOf(
  { level, occurrences }: RolloutError,
  group: number,
  { own }: Rollout,
  span: EffectSpan,
  nowS: number,
) {
  const sides = [group, -group].map((id) => ({
    counts: { before: 0, after: 0, rises: new Map<number, number>(), groups: [id] } satisfies SideCounts,
    minutes: new Map<number, { n: number; hosts: Set<number> }>(),
  }));
  for (const { host, t } of occurrences) {
    const minute = Math.floor(t / 60);
    const side = sides[host < own ? 0 : 1];
    if (t > nowS || minute < span.from || minute >= span.to || side === undefined) continue;
    const isAfter = minute >= span.afterStart;
    side.counts[isAfter ? 'after' : 'before'] += 1;
    const rise = isAfter ? 1 / span.passed : -1 / minutesBefore(span);
    side.counts.rises.set(host, (side.counts.rises.get(host) ?? 0) + rise);
    const counted = side.minutes.get(minute) ?? { n: 0, hosts: new Set() };
    counted.n += 1;
    counted.hosts.add(host);
    side.minutes.set(minute, counted);
  }
  const [ownSide, others] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const error: ErrorCounts = { level, group, most: 0, own: ownSide.counts, others: others.counts };
  const series = new Map(
    sides.map(({ minutes }, i) => [
      i === 0 ? group : -group,
      [...minutes].map(([minute, { n, hosts }]) => ({ minute, n, groups: hosts.size })),
    ]),
  );
  return { error, series };
}

async function verdictAt(rollout: Rollout, nowS: number) {
  const { time, hosts, own } = rollout;
  const span = effectSpan(time, HOUR_S, nowS);
  const counted = rollout.errors.map((error, i) => countsOf(error, i + 1, rollout, span, nowS));
  const series = new Map(counted.flatMap((one) => [...one.series]));
  const observed: Observed = {
    errors: counted
      .map(({ error }) => error)
      .filter((error) => error.own.before + error.own.after + error.others.before + error.others.after > 0),
    hosts: { own, others: hosts - own },
    span,
    series: async (groups) => groups.flatMap((group) => series.get(group) ?? []),
  };
  const judged = span.passed > 0 ? await judgeEffects(observed, new EventLoopYield()) : [];
  return (await verdictOf(judged, observed, { changeS: time, complete: true, silent: 0, nowS })).verdict;
}

/** Seconds after a deployment at which it is called worse; undefined where it is not until a time. */
async function stoppedAfter(rollout: Rollout, untilS: number): Promise<number | undefined> {
  for (let afterS = OFTEN_S; afterS <= untilS; afterS += afterS < 120 ? OFTEN_S : SELDOM_S) {
    if ((await verdictAt(rollout, rollout.time + afterS)) === 'worse') return afterS;
  }
  return undefined;
}

/** Share of deployments that are called worse until a time. */
async function stopped(isBad: boolean, count: number, untilS: number): Promise<number> {
  let worse = 0;
  for (let n = 0; n < count; n += 1) {
    const seed = isBad ? n + 1 : n + 1_000_001;
    if ((await stoppedAfter(makeRollout(seed, isBad), untilS)) !== undefined) worse += 1;
  }
  return worse / count;
}

describe('the verdict on generated deployments', () => {
  it('is worse for nearly all bad ones within 120 s', async () => {
    expect(await stopped(true, atMost(5, 200), 120)).toBeGreaterThanOrEqual(atMost(0.8, 0.9));
  });

  it('is not worse for nearly all good ones within 10 minutes', async () => {
    expect(await stopped(false, atMost(3, 1_000), 600)).toBeLessThanOrEqual(atMost(0.3, 0.02));
  });
});
