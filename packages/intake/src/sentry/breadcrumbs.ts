// Writes the breadcrumbs of an event as one text, the oldest first.
import { asList, asObject, type Json } from '../http/otlp-value.ts';
import { textOf, withoutQuery } from './reading.ts';

/** The newest breadcrumbs that are read, and characters of one and of all. */
const MAX_CRUMBS = 50;
const MAX_CRUMB = 300;
const MAX_TEXT = 4_000;
const BREAKS = /[\r\n]+/g;

/** `2026-11-28T02:00:00.000Z http GET https://shop.example/cart 500`, a line for each; the newest ones that fit. */
export function breadcrumbsText(breadcrumbs: unknown): string {
  const given = Array.isArray(breadcrumbs) ? breadcrumbs : asList(asObject(breadcrumbs)?.['values']);
  const lines: string[] = [];
  let length = 0;
  for (const item of given.slice(-MAX_CRUMBS).toReversed()) {
    const crumb = asObject(item);
    if (crumb === undefined) continue;
    const line = crumbText(crumb);
    length += line.length + 1;
    if (length > MAX_TEXT) break;
    lines.push(line);
  }
  return lines.toReversed().join('\n');
}

function crumbText(crumb: Json): string {
  const data = asObject(crumb['data']) ?? {};
  const parts = [
    timeText(crumb['timestamp']),
    textOf(crumb['level']),
    textOf(crumb['category']) || textOf(crumb['type']),
    textOf(crumb['message']),
    textOf(data['method']),
    withoutQuery(textOf(data['url'])),
    textOf(data['status_code']),
  ];
  return parts
    .filter((part) => part !== '')
    .join(' ')
    .replace(BREAKS, ' ')
    .slice(0, MAX_CRUMB);
}

/** Last second that a date can hold. */
const MAX_S = 8_640_000_000_000;

function timeText(time: unknown): string {
  if (typeof time !== 'number') return textOf(time);
  return time >= 0 && time <= MAX_S ? new Date(time * 1_000).toISOString() : '';
}
