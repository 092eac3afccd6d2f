// Formats filters as text that parses to the same filter.
import { type FieldNames, LINE_FIELDS, type ValueKind } from './field-names.ts';
import { type Comparison, type Expression, type Filter, simplify, type Term, type Test } from './filter.ts';
import { FLIPPED, LEVEL_NAMES } from './level-tests.ts';
import { formatMoment } from './moment.ts';

const PLAIN_NAME = /^[A-Za-z_@][\w.-]*$/;
/** Values without quotes: nothing in them has a meaning. */
const PLAIN_VALUE = /^[\p{L}\p{N}_@#%&+.;'][\p{L}\p{N}_@#%&+.;:/'=-]*$/u;
/** Texts without quotes; a colon could make a field, and `->` is an arrow. */
const PLAIN_TEXT = /^[\p{L}\p{N}_@#%&+.,;'=[\]{}!?|<][\p{L}\p{N}_@#%&+.,;'=[\]{}!?|<>/-]*$/u;
const KEYWORDS = new Set(['AND', 'OR', 'NOT']);
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Formats a filter in canonical form: `parseFilter` with the same names returns {@link simplify} of it. The text can be
 * a little longer than the one that was parsed.
 */
export function formatFilter(filter: Filter, names: FieldNames = LINE_FIELDS): string {
  const simple = simplify(filter);
  return simple.kind === 'all' ? '' : formatPart(simple, names);
}

function formatPart(filter: Filter, names: FieldNames): string {
  switch (filter.kind) {
    case 'and':
      return filter.terms
        .map((term) => (term.kind === 'or' ? inGroup(term, names) : formatPart(term, names)))
        .join(' ');
    case 'or':
      return filter.terms.map((term) => formatPart(term, names)).join(' OR ');
    case 'not':
      return formatNot(filter.term, names);
    case 'all':
      return '*';
    default:
      return formatTerm(filter, names);
  }
}

const inGroup = (filter: Filter, names: FieldNames) => `(${formatPart(filter, names)})`;

function formatNot(filter: Filter, names: FieldNames): string {
  const isGroup = filter.kind === 'and' || filter.kind === 'or';
  return `-${isGroup ? inGroup(filter, names) : formatPart(filter, names)}`;
}

function formatTerm(term: Term, names: FieldNames): string {
  switch (term.kind) {
    case 'text':
      return PLAIN_TEXT.test(term.text) && !KEYWORDS.has(term.text) ? term.text : quoteText(term.text);
    case 'expression':
      return formatExpression(term);
    case 'field':
      return `${formatName(term.field, names)}:${formatTest(term.test, names.kindOf(term.field))}`;
    default:
      return `${term.kind}:${formatMoment(term.moment)}`;
  }
}

/** Writes the name of a field, in quotes where it needs them. */
export function formatName(name: string, names: FieldNames): string {
  const written = names.written(name);
  return PLAIN_NAME.test(written) && names.canonical(written) === name ? written : quoteText(written);
}

function formatTest(test: Test, kind: ValueKind | undefined): string {
  switch (test.op) {
    case 'any':
      return '*';
    case 'equals':
      return test.values.map(formatValue).join(',');
    case 'prefix':
      return `${formatValue(test.value)}*`;
    case 'compare':
      return formatComparison(test.operator, test.number, kind);
    default:
      return formatExpression(test);
  }
}

function formatComparison(operator: Comparison, number: number, kind: ValueKind | undefined): string {
  if (kind === 'level') return `${FLIPPED[operator]}${LEVEL_NAMES[number]}`;
  return `${operator}${kind === 'moment' ? formatMoment({ unix: number }) : number}`;
}

/** Writes a value of a field, in quotes where it needs them. */
export const formatValue = (value: string) =>
  PLAIN_VALUE.test(value) && !value.includes('..') ? value : quoteText(value);

/** Puts a text into double quotes. */
export const quoteText = (text: string) => `"${text.replaceAll(/["\\\n\r\t]/g, (found) => ESCAPES[found] ?? found)}"`;

/** Escapes the slashes that would end the expression. */
const formatExpression = ({ source, flags }: Expression) =>
  `/${source.replaceAll(/\\.|\//gs, (found) => (found === '/' ? '\\/' : found))}/${flags}`;
