// The permission of data, wherever it travels: one table for events, rules of alerts, previews, alerts, messages to
// channels and deliveries. The endpoint has a permission of its own besides.

import type { Permission } from '../auth/permissions.ts';
import type { AlertCause, AlertMessage } from './alert-instance.ts';
import { ALERT_KIND_NAMES, type AlertKind } from './alert-kinds.ts';
import type { EventType } from './event.ts';

const ERRORS = ['errlog:read'] as const;
const AGENTS = ['agent:read'] as const;
const TOKENS = ['api_token:manage'] as const;
const AUDIT = ['audit:read'] as const;
/** Ids without names, for programs that keep the answer of a credential check. */
const REVOCATIONS = ['api_token:read'] as const;
const ALERTS = ['alert:read'] as const;

/**
 * Kind of a rule, or type of an event -> permissions to read what it is about, all of them. A kind and an event of the
 * same name are about the same data. An alert needs {@link alertNeeds}.
 */
const NEEDS = {
  'errlog.new': ERRORS,
  'errlog.repeated': ERRORS,
  'errlog.regressed': ERRORS,
  'errlog.changed': ERRORS,
  'errlog.count': ERRORS,
  'errlog.spike': ERRORS,
  silence: ERRORS,
  line: ERRORS,
  'line.missed': ERRORS,
  'agent.registered': AGENTS,
  'agent.online': AGENTS,
  'agent.offline': AGENTS,
  'agent.back': AGENTS,
  'agent.changed': AGENTS,
  'agent.removed': AGENTS,
  'agent.outage': AGENTS,
  'operation.failed': AGENTS,
  'certificate.expiring': AGENTS,
  'host.resource': AGENTS,
  'change.created': AGENTS,
  'change.worse': ['errlog:read', 'agent:read'],
  'token.expiring': TOKENS,
  'token.reused': TOKENS,
  'token.revoked': REVOCATIONS,
  'user.revoked': REVOCATIONS,
  'signin.failed': AUDIT,
  'audit.broken': AUDIT,
  // It names the sources that lost lines.
  'server.health': ['metrics:read', 'errlog:read'],
  'alert.firing': ALERTS,
  'alert.updated': ALERTS,
  'alert.acknowledged': ALERTS,
  'alert.assigned': ALERTS,
  'alert.resolved': ALERTS,
  resync: [],
} as const satisfies Record<AlertKind | EventType, readonly Permission[]>;

/** Permissions to create, change or preview a rule of a kind, or to choose an event for a channel. */
export const subjectNeeds = (subject: AlertKind | EventType): readonly Permission[] => NEEDS[subject];

/** Permissions to read an alert of a kind, in lists, events, messages and deliveries. */
export const alertNeeds = (kind: AlertKind): readonly Permission[] => [...ALERTS, ...NEEDS[kind]];

const isKind = (kind: unknown): kind is AlertKind => ALERT_KIND_NAMES.includes(kind as AlertKind);

/** Messages that have names of a rule or a channel alone. */
const TEST_MESSAGES: Readonly<Record<string, readonly Permission[]>> = { 'alert.test': ALERTS, 'webhook.test': [] };

/** Permissions of everything in the table, for what does not say which part of it it is about. */
const ALL: readonly Permission[] = [...new Set(Object.values(NEEDS).flat())];

/**
 * Permissions to read a message to a channel, or an event. `data` is that of the message: an alert names its kind. One
 * of an unknown type or kind needs the permissions of all of them.
 */
export function messageNeeds(type: string, data: unknown): readonly Permission[] {
  if (type.startsWith('alert.') && Object.hasOwn(NEEDS, type)) {
    const kind = (data as { readonly kind?: unknown } | null | undefined)?.kind;
    return isKind(kind) ? alertNeeds(kind) : ALL;
  }
  return Object.hasOwn(NEEDS, type) ? NEEDS[type as keyof typeof NEEDS] : (TEST_MESSAGES[type] ?? ALL);
}

/** Reason that stands for a suspected change which the caller may not read. */
export const CAUSE_NEEDS_AGENTS = 'It takes the permission agent:read to read changes of hosts.';

/** Parts of an alert that are about agents. */
interface WithCause {
  readonly cause?: AlertCause | null | undefined;
  readonly hosts?: AlertMessage['hosts'] | undefined;
  readonly vitals?: AlertMessage['vitals'] | undefined;
  readonly links?: AlertMessage['links'] | undefined;
}

/** Leaves out of an alert what a caller may not read: changes, numbers and vitals of hosts are data of agents. */
export function shownAlert<Shown extends WithCause>(has: readonly Permission[], alert: Shown): Shown {
  if (missingPermission(has, AGENTS) === undefined) return alert;
  const { cause, hosts, vitals, links } = alert;
  const none = { sentence: null, strength: null, change: null, link: null, why: CAUSE_NEEDS_AGENTS };
  return {
    ...alert,
    ...(cause && { cause: { ...cause, ...none } }),
    ...(hosts && { hosts: { ...hosts, of: null } }),
    ...(vitals && { vitals: [] }),
    ...(links && { links: { ...links, change: null } }),
  };
}

/**
 * An alert as a caller sees it who may see a part of the sources. Its suspected change, its numbers of hosts and the
 * alerts beside it may be about others.
 */
export const alertWithin = <Shown extends object>(alert: Shown): Shown => ({
  ...shownAlert([], alert),
  ...('hosts' in alert && { hosts: null }),
  ...('also' in alert && { also: [] }),
  ...('under' in alert && { under: 0 }),
  ...('parent_id' in alert && { parent_id: null }),
});

/** The first permission of these that is missing; undefined where none is. */
export const missingPermission = (has: readonly Permission[], needs: readonly Permission[]): Permission | undefined =>
  needs.find((one) => !has.includes(one));

/** Kinds of rules whose alerts a caller may read. */
export const readableKinds = (has: readonly Permission[]): AlertKind[] =>
  ALERT_KIND_NAMES.filter((kind) => missingPermission(has, NEEDS[kind]) === undefined);
