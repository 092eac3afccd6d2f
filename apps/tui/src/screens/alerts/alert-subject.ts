// The way from an alert to what it is about. Pure.
import { type Access, type Alert, contract, quoteText } from '@quarterdeck/core';
import type { Target } from '../../commands/navigation.ts';

/** Most groups in a filter. */
const GROUPS_MAX = 20;

/** The errors of an alert; a single one is selected, several are filtered. */
function errors(id: string, { groups }: Alert): Target {
  if (groups.length < 2) return { screen: 'errlog', args: { id: id || String(groups[0] ?? 0) } };
  const filter = groups.slice(0, GROUPS_MAX).map((group) => `group:${group}`);
  return { screen: 'errlog', text: filter.join(' OR ') };
}

/** The first host of a certificate. */
function certificateHost({ detail: { sample } }: Alert): Target | undefined {
  const [first] = Array.isArray(sample) ? (sample as readonly { readonly agent_id?: unknown }[]) : [];
  const id = first?.agent_id;
  return typeof id === 'number' ? { screen: 'agents', args: { id: String(id) } } : undefined;
}

/** The screen of a subject by the first word of its key. */
const TARGETS: Readonly<Record<string, (rest: string, alert: Alert) => Target | undefined>> = {
  group: errors,
  many: (_, alert) => errors('', alert),
  certificate: (_, alert) => certificateHost(alert),
  source: (id, { kind }) =>
    kind === 'silence' ? { screen: 'sources', args: { id } } : { screen: 'errlog', args: { src: id } },
  service: (name) => ({ screen: 'errlog', text: `service:${quoteText(name)}` }),
  agent: (id) => ({ screen: 'agents', args: { id } }),
  operation: (id) => ({ screen: 'operations', args: { id } }),
  outage: (id) => ({ screen: 'outages', args: { id } }),
  token: (id) => ({ screen: 'apiTokens', args: { id } }),
  gone: (id) => ({ screen: 'webhooks', args: { id } }),
  channel: (id) => ({ screen: 'webhooks', args: { id } }),
};

/** Screens of kinds whose key names no row. */
const SCREENS: Partial<Readonly<Record<Alert['kind'], Target['screen']>>> = {
  'signin.failed': 'audit',
  'audit.broken': 'audit',
};

/** Access of the screens that not everybody who reads alerts may open. */
export const SUBJECT_ACCESS: Partial<Readonly<Record<Target['screen'], Access>>> = {
  audit: contract.audit.list.access,
  webhooks: contract.webhook.list.access,
};

/** The screen that shows what an alert is about; undefined for none. */
export function subjectTarget(alert: Alert): Target | undefined {
  const [, kind = '', rest = ''] = /^(\w+):(.+)$/s.exec(alert.key) ?? [];
  const target = Object.hasOwn(TARGETS, kind) ? TARGETS[kind]?.(rest, alert) : undefined;
  const screen = alert.key === 'drops' ? 'sources' : SCREENS[alert.kind];
  return target ?? (screen === undefined ? undefined : { screen });
}
