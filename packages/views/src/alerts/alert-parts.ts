// The parts of an alert in words, in the order of a message. For the dashboard and the command line. Pure.

import { levelName } from '@quarterdeck/core/plain';
import type { Alert, AlertInstance } from '@quarterdeck/sdk';
import { withFieldWords } from '../agents/agent-words.ts';
import { clean } from '../text/clean.ts';
import { age, fullTime, grouped, shortTime, span } from '../text/format.ts';

/** An alert with as much evidence as is known: the list has none. */
export type KnownAlert = Alert & Partial<AlertInstance>;

/** A part of an alert: one value, or several that are shown below each other. */
export interface AlertPart {
  readonly id:
    | 'what'
    | 'since'
    | 'count'
    | 'hosts'
    | 'vitals'
    | 'cause'
    | 'lines'
    | 'incomplete'
    | 'also'
    | 'people'
    | 'links';
  readonly label: string;
  readonly values: readonly string[];
}

/** Most lines: as many as a message has. */
const LINES_MAX = 5;
/** Longest shown text of a line, characters. */
const LINE_MAX = 1_000;
/** A mute that lasts longer has no end. */
const ENDLESS_S = 20 * 366 * 86_400;

/** The cleaned title of an alert. */
export const alertTitle = ({ title, key }: Pick<Alert, 'title' | 'key'>): string => clean(title) || clean(key);

/** The suspected change of an alert, or why none is named, and when to look again. */
export function causeTexts({ cause }: Pick<Alert, 'cause'>, nowMs: number): string[] {
  if (cause === null) return [];
  const { sentence, strength, why, settled, next_look: next } = cause;
  const known =
    sentence === null
      ? `None. ${clean(why ?? 'Nothing is known.')}`
      : `${withFieldWords(clean(sentence))} (${strength})`;
  const isAhead = !settled && next !== null && next * 1000 > nowMs;
  return [known, ...(isAhead ? [`Look again at ${shortTime(next, nowMs)}.`] : [])];
}

/** `0.3`, `16`: a rate with as many digits as people read. */
const rate = (perMinute: number): string =>
  perMinute >= 10 ? grouped(Math.round(perMinute)) : String(Number(perMinute.toFixed(perMinute < 1 ? 2 : 1)));

function sinceText({ since, fired, resolved, state }: Alert, nowMs: number): string {
  const start = `${fullTime(since * 1000)} (${age(nowMs / 1000 - since)} ago)`;
  // An alert without an end is resolved with its message.
  if (resolved !== null && resolved > (fired ?? since)) {
    return `${start}, ended ${shortTime(resolved, nowMs)} after ${span((resolved - since) * 1000)}`;
  }
  return state === 'pending' ? `${start}, not long enough for a message yet` : start;
}

/** Frequency of the error of an alert. */
export function countText(
  { count, per_minute: now, usual, from }: NonNullable<KnownAlert['counts']>,
  nowMs: number,
): string {
  const often = `${grouped(count)} since ${shortTime(from, nowMs)}, ${rate(now)} a minute`;
  return `${often}, usually ${usual === 0 ? 'none' : rate(usual)}`;
}

/** Failing hosts of an alert. */
export function hostsText({ failing, of, names }: NonNullable<KnownAlert['hosts']>): string {
  const total = of === null ? grouped(failing) : `${grouped(failing)} of ${grouped(of)}`;
  const more = failing - names.length;
  if (of === null && more === 0) return names.map(clean).join(', ');
  const known = [...names.map(clean), ...(more > 0 && names.length > 0 ? [`${grouped(more)} more`] : [])];
  return known.length === 0 ? total : `${total}: ${known.join(', ')}`;
}

/** The end of a mute: a time, or nobody knows when. */
function mutedText(until: number, nowMs: number): string {
  return until - nowMs / 1000 > ENDLESS_S ? 'until somebody ends it' : `until ${fullTime(until * 1000)}`;
}

/** The newest lines, and the number of the others that are known. */
function lineTexts(lines: NonNullable<KnownAlert['lines']>, nowMs: number): string[] {
  const shown = lines.slice(0, LINES_MAX);
  const more = lines.length - shown.length;
  return [
    ...shown.map(({ time, host, source, log }) =>
      `${shortTime(time, nowMs)} ${clean(host || source)} ${clean(log.slice(0, LINE_MAX))}`.trimEnd(),
    ),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

/** The parts of an alert that people have added. */
export function peopleParts({ acknowledged, assigned, muted_until: muted }: Alert, nowMs: number): AlertPart[] {
  const part = (label: string, value: string): AlertPart => ({ id: 'people', label, values: [value] });
  return [
    ...(acknowledged === null
      ? []
      : [
          part(
            'Acknowledged',
            `by ${clean(acknowledged.by)} ${age(nowMs / 1000 - acknowledged.time)} ago${
              acknowledged.note === '' ? '' : `: ${clean(acknowledged.note)}`
            }`,
          ),
        ]),
    ...(assigned === null ? [] : [part('Assigned', `to ${clean(assigned.username)}`)]),
    ...(muted === null ? [] : [part('Muted', mutedText(muted, nowMs))]),
  ];
}

const LINK_LABELS = {
  alert: 'Alert page',
  error: 'Error page',
  change: 'Change page',
  runbook: 'Runbook',
  issue: 'New issue',
} as const;

/** The pages about an alert. */
export const alertLinks = ({ links }: Pick<KnownAlert, 'links'>): { label: string; url: string }[] =>
  (Object.keys(LINK_LABELS) as (keyof typeof LINK_LABELS)[]).flatMap((name) => {
    const url = links?.[name] ?? null;
    return url === null ? [] : [{ label: LINK_LABELS[name], url }];
  });

/** The parts of an alert that are known. Texts are cleaned. */
export function alertParts(alert: KnownAlert, nowMs: number): AlertPart[] {
  const { what, counts, hosts, vitals = [], lines = [], incomplete = [], also = [] } = alert;
  const part = (id: AlertPart['id'], label: string, values: readonly string[]): AlertPart[] =>
    values.length === 0 ? [] : [{ id, label, values }];
  return [
    ...part(
      'what',
      what ? 'Error' : 'Alert',
      what
        ? [
            `${levelName(what.level)} in ${clean(what.service || what.source || 'an unknown service')}: ${clean(what.text)}`,
          ]
        : [alertTitle(alert)],
    ),
    ...part('since', 'Since', [sinceText(alert, nowMs)]),
    ...part('count', 'Count', counts ? [countText(counts, nowMs)] : []),
    ...part('hosts', 'Hosts', hosts ? [hostsText(hosts)] : []),
    ...part('vitals', 'Vitals', vitals.map(clean)),
    ...part('cause', 'Suspected change', causeTexts(alert, nowMs)),
    ...part('lines', 'Newest lines', lineTexts(lines, nowMs)),
    ...part('incomplete', 'Incomplete', incomplete.map(clean)),
    ...part('also', 'Also found by', also.map(clean)),
    ...peopleParts(alert, nowMs),
    ...alertLinks(alert).flatMap(({ label, url }) => part('links', label, [clean(url)])),
  ];
}
