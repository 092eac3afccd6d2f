// Causes of a rule at a moment, as the rounds and the previews find them.
import type { Tx } from '@quarterdeck/core/db';
import { openAlerts } from './alert.repo.ts';
import { type Cause, isPresent, type Kind, type Round, type WatchingRule } from './kinds/kind.ts';

/** Time before the moment in which the search begins: causes that began earlier are known by their alerts. */
const SEARCHED_MS = 24 * 3_600_000;
/** Time for which a cause without an end counts after it happened. */
export const MOMENT_MS = 5 * 60_000;

/** A cause that held at the moment. */
export type CauseAt = Pick<Cause, 'key' | 'title' | 'sinceMs' | 'silent' | 'parentCause'>;

/** Causes at a moment, and whether all of them are known. */
export interface CausesAt {
  readonly causes: readonly CauseAt[];
  readonly whyIncomplete?: string | undefined;
}

/** Finds the causes at a time, Unix milliseconds. Those of the past come from stored data, as far as it has them. */
export async function causesAt(
  read: Tx,
  kind: Kind,
  round: Round,
  rule: WatchingRule,
  atMs: number,
): Promise<CausesAt> {
  const isNow = isPresent(round, atMs);
  if (kind.ends && isNow) {
    const open = await openAlerts(read, rule.id);
    const active = await kind.active(round, rule, new Set(open.map(({ key }) => key)));
    if (active !== undefined) return { causes: active.causes };
  }
  const spanMs = kind.ends ? SEARCHED_MS : MOMENT_MS;
  const { episodes, whyIncomplete } = await kind.replay(round, rule, atMs - spanMs);
  const causes = episodes.filter(({ sinceMs, untilMs }) => {
    if (sinceMs > atMs) return false;
    return untilMs === sinceMs ? sinceMs > atMs - MOMENT_MS : untilMs === null || untilMs > atMs;
  });
  // A kind says what it misses of the past, which is nothing for what happens in this moment.
  return { causes, whyIncomplete: isNow && !kind.ends && !round.stopped() ? undefined : whyIncomplete };
}
