// The API of Prometheus Alertmanager, version 2. It tells its own receivers, so it gets alerts of rules only.
import { ALERT_KINDS, type AlertKind } from '@quarterdeck/core';
import type { OpenChannel, StoredMessage } from '../transport.ts';
import type { Post } from './http-post.ts';
import { capitalized, isData, type MessageData, textOf } from './message-data.ts';
import { oneLine } from './message-text.ts';
import { readSummary } from './summary.ts';

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

const CRITICAL: readonly string[] = ['agent.outage', 'audit.broken', 'server.health', 'token.reused'];
const INFO: readonly string[] = ['agent.back', 'token.expiring'];

/** Severity of a kind, in the words of Prometheus. */
function severityOf(kind: string): string {
  if (CRITICAL.includes(kind)) return 'critical';
  return INFO.includes(kind) ? 'info' : 'warning';
}

const isTest = (type: string) => type !== 'alert.firing' && type !== 'alert.resolved';

/** Labels of an alert. They identify it, so each stays the same while it lasts: the name of a rule may change. */
function labelsOf(type: string, data: MessageData): Record<string, string> {
  // A test of an alert has the kind of its rule, and must not be taken for it.
  const kind = isTest(type) ? type : textOf(data['kind']);
  return {
    alertname: `Quarterdeck${kind.split('.').map(capitalized).join('')}`,
    kind,
    cause: textOf(data['cause']),
    severity: isTest(type) ? 'info' : severityOf(kind),
    rule: textOf(data['rule_id']),
  };
}

/** Time until which an alert fires from now on, Unix milliseconds. */
function endMs(type: string, { kind, resolved }: MessageData, nowMs: number): number {
  if (isTest(type)) return nowMs + TEST_MS;
  if (type === 'alert.resolved') return typeof resolved === 'number' ? Math.min(resolved * 1000, nowMs) : nowMs;
  const ends = ALERT_KINDS[kind as AlertKind]?.ends ?? true;
  return nowMs + (ends ? LASTING_MS : MOMENT_MS);
}

/** Address of the API of an Alertmanager. The path may be part of the address of the channel already. */
function apiOf(channelUrl: string): URL {
  const url = new URL(channelUrl);
  if (!url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/*$/, PATH);
  return url;
}

/** Formats a message for Alertmanager at the time of the attempt. */
export function alertmanagerPost(channel: OpenChannel, { type, body }: StoredMessage, nowMs: number): Post {
  const { title, facts, examples, url } = readSummary(body);
  const { data: given } = JSON.parse(body) as { readonly data: unknown };
  const data = isData(given) ? given : {};
  const endsMs = endMs(type, data, nowMs);
  const { since } = data;
  // It refuses an alert that ends before it starts.
  const startsMs = Math.min(typeof since === 'number' ? since * 1000 : nowMs, endsMs);
  const labels = Object.entries(labelsOf(type, data)).map(([name, value]) => [name, oneLine(value, LABEL_MAX)]);
  const alert = {
    labels: Object.fromEntries(labels),
    annotations: {
      summary: title,
      ...(facts.length === 0 ? {} : { description: facts.map(({ name, value }) => `${name}: ${value}`).join('\n') }),
      ...(examples.length === 0 ? {} : { examples: examples.join('\n') }),
    },
    startsAt: new Date(startsMs).toISOString(),
    endsAt: new Date(endsMs).toISOString(),
    ...(url === undefined ? {} : { generatorURL: url }),
  };
  return { url: apiOf(channel.url), body: JSON.stringify([alert]) };
}
