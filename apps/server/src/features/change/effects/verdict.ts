// The verdict on a change: worse, no difference, or neither yet, and what is missing for certainty.
import type { ChangeEffects, EffectLack } from '@quarterdeck/core';
import type { Judged, Observed } from './judge-effects.ts';

/** Minutes after which the absence of a difference is reported. */
const ENOUGH_MINUTES = 10;
/** Errors of this level or worse make a change worse. */
export const ERR = 4;
/** Programs fail requests for a moment while they start again: such errors are over this long after a change. */
const RESTART_S = 30;

/** Facts about the data that a verdict is based on. */
export interface Basis {
  /** Time of the change, Unix seconds. */
  readonly changeS: number;
  /** No lines are missing. */
  readonly complete: boolean;
  /** Hosts that made the change and have not reported since. */
  readonly silent: number;
  readonly nowS: number;
}

/** Judges a change. A difference is never denied where data is missing. */
export async function verdictOf(
  judged: readonly Judged[],
  observed: Observed,
  basis: Basis,
): Promise<Pick<ChangeEffects, 'verdict' | 'settled' | 'missing'>> {
  const { hosts, span } = observed;
  const isOver = span.wholeTo - span.afterStart >= span.beforeEnd - span.from;
  const missing: EffectLack[] = [];
  if (hosts.own === 0) missing.push('hosts');
  if (basis.silent > 0) missing.push('silent');
  if (!basis.complete) missing.push('lines');
  if (await isWorse(judged, observed, basis)) return { verdict: 'worse', settled: true, missing };
  if (span.wholeTo - span.afterStart < ENOUGH_MINUTES) missing.push('time');
  const verdict = missing.length === 0 ? 'no_difference' : 'too_early';
  return { verdict, settled: verdict === 'no_difference' || isOver, missing };
}

async function isWorse(judged: readonly Judged[], { series }: Observed, { changeS }: Basis): Promise<boolean> {
  const lastingFrom = Math.ceil((changeS + RESTART_S) / 60);
  for (const { direction, error } of judged) {
    if (direction !== 'rise' || error.level > ERR) continue;
    if (error.level < ERR) return true;
    const minutes = await series(error.own.groups);
    if (minutes.some(({ minute, n }) => n > 0 && minute >= lastingFrom)) return true;
  }
  return false;
}
