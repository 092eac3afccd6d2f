// Kinds of rules of alerts. No schemas: every front end names them.
import { RESOURCE_LIMITS, RESOURCES, type Resource } from './vitals-limits.ts';

/** Units that a rule counts by: each of them is a cause of its own. */
export const ALERT_PER = ['group', 'source', 'service'] as const;

/** Settings and defaults of a kind of rule. Absent settings do not belong to the kind. */
export interface AlertKindSpec {
  readonly help: string;
  /** Number that is exceeded, with its default. */
  readonly count?: { readonly default: number };
  /** Seconds looked at, with the bounds and the default. */
  readonly within?: { readonly min: number; readonly max: number; readonly default: number };
  /** Resources of hosts; `disk` is the default. The default of `count` is then the usual limit of the resource. */
  readonly resources?: readonly Resource[];
  /** Units that it counts by; the first one is the default. */
  readonly per?: readonly (typeof ALERT_PER)[number][];
  /** Language of its filter. */
  readonly filter?: 'line' | 'agent';
  /** The cause has an end, which is notified as well. */
  readonly ends: boolean;
}

const DAY_S = 86_400;

/** Kind of a rule -> its settings. */
export const ALERT_KINDS = {
  'errlog.new': { help: 'an error appeared that was not known before', filter: 'line', ends: false },
  'errlog.regressed': { help: 'a resolved error happened again', filter: 'line', ends: false },
  'errlog.count': {
    help: 'more than count occurrences within a time',
    count: { default: 100 },
    within: { min: 60, max: DAY_S, default: 300 },
    per: ['group', 'source', 'service'],
    filter: 'line',
    ends: true,
  },
  'errlog.spike': {
    help: 'far more occurrences within a time than usual, and more than count',
    count: { default: 10 },
    within: { min: 60, max: 3600, default: 300 },
    per: ['service', 'source', 'group'],
    filter: 'line',
    ends: true,
  },
  silence: {
    help: 'a source or service that usually sends lines has sent none within a time',
    within: { min: 60, max: DAY_S, default: 900 },
    per: ['source', 'service'],
    filter: 'line',
    ends: true,
  },
  'agent.offline': { help: 'an agent stopped reporting', filter: 'agent', ends: true },
  'agent.back': { help: 'an agent reports again', filter: 'agent', ends: false },
  'agent.outage': { help: 'many agents stopped reporting at once', ends: true },
  'operation.failed': { help: 'an operation of an agent failed', filter: 'agent', ends: false },
  'certificate.expiring': {
    help: 'a certificate on a host expires within a time, or has expired',
    within: { min: 3600, max: 90 * DAY_S, default: 14 * DAY_S },
    filter: 'agent',
    ends: true,
  },
  'host.resource': {
    help: 'a resource of a host is used by more than count percent',
    resources: RESOURCES,
    count: { default: RESOURCE_LIMITS.disk },
    filter: 'agent',
    ends: true,
  },
  'change.worse': {
    help: 'a change from outside, such as a deployment, made errors new or more frequent',
    within: { min: 600, max: DAY_S, default: 3600 },
    ends: false,
  },
  'token.expiring': {
    help: 'an API token expires within a time',
    within: { min: 3600, max: 90 * DAY_S, default: 7 * DAY_S },
    ends: true,
  },
  'token.reused': { help: 'a replaced secret of an API token was used', ends: false },
  'signin.failed': {
    help: 'more than count sign-ins failed within a time',
    count: { default: 20 },
    within: { min: 60, max: DAY_S, default: 600 },
    ends: true,
  },
  'audit.broken': { help: 'the audit log was changed by other means', ends: true },
  'server.health': { help: 'disk, lost lines, database or backup of this server need attention', ends: true },
} as const satisfies Record<string, AlertKindSpec>;

/** Kind of a rule. */
export type AlertKind = keyof typeof ALERT_KINDS;

/** Every kind of rule. */
export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as [AlertKind, ...AlertKind[]];

/** Settings of a kind, with all of its possible parts. */
export const alertKind = (kind: AlertKind): AlertKindSpec => ALERT_KINDS[kind];

/** Most rules of an installation: each is evaluated all the time. */
export const ALERT_RULES_MAX = 200;
