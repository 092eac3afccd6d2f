// Explains why a rule did or did not fire at a moment. The causes are those that the rounds and the previews find.
import {
  ALERT_CHECKS,
  type Alert,
  type AlertCheck,
  type AlertConditionState,
  type AlertExplanation,
  type AlertKind,
  invalidField,
  readableKinds,
  type UserActor,
} from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import { readAuthors } from '../../auth/author.repo.ts';
import { showAlert } from '../../auth/require-permissions.ts';
import { type AlertRow, findAlert, openAlerts, readableParents, toAlerts } from './alert.repo.ts';
import { shownTitle } from './alert-message.ts';
import { alertsAt, notifiedBefore, outageAlertAt } from './explain.repo.ts';
import {
  type Cause,
  createRound,
  isPresent,
  type Kind,
  type Kinds,
  type Round,
  type WatchingRule,
} from './kinds/kind.ts';
import { countText, durationText, timeText } from './kinds/words.ts';
import { type RuleRow, toWatchingRule } from './rule.repo.ts';
import { readStops } from './rule-rights.ts';

/** Time of the work on one explanation. */
const WORK_MS = 2_000;
/** A round finds a cause some seconds after it has begun. */
const ROUND_MS = 10_000;

export interface ExplainNeeds {
  readonly db: Database;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds that only move forward. */
  readonly monotonic: () => number;
}

/** The moment that is asked about, Unix seconds, and who asks. */
export interface ExplainQuery {
  readonly at: number | undefined;
  readonly actor: UserActor;
}

/**
 * Explains a rule.
 *
 * @throws AppError `validation_failed` for a moment in the future
 */
export async function explainRule(
  { db, now, monotonic }: ExplainNeeds,
  kinds: Kinds,
  row: RuleRow,
  { at, actor }: ExplainQuery,
): Promise<AlertExplanation> {
  const nowMs = now();
  if (at !== undefined && at * 1000 > nowMs) {
    throw invalidField('body.at', 'must not be in the future');
  }
  // All of the second that is asked about.
  const atMs = at === undefined ? nowMs : Math.min(nowMs, at * 1000 + 999);
  const { read } = db;
  const endMs = monotonic() + WORK_MS;
  const round = createRound(read, nowMs, () => monotonic() > endMs);
  const rule = toWatchingRule(row, (await readAuthors(read, [row]))(row).errlogFilter);
  const kind = kinds[row.kind as AlertKind];
  const missing: string[] = [];
  const miss = (why: string | undefined) => {
    if (why !== undefined && !missing.includes(why)) missing.push(why);
  };

  const lasts = kind.ends || kind.lasts === true;
  const alerts = await alertsAt(read, row.id, atMs, lasts ? atMs : atMs - MOMENT_MS);
  const measured = await kind.explain?.(round, rule, atMs);
  miss(measured?.whyIncomplete);
  const found = await causesAt(read, kind, round, rule, atMs);
  miss(found.whyIncomplete);
  const subject = subjectOf(found.causes, alerts);
  const readable = readableKinds(actor.permissions);
  const mayRead = async (id: number) => {
    const alert = await findAlert(read, id);
    return alert !== undefined && readable.includes(alert.rule.kind as AlertKind);
  };
  const conditions = [
    ...settings(row, isPresent(round, atMs), atMs, miss, (await readStops(read, [row]))(row)),
    ...(measured?.conditions ?? []),
    causesCondition(found.causes, subject),
    ...(subject === undefined ? [] : await deliveryConditions(read, { rule: row, atMs, mayRead, ...subject })),
  ].map((condition) => ({ ...condition, text: shownTitle(condition.text) }));
  const notifiedUntilMs = Math.min(nowMs, atMs + ROUND_MS);
  const notified = alerts.filter((alert) => wasNotified(alert, notifiedUntilMs));
  return {
    at: at ?? atMs / 1000,
    fired: notified.length > 0,
    verdict: verdictOf(notified, alerts, conditions, lasts),
    conditions,
    alerts: await shownAlerts(db, alerts, actor),
    complete: missing.length === 0,
    why_incomplete: missing.length === 0 ? null : missing.join(' '),
  };
}

/** Cause that is explained: the one of an alert with a message, else one that nothing hides, else the first. */
function subjectOf(
  causes: readonly CauseAt[],
  alerts: readonly AlertRow[],
): { readonly cause: CauseAt; readonly alert: AlertRow | undefined } | undefined {
  const byKey = new Map(alerts.map((alert) => [alert.key, alert]));
  const plain = causes.find(({ silent, parentCause }) => silent !== true && parentCause === undefined);
  const cause = causes.find(({ key }) => (byKey.get(key)?.messages ?? 0) > 0) ?? plain ?? causes[0];
  if (cause !== undefined) return { cause, alert: byKey.get(cause.key) };
  const [alert] = alerts;
  return alert && { cause: { key: alert.key, title: alert.title, sinceMs: Number(alert.sinceMs) }, alert };
}

/** Conditions on the rule itself. `why` is the reason for which it has stopped now. */
function settings(
  row: RuleRow,
  isNow: boolean,
  atMs: number,
  miss: (why: string) => void,
  why: string | undefined,
): AlertConditionState[] {
  const none = { value: null, limit: null };
  const createdMs = Number(row.createdMs);
  const modifiedMs = Number(row.modifiedMs);
  if (createdMs > atMs) {
    const text = `The rule was created later, at ${timeText(createdMs)}.`;
    return [{ name: 'enabled', ...none, met: false, text }];
  }
  const isChanged = modifiedMs > atMs;
  if (isChanged) miss(`The rule was changed at ${timeText(modifiedMs)}; its present settings are explained.`);
  const state = row.enabled ? 'The rule is enabled.' : 'The rule is disabled.';
  const enabled = { name: 'enabled' as const, ...none, met: isChanged ? null : row.enabled, text: state };
  const stoppedMs = Number(row.stoppedMs);
  const isStopped = why !== undefined && (isNow || (stoppedMs > 0 && stoppedMs <= atMs));
  if (!isNow && !isStopped) miss('Earlier permissions of its author are not stored.');
  const has = 'Its author has the permissions that it needs.';
  const met = isStopped ? false : isNow ? true : null;
  return [enabled, { name: 'author', ...none, met, text: why ?? has }];
}

function causesCondition(
  causes: readonly CauseAt[],
  subject: { readonly cause: CauseAt } | undefined,
): AlertConditionState {
  const value = causes.length;
  const state = { name: 'causes' as const, value, limit: 0 };
  if (subject === undefined) return { ...state, met: false, text: 'Nothing met the condition of the rule.' };
  // Stored data of the past may have less than the alert that was made then.
  if (value === 0) return { ...state, value: null, met: true, text: subject.cause.title };
  const more = value === 1 ? '' : `; and ${countText(value - 1, 'more cause')}`;
  return { ...state, met: true, text: `${subject.cause.title}${more}` };
}

/** Conditions of further messages of an alert do not decide whether it fires. */
const FURTHER: readonly AlertCheck[] = ['acknowledged', 'repeat'];
/** Numbers of what is nearest to the limit: another one may be beyond it. */
const NUMBERS: readonly AlertCheck[] = ALERT_CHECKS.slice(
  ALERT_CHECKS.indexOf('count'),
  ALERT_CHECKS.indexOf('causes'),
);

function verdictOf(
  notified: readonly AlertRow[],
  alerts: readonly AlertRow[],
  conditions: readonly AlertConditionState[],
  lasts: boolean,
): string {
  const first = notified.at(-1);
  if (first !== undefined) {
    const open = `${countText(notified.length, 'alert')} of it ${notified.length === 1 ? 'was' : 'were'} ${lasts ? 'open' : 'sent just before'}`;
    return `It fired: ${open}, the first message at ${timeText(Number(first.firedMs))}: ${first.title}`;
  }
  const hasCause = conditions.some(({ name, met }) => name === 'causes' && met === true);
  const unmet = conditions.find(
    ({ name, met }) => met === false && !FURTHER.includes(name) && !(hasCause && NUMBERS.includes(name)),
  );
  if (unmet !== undefined) return `It did not fire: ${unmet.text}`;
  if (alerts.length > 0) return 'It did not fire yet: its alert waits for a message in the next rounds.';
  return 'It did not fire, although no condition is known that kept it from it: the next round looks again.';
}

async function shownAlerts({ read }: Database, rows: readonly AlertRow[], actor: UserActor): Promise<Alert[]> {
  const readable = readableKinds(actor.permissions);
  const parent = await readableParents(read, rows, readable);
  const alerts = await toAlerts(read, rows, readable);
  return alerts.map((alert) => showAlert(actor, { ...alert, parent_id: parent(alert.parent_id) }));
}

/** Time before the moment in which the search begins: causes that began earlier are known by their alerts. */
const SEARCHED_MS = 24 * 3_600_000;
/** Time for which a cause without an end counts after it happened. */
const MOMENT_MS = 5 * 60_000;

/** A cause that held at the moment. */
type CauseAt = Pick<Cause, 'key' | 'title' | 'sinceMs' | 'silent' | 'parentCause'>;

/** Causes at a moment, and whether all of them are known. */
interface CausesAt {
  readonly causes: readonly CauseAt[];
  readonly whyIncomplete?: string | undefined;
}

/** Finds the causes at a time, Unix milliseconds. Those of the past come from stored data, as far as it has them. */
async function causesAt(read: Tx, kind: Kind, round: Round, rule: WatchingRule, atMs: number): Promise<CausesAt> {
  const isNow = isPresent(round, atMs);
  if (kind.ends && isNow) {
    const open = (await openAlerts(read)).get(rule.id) ?? [];
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

/** A cause of a rule at a moment, with its alert where it has one. */
interface Subject {
  readonly rule: RuleRow;
  readonly cause: CauseAt;
  readonly alert: AlertRow | undefined;
  readonly atMs: number;
  /** True for the id of an alert that the caller may read. */
  readonly mayRead: (alertId: number) => boolean | Promise<boolean>;
}

const seconds = (ms: number) => Math.floor(ms / 1000);

/** Explains how a cause leads to a notification, in the order in which the rounds decide. */
async function deliveryConditions(read: Tx, subject: Subject): Promise<AlertConditionState[]> {
  return [
    ...lasting(subject),
    ...(await cooldown(read, subject)),
    ...muted(subject),
    ...(await grouped(read, subject)),
    ...repeated(subject),
  ];
}

function lasting({ rule, cause, alert, atMs }: Subject): AlertConditionState[] {
  if (rule.forS === 0) return [];
  const sinceMs = Number(alert?.sinceMs ?? cause.sinceMs);
  const value = seconds(atMs - sinceMs);
  const text = `It had lasted for ${durationText(value * 1000)} of the ${durationText(rule.forS * 1000)} that are needed.`;
  return [{ name: 'for', value, limit: rule.forS, met: value >= rule.forS, text }];
}

/** True where an alert had its first message by the moment. */
const wasNotified = ({ firedMs, messages }: AlertRow, atMs: number): boolean =>
  messages > 0 && firedMs > 0n && Number(firedMs) <= atMs;

async function cooldown(read: Tx, { rule, cause, alert, atMs }: Subject): Promise<AlertConditionState[]> {
  if (rule.cooldownS === 0) return [];
  const alertId = Number(alert?.id ?? 0);
  const notifiedMs = await notifiedBefore(read, { ruleId: rule.id, key: cause.key, alertId, atMs });
  const state = { name: 'cooldown' as const, limit: rule.cooldownS };
  if (notifiedMs === 0) return [{ ...state, value: null, met: true, text: 'Nobody was notified of it before.' }];
  const value = seconds(atMs - notifiedMs);
  const isOver = value >= rule.cooldownS || (alert !== undefined && wasNotified(alert, atMs));
  const text = `The last notification was at ${timeText(notifiedMs)}; the next one follows after ${durationText(rule.cooldownS * 1000)}.`;
  return [{ ...state, value, met: isOver, text }];
}

function muted({ rule, cause, alert, atMs }: Subject): AlertConditionState[] {
  const none = { value: null, limit: null };
  const mutedMs = Number(alert?.mutedMs ?? 0);
  const isAboutErrors = rule.kind.startsWith('errlog.') || rule.kind === 'silence';
  const isHidden = cause.silent === true;
  const isMuted = mutedMs > atMs || (isHidden && isAboutErrors);
  const text = mutedMs > atMs ? `Its alert is muted until ${timeText(mutedMs)}.` : 'Its group of errors is muted.';
  const conditions: AlertConditionState[] = [
    { name: 'mute', ...none, met: !isMuted, text: isMuted ? text : 'It is not muted.' },
  ];
  if (isAboutErrors) return conditions;
  const maintenance = isHidden
    ? 'The agent is in maintenance, or returns from an outage.'
    : 'It is not in maintenance.';
  return [...conditions, { name: 'maintenance', ...none, met: !isHidden, text: maintenance }];
}

async function grouped(read: Tx, { cause, alert, atMs, mayRead }: Subject): Promise<AlertConditionState[]> {
  const stored = Number(alert?.parentId ?? 0);
  const parentId =
    stored > 0 || cause.parentCause === undefined ? stored : await outageAlertAt(read, cause.parentCause, atMs);
  const name = parentId > 0 && (await mayRead(parentId)) ? `alert ${parentId}` : 'another alert';
  const text =
    parentId > 0
      ? `It is grouped under ${name}, whose message stands for it.`
      : 'It is not grouped under another alert.';
  return [{ name: 'outage', value: null, limit: null, met: parentId === 0, text }];
}

/** Conditions of further messages of an alert. */
function repeated({ rule, alert, atMs }: Subject): AlertConditionState[] {
  if (alert === undefined || !wasNotified(alert, atMs)) return [];
  const ackMs = Number(alert.ackMs);
  const isAcknowledged = ackMs > 0 && ackMs <= atMs;
  const by = isAcknowledged
    ? `It was acknowledged at ${timeText(ackMs)} by ${alert.ackBy}.`
    : 'Nobody has acknowledged it.';
  const value = seconds(atMs - Math.min(Number(alert.notifiedMs), atMs));
  const isDue = rule.repeatS > 0 && !isAcknowledged && value >= rule.repeatS;
  const again =
    rule.repeatS === 0
      ? 'The rule does not repeat its messages.'
      : `The latest message was ${durationText(value * 1000)} before; it is repeated after ${durationText(rule.repeatS * 1000)} until somebody acknowledges it.`;
  return [
    { name: 'acknowledged', value: null, limit: null, met: !isAcknowledged, text: by },
    { name: 'repeat', value, limit: rule.repeatS, met: isDue, text: again },
  ];
}
