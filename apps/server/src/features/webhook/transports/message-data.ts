// Reads the data of messages. Nothing about its fields is certain: data of a large message is cut.
import { dateFromSeconds, levelName } from '@quarterdeck/core';
import type { StoredMessage } from './transport.ts';

export type MessageData = Readonly<Record<string, unknown>>;

export const isData = (value: unknown): value is MessageData =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Text of a value; empty for all but text, numbers and booleans. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Unix seconds as a time in UTC; empty for anything else. */
export function timeOf(value: unknown): string {
  if (typeof value !== 'number' || value <= 0) return '';
  const date = dateFromSeconds(value);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/T(.*)\..*/, ' $1 UTC');
}

/** The expiry of a token as a time in UTC: Unix seconds in alerts, milliseconds elsewhere. */
export const expiryOf = (value: unknown): string =>
  timeOf(typeof value === 'number' && value >= 1e11 ? value / 1000 : value);

export const levelOf = (value: unknown): string => (typeof value === 'number' ? levelName(value) : textOf(value));

/** The text with its first letter in upper case. */
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A time in UTC, without the day where it is that of another time: `03:07 UTC`, `2026-11-23 03:07 UTC`. */
export function clockOf(value: unknown, besideS: number): string {
  const [day = '', clock = ''] = timeOf(value).split(' ');
  if (clock === '') return '';
  const isSameDay = timeOf(besideS).startsWith(day);
  return `${isSameDay ? '' : `${day} `}${clock.slice(0, 5)} UTC`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** A duration in its two largest units, such as `1 h 12 min`. */
export function durationOf(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const first = UNITS.findIndex(([, size]) => rest >= size);
  if (first < 0) return '0 s';
  const words: string[] = [];
  for (const [name, size] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) words.push(`${count} ${name}`);
  }
  return words.join(' ');
}

/** Severity in the words of PagerDuty, from the worst. */
export type Severity = 'critical' | 'error' | 'warning' | 'info';

const CRITICAL: readonly string[] = ['agent.outage', 'audit.broken', 'server.health', 'token.reused'];
const INFO: readonly string[] = ['agent.back', 'token.expiring'];

const LEVEL_CRIT = 3;
const LEVEL_ERROR = 4;
const LEVEL_WARNING = 5;

/** Severity of a kind of rule. */
export function severityOfKind(kind: string): Severity {
  if (CRITICAL.includes(kind)) return 'critical';
  return INFO.includes(kind) ? 'info' : 'warning';
}

/** Severity of an alert: by the level of its error, else by its kind. */
export function severityOf(data: MessageData): Severity {
  const level = isData(data['what']) ? data['what']['level'] : undefined;
  if (typeof level !== 'number') return severityOfKind(textOf(data['kind']));
  if (level <= LEVEL_CRIT) return 'critical';
  if (level === LEVEL_ERROR) return 'error';
  return level === LEVEL_WARNING ? 'warning' : 'info';
}

/**
 * Name of the alert of a message. The beginning tells alerts of several installations apart that send to one service.
 */
export function alertKey({ messageId, body, alertId, earlier }: StoredMessage): string {
  if (earlier !== undefined && earlier.receipt !== '') return earlier.receipt;
  const { data } = JSON.parse(body) as { readonly data: unknown };
  const { id, since } = isData(data) ? data : {};
  const alert = alertId > 0 ? String(alertId) : textOf(id);
  return alert === '' ? `quarterdeck-test-${messageId}` : `quarterdeck-${alert}-${textOf(since)}`;
}

/** Id of the alert with this name; undefined where it is the name of no alert of Quarterdeck. */
export function alertOfKey(key: string): number | undefined {
  const [, id] = /^quarterdeck-(\d{1,15})-/.exec(key) ?? [];
  return id === undefined ? undefined : Number(id);
}
