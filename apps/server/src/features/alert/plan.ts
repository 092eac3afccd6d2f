// Decides in memory how a round changes the alerts of a rule and which messages it sends.
import {
  type Active,
  CAUSES_MAX,
  type Cause,
  type Ending,
  type Happened,
  SINGLE_NOTIFICATIONS_MAX,
} from './kinds/kind.ts';

/** Messages of one rule in one round at most: each is a row for every channel. The rest follows in the next rounds. */
export const NOTIFIED_PER_ROUND = 50;
/** Causes of one moment that are stored without a message at most. */
const SILENT_MAX = 100;
/** Causes that a message about many has as examples. */
const EXAMPLES = 10;
/** Groups that an alert names at most. */
const GROUPS_MAX = 100;
/** Cause of the alert about those beyond {@link CAUSES_MAX}. */
const BEYOND = 'beyond';
/** Causes of so many milliseconds are of one moment: many become one message. */
export const MOMENT_MS = 10_000;

/** Settings of a rule that decide when a message is sent. */
export interface NotificationTimes {
  readonly name: string;
  readonly forS: number;
  readonly cooldownS: number;
  readonly repeatS: number;
}

/** An alert that has not ended. */
export interface OpenAlert {
  readonly id: number;
  readonly key: string;
  readonly state: 'pending' | 'firing';
  readonly sinceMs: number;
  readonly parentId: number;
  readonly messages: number;
  /** Ids of its groups as JSON text. */
  readonly groups: string;
  /** Time of its first message; 0 is none. */
  readonly firedMs: number;
  /** Time of the latest message of the cause, also of an earlier alert; 0 is never. */
  readonly notifiedMs: number;
  /** Time at which somebody acknowledged it; 0 is never. */
  readonly ackMs: number;
  /** Nothing is sent of it until then; 0 is not muted. */
  readonly mutedMs: number;
  /** End of its cause, where more is known than that it has ended. */
  readonly ending?: Ending | undefined;
}

/** An alert to be added. */
export interface NewAlert extends Cause {
  readonly state: 'pending' | 'firing' | 'resolved';
  readonly parentId: number;
  readonly notify: boolean;
  readonly notifiedMs: number;
}

/** An alert that fires from now on, is grouped under another one, or is sent again. */
export interface FiredAlert {
  readonly id: number;
  readonly cause: Cause;
  readonly parentId: number;
  readonly notify: boolean;
}

/** An alert that gets further causes: the same error on other hosts, or one of many. */
export interface GrownAlert {
  readonly id: number;
  /** All ids of groups that it has then. */
  readonly groups: readonly number[];
  /** Number of causes that came to it. */
  readonly more: number;
  /** Title by the number of causes, of an alert about many. */
  readonly manyTitle?: ((count: number) => string) | undefined;
}

/** Changes of the alerts of a rule. */
export interface Plan {
  readonly added: readonly NewAlert[];
  readonly fired: readonly FiredAlert[];
  readonly grown: readonly GrownAlert[];
  /** Alerts that have ended; those with messages are notified, unless the end is quiet. */
  readonly ended: readonly OpenAlert[];
}

/** State of the other alerts at a round. */
export interface Known {
  readonly nowMs: number;
  /** Cause of an outage -> its open alert. */
  readonly parents: ReadonlyMap<string, number>;
  /** Alerts of any rule under which one of this rule is grouped, and that have not ended. */
  readonly lasting: ReadonlySet<number>;
  /** Cause -> time of the latest message of this rule about it. */
  readonly notifiedMs: ReadonlyMap<string, number>;
}

/** True where a cause may be notified now, as far as its cooldown is concerned. */
const isCool = (rule: NotificationTimes, notifiedMs: number, nowMs: number) =>
  notifiedMs === 0 || notifiedMs + rule.cooldownS * 1000 <= nowMs;

/** Beginning of the key of an alert about many causes. */
const MANY = 'many:';

/** True for an alert about many causes of one moment. */
export const isMany = ({ key }: { readonly key: string }): boolean => key.startsWith(MANY);

/** True where an open alert is to be sent again: nobody has acknowledged it. */
export const isRepeated = ({ repeatS }: NotificationTimes, alert: OpenAlert, nowMs: number): boolean =>
  repeatS > 0 && alert.messages > 0 && alert.ackMs === 0 && alert.notifiedMs + repeatS * 1000 <= nowMs;

/** Plans a round of a rule whose causes last. Of too many causes, those that are open already come first. */
export function planActive(rule: NotificationTimes, active: Active, open: readonly OpenAlert[], known: Known): Plan {
  const { nowMs, parents, lasting } = known;
  const before = new Map(open.map((alert) => [alert.key, alert]));
  const found = bounded(rule, active, before, nowMs);
  let left = NOTIFIED_PER_ROUND;
  const added: NewAlert[] = [];
  const fired: FiredAlert[] = [];
  for (const cause of found.values()) {
    const alert = before.get(cause.key);
    const notifiedMs = alert?.notifiedMs ?? known.notifiedMs.get(cause.key) ?? 0;
    const isDue = nowMs - (alert?.sinceMs ?? cause.sinceMs) >= rule.forS * 1000;
    // An error may go on longer than its start is near that of the outage.
    const former = alert !== undefined && lasting.has(alert.parentId) ? alert.parentId : 0;
    const parentId = (cause.parentCause && parents.get(cause.parentCause)) || former;
    const isMuted = (alert?.mutedMs ?? 0) > nowMs;
    const isHeld = !isDue || parentId !== 0 || cause.silent || isMuted;
    const isFirst = (alert?.messages ?? 0) === 0 && isCool(rule, notifiedMs, nowMs);
    const mayNotify = !isHeld && (isFirst || (alert !== undefined && isRepeated(rule, alert, nowMs)));
    const notify = mayNotify && left > 0;
    if (notify) left -= 1;
    // A message that has no room in this round keeps its alert pending.
    const state = isDue && (notify || !mayNotify || alert?.messages) ? 'firing' : 'pending';
    if (alert === undefined) added.push({ ...cause, state, parentId, notify, notifiedMs });
    else if (notify || (state === 'firing' && alert.state === 'pending')) {
      fired.push({ id: alert.id, cause, parentId, notify });
    }
  }
  const gone = open
    .filter(({ key }) => !found.has(key))
    .map((alert) => ({ ...alert, ending: active.endings?.get(alert.key) }));
  // The others end in the next rounds.
  const notified = gone.filter(({ messages }) => messages > 0).slice(0, NOTIFIED_PER_ROUND);
  return { added, fired, grown: [], ended: [...gone.filter(({ messages }) => messages === 0), ...notified] };
}

/** At most {@link CAUSES_MAX} causes, and one for those beyond. */
function bounded(
  rule: NotificationTimes,
  { causes, more = 0 }: Active,
  before: ReadonlyMap<string, OpenAlert>,
  nowMs: number,
): Map<string, Cause> {
  const all = new Map(causes.map((cause) => [cause.key, cause]));
  if (all.size <= CAUSES_MAX && more === 0) return all;
  const inOrder = [...all.values()].sort((a, b) => Number(before.has(b.key)) - Number(before.has(a.key)));
  const kept = new Map(inOrder.slice(0, CAUSES_MAX).map((cause) => [cause.key, cause]));
  const count = all.size - kept.size + more;
  const title = `${count} more causes of the rule "${rule.name}" are not listed`;
  return kept.set(BEYOND, { key: BEYOND, title, detail: { count }, sinceMs: nowMs });
}

/** Alerts of a rule that have not ended. */
export interface Lately {
  /** Error of equal causes -> the alert that has it: on further hosts it is the same cause. */
  readonly byError: ReadonlyMap<string, OpenAlert>;
  /** Alert about many that still gets further causes. */
  readonly many: OpenAlert | undefined;
  /** Messages of this moment about one cause each. */
  readonly notified: number;
  /** Cause -> its alert that has not ended. */
  readonly open: ReadonlyMap<string, OpenAlert>;
}

/** Plans a round of a rule whose causes happen in a moment. `lasts`: their alerts stay open for a while. */
export function planHappened(
  rule: NotificationTimes,
  { causes, more = 0 }: Happened,
  kind: { readonly lasts?: boolean; manyTitle(count: number): string },
  { nowMs, parents, notifiedMs }: Known,
  lately: Lately,
): Plan {
  const latest = new Map(notifiedMs);
  const fired: FiredAlert[] = [];
  const silent: NewAlert[] = [];
  const notified = new Map<string, NewAlert & { groups: number[] }>();
  const grown = new Map<number, { alert: OpenAlert; groups: number[]; more: number }>();
  const grow = (alert: OpenAlert, groups: readonly number[], by: number) => {
    const one = grown.get(alert.id) ?? { alert, groups: JSON.parse(alert.groups) as number[], more: 0 };
    grown.set(alert.id, one);
    one.more += by;
    one.groups = [...new Set([...one.groups, ...groups])].slice(0, GROUPS_MAX);
  };
  for (const cause of causes) {
    const { key, error = key, groups = [], parentCause } = cause;
    const open = lately.open.get(key);
    const lastMs = open?.notifiedMs || latest.get(key) || 0;
    if (!isCool(rule, lastMs, nowMs)) continue;
    const parentId = (parentCause && parents.get(parentCause)) || 0;
    const alert: NewAlert = { ...cause, state: 'resolved', parentId, notify: false, notifiedMs: lastMs };
    if (parentId !== 0 || cause.silent) {
      silent.push(alert);
      continue;
    }
    latest.set(key, nowMs);
    if (open !== undefined) {
      // It happened again, such as after it was resolved once more.
      if (open.mutedMs <= nowMs) fired.push({ id: open.id, cause, parentId, notify: true });
      continue;
    }
    const same = lately.byError.get(error);
    const first = notified.get(error);
    if (same !== undefined) grow(same, groups, 1);
    else if (first !== undefined) first.groups = [...first.groups, ...groups].slice(0, GROUPS_MAX);
    else
      notified.set(error, { ...alert, state: kind.lasts ? 'firing' : 'resolved', notify: true, groups: [...groups] });
  }
  const single = [...notified.values()];
  const hidden = silent.slice(0, SILENT_MAX);
  const count = single.length + more;
  const plan = (added: readonly NewAlert[]): Plan => ({
    added: [...added, ...hidden],
    fired,
    grown: [...grown.values()].map(({ alert: { id }, groups, more: by }) => ({
      id,
      groups,
      more: by,
      manyTitle: lately.many?.id === id ? kind.manyTitle : undefined,
    })),
    ended: [],
  });
  if (count === 0) return plan([]);
  const groups = single.flatMap((one) => one.groups);
  if (lately.many !== undefined) {
    grow(lately.many, groups, count);
    return plan([]);
  }
  if (count + lately.notified <= SINGLE_NOTIFICATIONS_MAX) return plan(single);
  const examples = single.slice(0, EXAMPLES).map(({ key, title }) => ({ key, title }));
  const many = { key: `${MANY}${nowMs}`, title: kind.manyTitle(count), detail: { count, examples }, sinceMs: nowMs };
  const state = kind.lasts ? 'firing' : 'resolved';
  return plan([{ ...many, groups: groups.slice(0, GROUPS_MAX), state, parentId: 0, notify: true, notifiedMs: 0 }]);
}

/** True where a plan changes nothing. */
export const isIdle = ({ added, fired, grown, ended }: Plan): boolean =>
  added.length + fired.length + grown.length + ended.length === 0;
