// Titles and details of groups of errors.
import { type ErrlogEntry, LEVELS, visibleText } from '@quarterdeck/core';

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
