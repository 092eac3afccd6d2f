// Plans the rounds of rules whose causes happen in a moment. Their alerts stay open while the errors go on.
import type { Database } from '@quarterdeck/core/db';
import { errlogStore } from '@quarterdeck/store';
import { groupsOf, textsOf } from './alert.repo.ts';
import type { Cause, Happened, MomentKind } from './kinds/kind.ts';
import { errorOf } from './kinds/words.ts';
import {
  isMany,
  isRepeated,
  type Known,
  type Lately,
  MOMENT_MS,
  type OpenAlert,
  type Plan,
  planHappened,
} from './plan.ts';
import type { RuleRow } from './rule.repo.ts';

/** Time without an occurrence after which the alert of an error ends. */
const QUIET_MS = 10 * 60_000;
/** Alerts whose groups are looked at in a round. */
const CHECKED_MAX = 200;

/** Plans of rules whose causes happen in a moment. */
export interface Moments {
  plan(rule: RuleRow, kind: MomentKind, happened: Happened, open: readonly OpenAlert[], known: Known): Promise<Plan>;
}

/** Creates the plans, with a memory of what was looked at. */
export function createMoments(db: Database): Moments {
  const store = errlogStore(db);
  /** Alert -> time before which it does not end. */
  const notBefore = new Map<number, number>();
  /** Alert about many -> time at which it got the latest cause. */
  const grownMs = new Map<number, number>();

  /** The alerts whose errors have not happened for a while. */
  async function quietOnes(open: readonly OpenAlert[], nowMs: number): Promise<OpenAlert[]> {
    const earliest = ({ id, firedMs }: OpenAlert) => notBefore.get(id) ?? firedMs + QUIET_MS;
    const due = open.filter((alert) => earliest(alert) <= nowMs).slice(0, CHECKED_MAX);
    if (due.length === 0) return [];
    const ids = new Set(due.flatMap(groupsOf));
    const entries = await store.groupsById([...ids]);
    const lastMs = new Map(entries.map(({ id, log_time: time }) => [id, time * 1000]));
    for (const id of ids) {
      // A merged error goes on in another group.
      const into = lastMs.has(id) ? undefined : await store.movedTo(id);
      const [entry] = into === undefined ? [] : await store.groupsById([into]);
      if (entry !== undefined) lastMs.set(id, entry.log_time * 1000);
    }
    return due.filter((alert) => {
      const latest = groupsOf(alert).reduce((most, id) => Math.max(most, lastMs.get(id) ?? 0), 0);
      const endMs = Math.max(latest, alert.firedMs) + QUIET_MS;
      if (endMs <= nowMs) {
        notBefore.delete(alert.id);
        return true;
      }
      notBefore.set(alert.id, endMs);
      return false;
    });
  }

  async function latelyOf(open: readonly OpenAlert[], nowMs: number): Promise<Lately> {
    const isFresh = ({ id, firedMs }: OpenAlert) => Math.max(grownMs.get(id) ?? 0, firedMs) + MOMENT_MS > nowMs;
    const sent = open.filter((alert) => alert.firedMs > 0);
    const single = sent.filter((alert) => !isMany(alert));
    const texts = await textsOf(db.read, single);
    const byError = new Map(
      single.map((alert) => [errorOf(JSON.parse(texts.get(alert.id)?.detail ?? '{}')) ?? alert.key, alert]),
    );
    const notified = single.filter(({ firedMs }) => firedMs + MOMENT_MS > nowMs).length;
    return {
      byError,
      many: sent.find((alert) => isMany(alert) && isFresh(alert)),
      notified,
      open: new Map(open.map((alert) => [alert.key, alert])),
    };
  }

  /** Alerts that are sent again, because nobody has acknowledged them. */
  async function repeatedOnes(rule: RuleRow, open: readonly OpenAlert[], nowMs: number): Promise<Plan['fired']> {
    const due = open.filter((alert) => alert.mutedMs <= nowMs && isRepeated(rule, alert, nowMs));
    const texts = await textsOf(db.read, due);
    return due.map((alert) => {
      const { title = '', detail = '{}' } = texts.get(alert.id) ?? {};
      const cause: Cause = { ...alert, title, detail: JSON.parse(detail), groups: groupsOf(alert) };
      return { id: alert.id, cause, parentId: 0, notify: true };
    });
  }

  return {
    async plan(rule, kind, happened, open, known) {
      const { nowMs } = known;
      const isNew = happened.causes.length > 0;
      const lately = isNew ? await latelyOf(open, nowMs) : NOTHING;
      const plan = isNew ? planHappened(rule, happened, kind, known, lately) : EMPTY;
      for (const { id } of plan.grown) grownMs.set(id, nowMs);
      if (!kind.lasts) return { ...plan, ended: open };
      const ended = await quietOnes(open, nowMs);
      const again = new Set(plan.fired.map(({ id }) => id));
      const left = open.filter((alert) => !ended.includes(alert) && !again.has(alert.id));
      return {
        ...plan,
        ended: ended.filter(({ id }) => !again.has(id)),
        fired: [...plan.fired, ...(await repeatedOnes(rule, left, nowMs))],
      };
    },
  };
}

const EMPTY: Plan = { added: [], fired: [], grown: [], ended: [] };
const NOTHING: Lately = { byError: new Map(), many: undefined, notified: 0, open: new Map() };
