// The fields of an alert's details in words: the server keeps them as names and numbers. Pure.

import { levelName } from '@quarterdeck/core/plain';
import type { Alert } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { exactSpan, fullTime, grouped } from '../text/format.ts';

/** A field with its value in words. */
export interface DetailWords {
  readonly label: string;
  readonly value: string;
}

/** Longest shown value, characters. */
const VALUE_MAX = 400;
/** Smallest number that is a moment, and no count: 2001. */
const MOMENT_MIN = 1_000_000_000;

const LABELS: Readonly<Record<string, string>> = {
  app_id: 'Application',
  away_s: 'Away',
  check: 'Next step',
  expire: 'Expires',
  former: 'Before',
  free_bytes: 'Free',
  group: 'Error',
  hostname: 'Host',
  ip: 'Address',
  last_address: 'Last used from',
  last_client: 'Last used by',
  late: 'Reported late',
  log: 'Message',
  log_time: 'Last seen',
  n: 'Count',
  sample: 'Some of them',
  total_bytes: 'In total',
};

/** Numbers of the server for things that other fields name. */
const IDS = /^(id|src|node_type|.*_id|fingerprint|former)$/;
const MOMENTS = /^(first_seen|last_used|log_time|expire|created|last_reported|lost|time|since|started)$/;
const SPANS = /^(within|interval|.*_s)$/;

const labelOf = (name: string): string => {
  const words = LABELS[name] ?? name.replaceAll('_', ' ');
  return clean(words.charAt(0).toUpperCase() + words.slice(1));
};

/** `812 MB`: bytes in the largest unit that keeps three digits. */
function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

function numberText(name: string, value: number): string {
  if (name === 'level') return levelName(value);
  if (name.endsWith('_bytes')) return bytesText(value);
  if (MOMENTS.test(name) && value >= MOMENT_MIN) return fullTime(value * 1000);
  if (SPANS.test(name) && value > 0) return exactSpan(Math.round(value));
  return grouped(value);
}

function valueText(name: string, value: unknown): string {
  if (name === 'last_used' && value === null) return 'never';
  if (typeof value === 'number') return numberText(name, value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value))
    return value
      .map((one) => valueText(name, one))
      .filter(Boolean)
      .join(', ');
  if (typeof value !== 'object' || value === null) return clean(String(value ?? '').slice(0, VALUE_MAX));
  const fields = value as Readonly<Record<string, unknown>>;
  const named = fields['hostname'] ?? fields['name'];
  if (typeof named === 'string') return clean(named);
  // Labels of a host, counts by name.
  return Object.entries(fields)
    .map(([key, one]) => `${clean(key)} ${valueText(key, one)}`)
    .join(', ');
}

/** The fields of an alert that say something to people. Those of the error that it is about stand beside its own. */
export function detailWords({ detail }: Pick<Alert, 'detail'>): DetailWords[] {
  const { group, ...own } = detail as Readonly<Record<string, unknown>>;
  const ofError = typeof group === 'object' && group !== null ? group : {};
  return Object.entries({ ...own, ...ofError })
    .filter(([name, value]) => !IDS.test(name) && name !== 'group' && !(name === 'app_id' && value === 0))
    .map(([name, value]) => ({ label: labelOf(name), value: valueText(name, value).slice(0, VALUE_MAX) }))
    .filter(({ value }) => value !== '');
}
