// Computes from stored data how often a rule would have fired.
import type { AlertPreview, AlertRuleTrial } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { shownTitle } from './alert-message.ts';
import { createRound, type Episode, type Kinds } from './kinds/kind.ts';
import { watchingRule } from './rule.repo.ts';

const SPAN_MS = 24 * 3_600_000;
/** Time of the work on one preview. */
const WORK_MS = 2_000;
const EXAMPLES = 10;

/**
 * Replays the last 24 hours, within the sources that the caller may see. `monotonic` is in milliseconds and only moves
 * forward.
 */
export async function previewRule(
  db: Database,
  kinds: Kinds,
  rule: AlertRuleTrial & { readonly within: string },
  nowMs: number,
  monotonic: () => number,
): Promise<AlertPreview> {
  const fromMs = nowMs - SPAN_MS;
  const endMs = monotonic() + WORK_MS;
  const round = createRound(db.read, nowMs, () => monotonic() > endMs);
  const watching = watchingRule(0, rule.when, rule.filter, rule.within);
  const { episodes, whyIncomplete } = await kinds[rule.when.kind].replay(round, watching, fromMs);
  const fired = firingTimes(episodes, rule, nowMs);
  return {
    from: fromMs / 1000,
    to: nowMs / 1000,
    fired: fired.length,
    causes: new Set(fired.map(({ key }) => key)).size,
    examples: fired
      .slice(-EXAMPLES)
      .reverse()
      .map(({ title, ...firing }) => ({ ...firing, title: shownTitle(title) })),
    complete: whyIncomplete === undefined,
    why_incomplete: whyIncomplete ?? null,
  };
}

interface Firing {
  /** Unix seconds. */
  readonly time: number;
  readonly key: string;
  readonly title: string;
}

/** Messages that episodes cause, in the order of time. */
export function firingTimes(
  episodes: readonly Episode[],
  { for: forS, cooldown }: Pick<AlertRuleTrial, 'for' | 'cooldown'>,
  nowMs: number,
): Firing[] {
  const notifiedMs = new Map<string, number>();
  const firings: Firing[] = [];
  for (const episode of [...episodes].sort((a, b) => a.sinceMs - b.sinceMs)) {
    const { key, title, sinceMs, untilMs, silent } = episode;
    if (silent) continue;
    // A cause that begins again within the cooldown is notified at its end, if it still lasts then.
    const timeMs = Math.max(sinceMs + forS * 1000, (notifiedMs.get(key) ?? -Infinity) + cooldown * 1000);
    const isMoment = untilMs === sinceMs;
    if (isMoment ? timeMs > sinceMs : timeMs > (untilMs ?? nowMs)) continue;
    notifiedMs.set(key, timeMs);
    firings.push({ time: timeMs / 1000, key, title });
  }
  return firings.sort((a, b) => a.time - b.time);
}
