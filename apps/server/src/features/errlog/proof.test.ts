// Proof that a resolved error stays away, on generated histories of services.
import type { ErrlogEntry } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { generator } from '../../../test/rollouts.ts';
import { proofOf } from './proof.ts';

const DAY = 1_440;
/** Minutes before and after the resolution. */
const [BEFORE, AFTER] = [8 * DAY, 30 * DAY];
const START = 30_000_000;

/** Lines and failures of a service by the minute. The error is resolved at the minute `BEFORE`. */
interface History {
  readonly lines: readonly number[];
  readonly failures: readonly number[];
  readonly isFixed: boolean;
  /** Mean minutes from one failure or burst to the next one. */
  readonly everyMinutes: number;
}

/** Moments of failures: by chance, in bursts, or in the same hour of each night. */
function failuresOf(random: () => number, kind: number, everyMinutes: number): Set<number> {
  const found = new Set<number>();
  const isNightly = kind === 2;
  for (let t = 0; t < BEFORE + AFTER; ) {
    t += isNightly ? DAY : -Math.log(1 - random()) * everyMinutes;
    const length = kind === 0 ? 1 : 1 + Math.floor(random() * 15);
    for (let i = 0; i < length; i += 1) found.add(Math.floor(t) + i);
  }
  return found;
}

function makeHistory(seed: number): History {
  const random = generator(seed);
  const between = (least: number, most: number) => least * (most / least) ** random();
  const kind = Math.floor(random() * 3);
  const everyMinutes = kind === 2 ? DAY : between(kind === 0 ? 1 : 20, 12 * 60);
  const isFixed = random() < 0.5;
  const hasTraffic = random() < 0.8;
  const began = random() * 7 * DAY;
  const perMinute = between(5, 500);
  const moments = failuresOf(random, kind, everyMinutes);
  const lines: number[] = [];
  const failures: number[] = [];
  for (let t = 0; t < BEFORE + AFTER; t += 1) {
    const ofDay = 1 + 0.7 * Math.sin((2 * Math.PI * t) / DAY);
    const isServing = t < BEFORE || hasTraffic;
    lines.push(isServing ? Math.ceil(perMinute * ofDay) : 0);
    failures.push(isServing && moments.has(t) && t >= began && !(isFixed && t >= BEFORE) ? 1 : 0);
  }
  return { lines, failures, isFixed, everyMinutes: hasTraffic ? everyMinutes : Number.POSITIVE_INFINITY };
}

/** Minutes from the resolution to the moment at which the error is proven to stay away; looks once an hour. */
async function provenAfter({ lines, failures }: History): Promise<number | undefined> {
  const counts = failures.flatMap((n, t) => (n > 0 ? [{ minute: START + t, n, groups: 1 }] : []));
  const sums = [0];
  for (const n of lines) sums.push((sums.at(-1) ?? 0) + n);
  const sumTo = (minute: number) => sums[Math.max(0, Math.min(lines.length, minute - START))] ?? 0;
  const store = {
    countByMinute: async (_ids: readonly number[], from: number, to: number) =>
      counts.filter(({ minute }) => minute >= from && minute < to),
    countOfService: async (_src: number, _service: string, { from, to }: { from: number; to: number }) =>
      sumTo(to) - sumTo(from),
  };
  const entry = { id: 1, state: 'resolved', state_since: (START + BEFORE) * 60, src: 1 } as ErrlogEntry;
  for (let after = 60; after < AFTER; after += 60) {
    const proof = await proofOf(store, entry, (START + BEFORE + after) * 60);
    if (proof?.state === 'proven') return after;
  }
  return undefined;
}

/** Tells whether the answers about a history were right; undefined where the error never happened. */
async function isRight(history: History): Promise<boolean | undefined> {
  if (!history.failures.slice(0, BEFORE).some((n) => n > 0)) return undefined;
  const provenAt = await provenAfter(history);
  const returned = history.failures.findIndex((n, t) => t >= BEFORE && n > 0) - BEFORE;
  if (!history.isFixed && returned >= 0) return provenAt === undefined || provenAt >= returned;
  // Without traffic nothing is known. An error of every few hours is proven gone within the month.
  if (history.everyMinutes === Number.POSITIVE_INFINITY) return provenAt === undefined;
  return history.everyMinutes > 180 || provenAt !== undefined;
}

describe('the proof that an error stays away', () => {
  it('is right about nearly all errors that are gone, come back, or had no chance to', async () => {
    const wrong: number[] = [];
    const count = atMost(20, 300);
    for (let found = 0, seed = 1; found < count; seed += 1) {
      const answer = await isRight(makeHistory(seed));
      if (answer !== undefined) found += 1;
      if (answer === false) wrong.push(seed);
    }
    expect(wrong.length, `seeds ${wrong.join(', ')}`).toBeLessThanOrEqual(0.01 * count);
  });
});
