// Decides in memory how a round changes the alerts of a rule and what it tells.
import { type Active, CAUSES_MAX, type Cause, type Happened, TOLD_SINGLY_MAX } from './kinds/kind.ts';

/** Messages of one rule in one round at most: each is a row for every channel. The rest follows in the next rounds. */
export const TOLD_PER_ROUND = 50;
/** Causes of one moment that are stored without a message at most. */
const UNTOLD_MAX = 100;
/** Causes that a message about many has as examples. */
const EXAMPLES = 10;
/** Cause of the alert about those beyond {@link CAUSES_MAX}. */
const BEYOND = 'beyond';

/** Settings of a rule that decide when it tells. */
export interface Telling {
  readonly name: string;
  readonly forS: number;
  readonly cooldownS: number;
}

/** An alert that has not ended. */
export interface OpenAlert {
  readonly id: number;
  readonly key: string;
  readonly state: 'pending' | 'firing';
  readonly sinceMs: number;
  readonly parentId: number;
  readonly messages: number;
  /** Time of the latest message of the cause, also of an earlier alert; 0 is never. */
  readonly toldMs: number;
}

/** An alert to be added. */
export interface NewAlert extends Cause {
  readonly state: 'pending' | 'firing' | 'resolved';
  readonly parentId: number;
  readonly tell: boolean;
  readonly toldMs: number;
}

/** Changes of the alerts of a rule. */
export interface Plan {
  readonly added: readonly NewAlert[];
  /** Alerts that fire from now on, or hang under another one. */
  readonly fired: readonly { readonly id: number; readonly cause: Cause; parentId: number; readonly tell: boolean }[];
  /** Alerts that have ended; those with messages are told, unless the end is quiet. */
  readonly ended: readonly OpenAlert[];
}

/** State of the other alerts at a round. */
export interface Known {
  readonly nowMs: number;
  /** Cause of an outage -> its open alert. */
  readonly parents: ReadonlyMap<string, number>;
  /** Cause -> time of the latest message of this rule about it. */
  readonly toldMs: ReadonlyMap<string, number>;
}

/** True where a cause may be told now, as far as its cooldown is concerned. */
const isCool = (rule: Telling, toldMs: number, nowMs: number) =>
  toldMs === 0 || toldMs + rule.cooldownS * 1000 <= nowMs;

/** Plans a round of a rule whose causes last. Of too many causes, those that are open already come first. */
export function planActive(rule: Telling, active: Active, open: readonly OpenAlert[], known: Known): Plan {
  const { nowMs, parents } = known;
  const lasting = new Set(parents.values());
  const before = new Map(open.map((alert) => [alert.key, alert]));
  const found = bounded(rule, active, before, nowMs);
  let left = TOLD_PER_ROUND;
  const added: NewAlert[] = [];
  const fired: Plan['fired'][number][] = [];
  for (const cause of found.values()) {
    const alert = before.get(cause.key);
    const toldMs = alert?.toldMs ?? known.toldMs.get(cause.key) ?? 0;
    const isDue = nowMs - (alert?.sinceMs ?? cause.sinceMs) >= rule.forS * 1000;
    // An error may go on longer than its begin is near that of the outage.
    const former = alert !== undefined && lasting.has(alert.parentId) ? alert.parentId : 0;
    const parentId = (cause.parentCause && parents.get(cause.parentCause)) || former;
    const mayTell = isDue && parentId === 0 && !cause.silent && isCool(rule, toldMs, nowMs);
    const tell = mayTell && (alert?.messages ?? 0) === 0 && left > 0;
    if (tell) left -= 1;
    // A message that has no room in this round keeps its alert pending.
    const state = isDue && (tell || !mayTell || alert?.messages) ? 'firing' : 'pending';
    if (alert === undefined) added.push({ ...cause, state, parentId, tell, toldMs });
    else if (tell || (state === 'firing' && alert.state === 'pending')) {
      fired.push({ id: alert.id, cause, parentId, tell });
    }
  }
  const gone = open.filter(({ key }) => !found.has(key));
  // The others end in the next rounds.
  const told = gone.filter(({ messages }) => messages > 0).slice(0, TOLD_PER_ROUND);
  return { added, fired, ended: [...gone.filter(({ messages }) => messages === 0), ...told] };
}

/** At most {@link CAUSES_MAX} causes, and one for those beyond. */
function bounded(
  rule: Telling,
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

/** Plans a round of a rule whose causes happen in a moment. `manyTitle` is the title of a message about many. */
export function planHappened(
  rule: Telling,
  { causes, more = 0 }: Happened,
  manyTitle: (count: number) => string,
  { nowMs, parents, toldMs }: Known,
): Plan {
  const latest = new Map(toldMs);
  const told: NewAlert[] = [];
  const untold: NewAlert[] = [];
  for (const cause of causes) {
    const lastMs = latest.get(cause.key) ?? 0;
    if (!isCool(rule, lastMs, nowMs)) continue;
    const parentId = (cause.parentCause && parents.get(cause.parentCause)) || 0;
    const tell = parentId === 0 && !cause.silent;
    if (tell) latest.set(cause.key, nowMs);
    (tell ? told : untold).push({ ...cause, state: 'resolved', parentId, tell, toldMs: lastMs });
  }
  const added = untold.slice(0, UNTOLD_MAX);
  const count = told.length + more;
  if (count <= TOLD_SINGLY_MAX) return { added: [...told, ...added], fired: [], ended: [] };
  const examples = told.slice(0, EXAMPLES).map(({ key, title }) => ({ key, title }));
  const many = { key: `many:${nowMs}`, title: manyTitle(count), detail: { count, examples }, sinceMs: nowMs };
  const one: NewAlert = { ...many, state: 'resolved', parentId: 0, tell: true, toldMs: 0 };
  return { added: [one, ...added], fired: [], ended: [] };
}

/** True where a plan changes nothing. */
export const isIdle = ({ added, fired, ended }: Plan): boolean => added.length + fired.length + ended.length === 0;
