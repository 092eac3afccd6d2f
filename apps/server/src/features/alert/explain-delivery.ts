// Conditions that decide whether a cause becomes a message: how long it lasts, what was sent before, and what hides it.
import type { AlertConditionState } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { AlertRow } from './alert.repo.ts';
import { notifiedBefore, outageAlertAt } from './explain.repo.ts';
import type { CauseAt } from './explain-causes.ts';
import { durationText, timeText } from './kinds/words.ts';
import type { RuleRow } from './rule.repo.ts';

/** A cause of a rule at a moment, with its alert where it has one. */
export interface Subject {
  readonly rule: RuleRow;
  readonly cause: CauseAt;
  readonly alert: AlertRow | undefined;
  readonly atMs: number;
  /** True for the id of an alert that the caller may read. */
  readonly mayRead: (alertId: number) => boolean | Promise<boolean>;
}

const seconds = (ms: number) => Math.floor(ms / 1000);

/** Explains how a cause leads to a notification, in the order in which the rounds decide. */
export async function deliveryConditions(read: Tx, subject: Subject): Promise<AlertConditionState[]> {
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
export const wasNotified = ({ firedMs, messages }: AlertRow, atMs: number): boolean =>
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
