// Names in filters of sources: which hosts, services and labels a user or an API token may see (decision 088).
import type { FieldNames } from './field-names.ts';
import { type Filter, FilterError, simplify, type Term, termsOf } from './filter.ts';
import { formatFilter } from './format-filter.ts';
import { parseFilter } from './parse-filter.ts';

/** Names that a filter of sources may ask for. */
export const SOURCE_FIELD_NAMES = ['host', 'service', 'label'] as const;

/** Canonical name of a field of sources. */
export type SourceFieldName = (typeof SOURCE_FIELD_NAMES)[number];

const isName = (name: string): name is SourceFieldName => (SOURCE_FIELD_NAMES as readonly string[]).includes(name);

const SOURCE_FIELDS: FieldNames = {
  canonical: (written) => [written.toLowerCase()].find(isName),
  kindOf: () => 'text',
  written: (name) => name,
  listed: SOURCE_FIELD_NAMES,
  nowS: 0,
};

/**
 * Parses a filter of sources; undefined for a blank text, which is none.
 *
 * @throws FilterError for a term about anything but `host:`, `service:` and `label:key=value`
 */
export function parseSourceFilter(text: string): Filter | undefined {
  const filter = simplify(parseFilter(text, SOURCE_FIELDS));
  if (text.trim() === '') return undefined;
  const fail = (message: string) => new FilterError(message, 0, text.length, ['host:', 'service:', 'label:key=value']);
  if (hasAll(filter)) throw fail('A filter of sources has host:, service: and label: alone; leave it empty for all.');
  for (const term of termsOf(filter)) {
    if (term.kind !== 'field') throw fail('A filter of sources has host:, service: and label: alone, no text.');
    if (term.field === 'label' && !namesLabel(term)) throw fail('Write label:key=value, or label:key=prefix*.');
  }
  return filter;
}

/** True where a part of a filter matches everything: it looks like a limit and is none. */
function hasAll(filter: Filter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.terms.some(hasAll);
  return filter.kind === 'not' ? hasAll(filter.term) : filter.kind === 'all';
}

function namesLabel({ test }: Extract<Term, { kind: 'field' }>): boolean {
  const isNamed = (value: string) => value.indexOf('=') > 0;
  if (test.op === 'equals') return test.values.every(isNamed);
  return test.op === 'prefix' && isNamed(test.value);
}

/** Joins two filters of sources, either of which may be empty: both must hold. */
export function bothSourceFilters(one: string, other: string): string {
  if (one === '' || other === '') return one || other;
  return `${joinedBegin(one)}${other})`;
}

/** The start of a filter that was joined with others behind it. */
export const joinedBegin = (one: string): string => `(${one}) (`;

/** True where a filter of sources has all terms of another one, so that it admits no more. */
export function isWithinSourceFilter(text: string, other: string): boolean {
  const parts = new Set(partsOf(text));
  return partsOf(other).every((part) => parts.has(part));
}

/** The terms of a filter of sources that must all hold. */
function partsOf(text: string): string[] {
  const filter = parseSourceFilter(text);
  if (filter === undefined) return [];
  return (filter.kind === 'and' ? filter.terms : [filter]).map((term) => formatFilter(term));
}
