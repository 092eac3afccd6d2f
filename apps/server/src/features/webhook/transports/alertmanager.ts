// The API of Prometheus Alertmanager, version 2. It notifies its own receivers, so it gets alerts of rules only.
import { ALERT_KINDS, type AlertKind } from '@quarterdeck/core';
import type { HttpKind } from './channel-kind.ts';
import type { Fact } from './facts.ts';
import type { Post } from './http-post.ts';
import { capitalized, isData, type MessageData, severityOfKind, textOf } from './message-data.ts';
import { oneLine } from './message-text.ts';
import { readSummary } from './summary.ts';
import type { OpenChannel, StoredMessage } from './transport.ts';

const PATH = '/api/v2/alerts';
const LABEL_MAX = 200;

const HOUR_MS = 3_600_000;
/**
 * Time for which an alert fires at most. An alert of a rule is sent once, and Alertmanager would end it after its
 * `resolve_timeout` without `endsAt`.
 */
const LASTING_MS = 365 * 24 * HOUR_MS;
/** The same for a cause without an end, such as a new error, and for a test. */
const MOMENT_MS = HOUR_MS;
const TEST_MS = 60_000;

const isTest = (type: string) => type.endsWith('.test');

/** Labels of an alert. They identify it, so each stays the same while it lasts: the name of a rule may change. */
function labelsOf(type: string, data: MessageData): Record<string, string> {
  // A test of an alert has the kind of its rule, and must not be taken for it.
  const kind = isTest(type) ? type : textOf(data['kind']);
  return {
    alertname: `Quarterdeck${kind.split('.').map(capitalized).join('')}`,
    kind,
    // The label has the name that the key had before, so that alerts which are open during an upgrade end.
    cause: textOf(data['key'] ?? data['cause']),
    // Severity of the kind: the level of an error may change while the alert lasts.
    severity: isTest(type) ? 'info' : severityOfKind(kind),
    rule: textOf(data['rule_id']),
  };
}

/** Time until which an alert fires from now on, Unix milliseconds. */
function endMs(type: string, { kind, resolved }: MessageData, nowMs: number): number {
  if (isTest(type)) return nowMs + TEST_MS;
  if (type === 'alert.resolved') return typeof resolved === 'number' ? Math.min(resolved * 1000, nowMs) : nowMs;
  // Errors last until they stop. A message of before an upgrade has their end already.
  const isMoment = typeof resolved === 'number' || !(ALERT_KINDS[kind as AlertKind]?.ends ?? true);
  const isError = typeof kind === 'string' && kind.startsWith('errlog.') && typeof resolved !== 'number';
  return nowMs + (isMoment && !isError ? MOMENT_MS : LASTING_MS);
}

/** Address of the API of an Alertmanager. The path may be part of the address of the channel already. */
function apiOf(channelUrl: string): URL {
  const url = new URL(channelUrl);
  if (!url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/*$/, PATH);
  return url;
}

const factText = (facts: readonly Fact[]) => facts.map(({ name, value }) => `${name}: ${value}`).join('\n');

/** Formats a message for Alertmanager at the time of the attempt. */
function post(channel: OpenChannel, message: StoredMessage, nowMs: number): Post {
  const { type, body } = message;
  const { title, facts, lines, notes, links } = readSummary(message, channel);
  const { data: given } = JSON.parse(body) as { readonly data: unknown };
  const data = isData(given) ? given : {};
  const endsMs = endMs(type, data, nowMs);
  const { since } = data;
  // It refuses an alert that ends before it starts.
  const startsMs = Math.min(typeof since === 'number' ? since * 1000 : nowMs, endsMs);
  const labels = Object.entries(labelsOf(type, data)).map(([name, value]) => [name, oneLine(value, LABEL_MAX)]);
  const linkOf = (name: string) => links.find((link) => link.title === name)?.url;
  const annotations = {
    summary: `${channel.prefix} ${title}`.trim(),
    description: factText(facts),
    suspected_change: facts.find(({ name }) => name === 'Suspected change')?.value ?? '',
    examples: lines.join('\n'),
    notes: factText(notes),
    error_url: linkOf('Error') ?? '',
    change_url: linkOf('Change') ?? '',
    runbook_url: linkOf('Runbook') ?? '',
    issue_url: linkOf('New issue') ?? '',
  };
  const url = linkOf('Alert');
  const alert = {
    labels: Object.fromEntries(labels),
    annotations: Object.fromEntries(Object.entries(annotations).filter(([, text]) => text !== '')),
    startsAt: new Date(startsMs).toISOString(),
    endsAt: new Date(endsMs).toISOString(),
    ...(url === undefined ? {} : { generatorURL: url }),
  };
  return { url: apiOf(channel.url), body: JSON.stringify([alert]) };
}

/** Alertmanager has no acknowledgement: people silence alerts there. */
export const alertmanager: HttpKind = { later: { types: ['alert.updated', 'alert.resolved'], endless: true }, post };
