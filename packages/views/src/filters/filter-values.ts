// Changes of a filter by single values. Pure.
import {
  allOf,
  type FieldNames,
  type Filter,
  formatFilter,
  LINE_FIELDS,
  negate,
  parseFilter,
  simplify,
  type Test,
} from '@quarterdeck/core/filter';

/** Terms that are joined by AND at the top of a filter. */
function termsOfAnd(filter: Filter): readonly Filter[] {
  if (filter.kind === 'all') return [];
  return filter.kind === 'and' ? filter.terms : [filter];
}

/** Replaces what a filter asks of a field. */
const withTest = (filter: Filter, field: string, test: Test): Filter =>
  allOf([
    ...termsOfAnd(filter).filter((term) => term.kind !== 'field' || term.field !== field),
    { kind: 'field', field, test },
  ]);

const isValue = (value: string): Test => (value === '' ? { op: 'any' } : { op: 'equals', values: [value] });

/** Narrows a filter to a value of a field; an empty value asks for rows without the field. */
export function withValue(text: string, field: string, value: string, names: FieldNames = LINE_FIELDS): string {
  const filter = simplify(parseFilter(text, names));
  if (value === '') return formatFilter(allOf([filter, negate({ kind: 'field', field, test: isValue('') })]), names);
  return formatFilter(withTest(filter, field, isValue(value)), names);
}

/** Narrows a filter to rows that do not have a value of a field. */
export function withoutValue(text: string, field: string, value: string, names: FieldNames = LINE_FIELDS): string {
  const excluded: Filter = { kind: 'field', field, test: isValue(value) };
  const filter = simplify(parseFilter(text, names));
  return formatFilter(allOf([filter, value === '' ? excluded : negate(excluded)]), names);
}

/** Narrows a filter to rows that contain a text. */
export const withText = (text: string, part: string, names: FieldNames = LINE_FIELDS): string =>
  formatFilter(allOf([simplify(parseFilter(text, names)), { kind: 'text', text: part }]), names);

/** Mildest level that a filter lets through; undefined for all. */
export function mildestLevel(text: string): number | undefined {
  for (const term of termsOfAnd(simplify(parseFilter(text)))) {
    if (term.kind !== 'field' || term.field !== 'level' || term.test.op !== 'compare') continue;
    if (term.test.operator === '<=') return term.test.number;
  }
  return undefined;
}

/** Lets a filter pass levels down to the mildest one; all without one. */
export function withMildestLevel(text: string, level: number | undefined): string {
  const filter = simplify(parseFilter(text));
  if (level !== undefined)
    return formatFilter(withTest(filter, 'level', { op: 'compare', operator: '<=', number: level }));
  return formatFilter(allOf(termsOfAnd(filter).filter((term) => term.kind !== 'field' || term.field !== 'level')));
}

/** Returns the filter of the lines of some groups. */
export const groupFilter = (groups: readonly number[]): string => `group:${groups.join(',')}`;
