// Turns the notifications of Prometheus Alertmanager, and of others that write its form, into lines of the intake. The
// form: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config.
import { levelOfName } from '@quarterdeck/core/lines';
import { LEVEL_ERROR, LEVELS } from '@quarterdeck/core/plain';
import { isMembers } from './http-fields.ts';

type Members = Readonly<Record<string, unknown>>;

const LEVEL_INFO = LEVELS.indexOf('INFO');
/** Severities of rules that are no names of levels. */
const SEVERITIES = new Map([
  ['page', 'CRIT'],
  ['high', 'ERROR'],
  ['major', 'ERROR'],
  ['minor', 'WARN'],
  ['low', 'WARN'],
  ['none', 'INFO'],
]);
const HOST_LABELS = ['host', 'hostname', 'node', 'instance', 'pod'];
const SERVICE_LABELS = ['service', 'job', 'app'];
const TEXTS = ['summary', 'message', 'description'];
const PORT = /:\d{1,5}$/;

/**
 * Returns a line for each alert of a notification; undefined for a body of any other form. The line has the time of
 * arrival: an alert that still fires is sent again with the time at which it began, which is the field `starts_at`.
 */
export function linesOfAlerts(body: unknown): readonly object[] | undefined {
  if (!isMembers(body) || !Array.isArray(body['alerts']) || body['log'] !== undefined) return undefined;
  if (typeof body['receiver'] !== 'string' || typeof body['status'] !== 'string') return undefined;
  const { receiver } = body;
  return body['alerts'].map((alert) => (isMembers(alert) ? lineOf(alert, receiver) : alert));
}

function lineOf(alert: Members, receiver: unknown): object {
  const labels = membersOf(alert['labels']);
  const isResolved = alert['status'] === 'resolved';
  const host = firstText(labels, HOST_LABELS)?.replace(PORT, '');
  const service = firstText(labels, SERVICE_LABELS);
  return {
    level: isResolved ? LEVEL_INFO : levelOf(labels['severity']),
    log: `${isResolved ? 'Resolved: ' : ''}${textOf(labels, membersOf(alert['annotations']))}`,
    ...(host === undefined ? {} : { host }),
    ...(service === undefined ? {} : { service }),
    fields: {
      ...labels,
      receiver,
      starts_at: alert['startsAt'],
      ...(isResolved ? { ends_at: alert['endsAt'] } : {}),
      generator_url: alert['generatorURL'],
      alert: alert['fingerprint'],
    },
  };
}

/** Returns the name of the alert and the texts that the rule has for it, a line each. */
function textOf(labels: Members, annotations: Members): string {
  const name = typeof labels['alertname'] === 'string' ? labels['alertname'] : 'Alert';
  const texts = TEXTS.map((key) => annotations[key]).filter((text) => typeof text === 'string' && text.trim() !== '');
  return texts.length === 0 ? name : `${name}: ${texts.join('\n')}`;
}

/** An alert without a known severity is an error. */
function levelOf(severity: unknown): number {
  if (typeof severity !== 'string') return LEVEL_ERROR;
  return levelOfName(SEVERITIES.get(severity.toLowerCase()) ?? severity) ?? LEVEL_ERROR;
}

const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});

function firstText(members: Members, names: readonly string[]): string | undefined {
  return names.map((name) => members[name]).find((value) => typeof value === 'string' && value !== '') as
    | string
    | undefined;
}
