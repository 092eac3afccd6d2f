// Rules of the kind `change.worse`: a change from outside made errors new or more frequent.
import { CHANGE_HOSTS_MAX, type Change, type ChangeEffects } from '@quarterdeck/core';
import { findChange, recentChanges } from '../../change/change.repo.ts';
import { findEffects } from '../../change/effects/change-effects.ts';
import { ERR } from '../../change/effects/verdict.ts';
import type { Cause, KindNeeds, MomentKind, Round, WatchingRule } from './kind.ts';
import { countText } from './words.ts';

/** Changes that one round looks at, the newest ones; a preview looks at as many in all. */
const LOOKED_AT = 20;
/** Time for which a verdict holds: most changes that are worse show it in the first minutes. */
const [RECENT_MS, FRESH_MS, LATER_MS] = [10 * 60_000, 10_000, 60_000];
/** Errors that an alert is about. */
const GROUPS_MAX = 20;

/** Position of a rule: it looks at changes that were reported since a time, and notifies of each of them once. */
interface Position {
  readonly sinceMs: number;
  readonly notified: readonly number[];
}

export function changeWorse({ db }: Pick<KindNeeds, 'db'>): MomentKind {
  /** Times until which changes are known not to be worse, by change and span: those are not even read. */
  const fineUntilMs = new Map<string, number>();

  async function causeOfChange({ read, nowMs, once }: Round, { withinS }: WatchingRule, id: number) {
    const key = `${id} ${withinS}`;
    if ((fineUntilMs.get(key) ?? 0) > nowMs) return undefined;
    const change = await findChange(read, id, CHANGE_HOSTS_MAX);
    if (change === undefined) return undefined;
    const effects = await once(`effects ${key}`, () => findEffects(db, change, withinS, nowMs));
    if (effects.verdict === 'worse') return causeOf(change, effects);
    fineUntilMs.set(key, nowMs + (nowMs - change.time * 1000 < RECENT_MS ? FRESH_MS : LATER_MS));
    return undefined;
  }

  async function causesOf(round: Round, rule: WatchingRule, ids: readonly number[]): Promise<Map<number, Cause>> {
    for (const [key, untilMs] of fineUntilMs) if (untilMs <= round.nowMs) fineUntilMs.delete(key);
    const causes = new Map<number, Cause>();
    for (const id of ids) {
      if (round.stopped()) break;
      const cause = await causeOfChange(round, rule, id);
      if (cause !== undefined) causes.set(id, cause);
      await round.eventLoop.pause();
    }
    return causes;
  }

  return {
    ends: false,
    manyTitle: (count) => `${countText(count, 'change')} made errors worse`,
    start: async ({ nowMs }): Promise<Position> => ({ sinceMs: nowMs, notified: [] }),

    async happened(round, rule, given) {
      const { sinceMs, notified } = given as Position;
      const recent = await recentChanges(
        round.read,
        { fromMs: round.nowMs - rule.withinS * 1000, reportedMs: sinceMs },
        LOOKED_AT,
      );
      const causes = await causesOf(
        round,
        rule,
        recent.filter((id) => !notified.includes(id)),
      );
      const still = notified.filter((id) => recent.includes(id));
      return { causes: [...causes.values()], position: { sinceMs, notified: [...still, ...causes.keys()] } };
    },

    async replay(round, rule, fromMs) {
      const ids = await recentChanges(round.read, { fromMs, reportedMs: 0 }, LOOKED_AT);
      const causes = await causesOf(round, rule, ids);
      return {
        episodes: [...causes.values()].map((cause) => ({ ...cause, untilMs: cause.sinceMs })),
        ...(ids.length === LOOKED_AT && { whyIncomplete: `Only the newest ${LOOKED_AT} changes are looked at.` }),
      };
    },
  };
}

function causeOf({ id, kind, name, before, after, time, host_count: hosts }: Change, effects: ChangeEffects): Cause {
  const worse = effects.errors.filter(({ verdict, level }) => verdict !== 'less' && level <= ERR);
  const versions = [before, after].filter((text) => text !== '').join(' -> ');
  const [first] = worse;
  const shown = first === undefined ? '' : `: ${first.verdict === 'new' ? 'new' : 'more frequent'} is ${first.log}`;
  return {
    key: `change:${id}`,
    title: `Errors got worse with ${kind} ${name}${versions === '' ? '' : ` ${versions}`}${shown}`,
    detail: {
      change_id: id,
      change: kind,
      name,
      before,
      after,
      hosts,
      errors: worse.length,
      others: effects.others,
    },
    sinceMs: Math.round(time * 1000),
    groups: worse.slice(0, GROUPS_MAX).map((error) => error.id),
  };
}
