// Numbers as people read them at night, in the titles of alerts.
import { type ErrlogEntry, LEVELS, visibleText } from '@quarterdeck/core';

const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** A duration in its two largest units, such as `3 min 20 s`. */
export function durationText(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1000));
  const first = UNITS.findIndex(({ seconds }) => rest >= seconds);
  if (first < 0) return '0 s';
  const parts: string[] = [];
  for (const { name, seconds } of UNITS.slice(first, first + 2)) {
    const n = Math.floor(rest / seconds);
    rest -= n * seconds;
    if (n > 0) parts.push(`${n} ${name}`);
  }
  return parts.join(' ');
}

/** A time in UTC, such as `2026-01-31 09:05 UTC`. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const MIB = 1024 * 1024;

/** A size in MiB or GiB. */
export const bytesText = (bytes: number): string =>
  bytes < 1024 * MIB ? `${Math.floor(bytes / MIB)} MiB` : `${(bytes / MIB / 1024).toFixed(1)} GiB`;

/** A number of things, such as `1 line` or `1,234 lines`. */
export const countText = (n: number, thing: string): string =>
  `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`;

/** Characters of a text in a detail at most. */
const LOG_MAX = 2_000;

/** Place of a group: its source, and its service where it has one. */
export const placeOf = ({ source, src, service }: ErrlogEntry): string =>
  `${source ?? `source ${src}`}${service ? ` (${service})` : ''}`;

/** Level of a group and the first line of its text. */
export const textOf = ({ level, log }: ErrlogEntry): string => `${LEVELS[level] ?? level}: ${log.split('\n', 1)[0]}`;

/** Fields of a group in the detail of an alert. */
export const detailOf = (entry: ErrlogEntry) => ({
  group: entry.id,
  level: entry.level,
  src: entry.src,
  source: entry.source,
  fingerprint: entry.fingerprint,
  app_id: entry.app_id,
  host: entry.host,
  service: entry.service,
  log: visibleText(entry.log.slice(0, LOG_MAX).toWellFormed()),
  count: entry.count,
  first_seen: entry.first_seen,
  log_time: entry.log_time,
});

/** The same for equal errors on all hosts; undefined where a detail is not about one error. */
export function errorOf({ fingerprint, level, app_id: appId }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof fingerprint === 'string' ? JSON.stringify([fingerprint, level, appId]) : undefined;
}
