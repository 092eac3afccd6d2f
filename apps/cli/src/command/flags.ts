// Options that several commands have, and options that derive from fields of the contract.
import { LEVELS } from '@quarterdeck/core/plain';
import type { Fields } from '../contract/endpoint-info.ts';
import type { Flag, Values } from './command.ts';

export const FORMATS = ['table', 'wide', 'json', 'ndjson', 'csv', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

/** Options of every command that calls a server. */
export const SERVER_FLAGS: readonly Flag[] = [
  { name: 'profile', type: 'text', placeholder: 'name', about: 'Profile to use; default: that of `profile use`' },
  { name: 'timeout', type: 'duration', about: 'Longest wait for an answer, such as 30s; default 10s' },
];

/** Options of every command that prints objects. */
export const OUTPUT_FLAGS: readonly Flag[] = [
  {
    name: 'output',
    short: 'o',
    type: 'text',
    placeholder: 'format',
    values: FORMATS,
    about: `${FORMATS.join(', ')}; default table`,
  },
  { name: 'columns', type: 'texts', placeholder: 'names', about: 'Fields to print, comma-separated: id,labels.site' },
  { name: 'jq', type: 'text', placeholder: 'program', about: 'Print what a jq program makes of the JSON' },
  { name: 'quiet', short: 'q', type: 'flag', about: 'Print ids only' },
];

/** Options of a command that prints objects with these fields. */
export const outputFlags = (fields: readonly string[]): Flag[] =>
  OUTPUT_FLAGS.map((flag) => (flag.name === 'columns' ? { ...flag, fields } : flag));

/** Options of every list. */
export const LIST_FLAGS: readonly Flag[] = [
  { name: 'filter', type: 'text', placeholder: 'expr', about: 'Filter language: "timed out" level:>=error -host:web*' },
  { name: 'since', type: 'time', placeholder: 'time', about: 'Not before this time: 2h, 7d, 2026-01-31' },
  { name: 'limit', type: 'number', placeholder: 'n', about: 'Most rows; default 50' },
  { name: 'all', type: 'flag', about: 'All rows' },
];

/** Previews a change. */
export const DRY_RUN: Flag = { name: 'dry_run', type: 'flag', about: 'Show what would happen; change nothing' };

/** Options of every change. */
export const CHANGE_FLAGS: readonly Flag[] = [
  DRY_RUN,
  { name: 'yes', short: 'y', type: 'flag', about: 'Do not ask before a change' },
];

/** A body as JSON. */
export const BODY_FLAG: Flag = {
  name: 'body',
  type: 'text',
  placeholder: 'file',
  about: 'JSON object with the fields of this command, from a file or - for standard input; options override it',
};

/** Options of fields of the contract, without those that the command names otherwise. */
export function fieldFlags(fields: Fields, omit: readonly string[] = []): Flag[] {
  return Object.entries(fields)
    .filter(([name]) => !omit.includes(name))
    .map(([name, { required, ...field }]) => ({
      ...field,
      name,
      ...(field.type === 'flag' && name !== 'dry_run' ? { negatable: true } : {}),
      // The body may have it instead.
      ...(required === true ? { about: `${field.about ?? ''}${field.about ? '; ' : ''}required` } : {}),
    }));
}

/** Forms of a value that people type otherwise than the API has it. */
const FORMS: Partial<Readonly<Record<Flag['type'], string>>> = {
  time: '2h, 2026-01-31, an ISO time or Unix seconds',
  expiry: '90d, 2027-01-31, an ISO time or never',
  duration: '30m, 1h or seconds',
  level: LEVELS.join(', ').toLowerCase(),
};

/** Explains an option in the help: its meaning, and the values that it takes. */
export function describeFlag({ type, about = '', values, name }: Flag): string {
  const isOwn = [...SERVER_FLAGS, ...LIST_FLAGS].some((flag) => flag.name === name && flag.about === about);
  const form = isOwn ? undefined : (FORMS[type] ?? values?.join(', '));
  const isNotified = values?.every((value) => about.includes(value)) === true;
  // The unit of the API is not that of the command line.
  const meaning =
    FORMS[type] === undefined ? about : about.replace(/(?:, )?Unix (?:milli)?seconds(?:, 0 = never)?/, '');
  if (form === undefined || isNotified) return meaning;
  return meaning === '' ? form : `${meaning} (${form})`;
}

/** Values of the fields that were given. */
export function given(fields: Fields, values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(fields).flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
}
