// Words for rules and alerts: kinds, conditions, states. Pure.

import { type AlertKind, alertKind, hasEnd } from '@quarterdeck/core/plain';
import type { Alert, AlertRule } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { exactSpan, grouped } from '../text/format.ts';
import type { Word } from '../text/tone.ts';

/** A kind of rule, from its settings to a condition in words. */
const CONDITIONS: Readonly<Record<AlertKind, (when: AlertRule['when']) => string>> = {
  'errlog.new': () => 'a new error',
  'errlog.regressed': () => 'a resolved error happens again',
  'errlog.count': ({ count = 0, within = 0, per = 'group' }) =>
    `more than ${grouped(count)} in ${exactSpan(within)} per ${PER[per]}`,
  'errlog.spike': ({ count = 0, within = 0, per = 'service' }) =>
    `far more than usual in ${exactSpan(within)} per ${PER[per]}, over ${grouped(count)}`,
  silence: ({ within = 0, per = 'source' }) => `a ${PER[per]} silent for ${exactSpan(within)}`,
  'agent.offline': () => 'an agent stops reporting',
  'agent.back': () => 'an agent reports again',
  'agent.outage': () => 'many agents go silent together',
  'operation.failed': () => 'an operation fails',
  'certificate.expiring': ({ within = 0 }) => `a certificate expires within ${exactSpan(within)}`,
  'host.resource': ({ resource = 'disk', count = 0 }) => `${resource} of a host over ${grouped(count)} %`,
  'change.worse': ({ within = 0 }) => `a change made errors worse within ${exactSpan(within)}`,
  'token.expiring': ({ within = 0 }) => `an API token expires within ${exactSpan(within)}`,
  'token.reused': () => 'a replaced token secret is used',
  'signin.failed': ({ count = 0, within = 0 }) => `more than ${grouped(count)} failed sign-ins in ${exactSpan(within)}`,
  'audit.broken': () => 'the audit log was changed by other means',
  'server.health': () => 'disk, lines, database or backup need attention',
};

/** The condition of a kind of rule without its numbers: `an error appeared that was not known before`. */
export const kindText = (kind: AlertKind): string => alertKind(kind).help;

/** Names of the units that a rule counts by. */
export const PER = { group: 'error', source: 'source', service: 'service' } as const;

/** The condition of a rule in words: `more than 100 in 5m per error, for 2m · level:error`. */
export function conditionText({ when, for: forS, filter }: Pick<AlertRule, 'when' | 'for' | 'filter'>): string {
  const lasting = forS > 0 ? `, for ${exactSpan(forS)}` : '';
  const narrowed = filter === '' ? '' : ` · ${clean(filter)}`;
  return `${CONDITIONS[when.kind](when)}${lasting}${narrowed}`;
}

/** The state of an alert, for the list. A kind without an end was only sent. */
export function alertState({ state, kind, acknowledged, muted_until: muted }: Alert): Word {
  if (state !== 'resolved' && muted !== null) return { sign: '○', text: 'muted', tone: 'muted' };
  if (state === 'firing') {
    return acknowledged === null
      ? { sign: '▲', text: 'firing', tone: 'bad' }
      : { sign: '△', text: 'acked', tone: 'warning' };
  }
  if (state === 'pending') return { sign: '◇', text: 'pending', tone: 'warning' };
  return hasEnd(kind) ? { sign: '✓', text: 'ended', tone: 'good' } : { sign: '◆', text: 'sent', tone: 'notice' };
}

/** The same in full, for the details. */
export const alertStateText = ({ state, kind, acknowledged, muted_until: muted }: Alert): string => {
  if (state === 'resolved') return hasEnd(kind) ? 'ended' : 'sent; this kind has no end';
  return [state, ...(acknowledged === null ? [] : ['acknowledged']), ...(muted === null ? [] : ['muted'])].join(', ');
};

/** The user who works on an alert, or else who acknowledged it; empty for nobody. */
export const alertPerson = ({ assigned, acknowledged }: Pick<Alert, 'assigned' | 'acknowledged'>): string =>
  clean(assigned?.username ?? acknowledged?.by ?? '');

/** The cleaned name of a rule. */
export const ruleName = ({ name }: Pick<AlertRule, 'name'>): string => clean(name) || '(no name)';
