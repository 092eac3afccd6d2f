// Formats filters as text that parses to the same filter.
import { canonicalFieldName } from './field-names.ts';
import { type Expression, type Filter, simplify, type Term, type Test } from './filter.ts';
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
 * Formats a filter in canonical form: `parseFilter` returns {@link simplify} of it. The text can be a little longer
 * than the one that was parsed.
 */
export function formatFilter(filter: Filter): string {
  const simple = simplify(filter);
  return simple.kind === 'all' ? '' : formatPart(simple);
}

function formatPart(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
      return filter.terms.map((term) => (term.kind === 'or' ? inGroup(term) : formatPart(term))).join(' ');
    case 'or':
      return filter.terms.map(formatPart).join(' OR ');
    case 'not':
      return formatNot(filter.term);
    case 'all':
      return '*';
    default:
      return formatTerm(filter);
  }
}

const inGroup = (filter: Filter) => `(${formatPart(filter)})`;

function formatNot(filter: Filter): string {
  const isGroup = filter.kind === 'and' || filter.kind === 'or';
  return `-${isGroup ? inGroup(filter) : formatPart(filter)}`;
}

function formatTerm(term: Term): string {
  switch (term.kind) {
    case 'text':
      return PLAIN_TEXT.test(term.text) && !KEYWORDS.has(term.text) ? term.text : quoteText(term.text);
    case 'expression':
      return formatExpression(term);
    case 'field':
      return `${formatName(term.field)}:${formatTest(term.test, term.field === 'level')}`;
    default:
      return `${term.kind}:${formatMoment(term.moment)}`;
  }
}

const formatName = (name: string) =>
  PLAIN_NAME.test(name) && canonicalFieldName(name) === name ? name : quoteText(name);

function formatTest(test: Test, isLevel: boolean): string {
  switch (test.op) {
    case 'any':
      return '*';
    case 'equals':
      return test.values.map(formatValue).join(',');
    case 'prefix':
      return `${formatValue(test.value)}*`;
    case 'compare': {
      const { operator, number } = test;
      return isLevel ? `${FLIPPED[operator]}${LEVEL_NAMES[number]}` : `${operator}${number}`;
    }
    default:
      return formatExpression(test);
  }
}

const formatValue = (value: string) => (PLAIN_VALUE.test(value) && !value.includes('..') ? value : quoteText(value));

/** Puts a text into double quotes. */
export const quoteText = (text: string) => `"${text.replaceAll(/["\\\n\r\t]/g, (found) => ESCAPES[found] ?? found)}"`;

/** Escapes the slashes that would end the expression. */
const formatExpression = ({ source, flags }: Expression) =>
  `/${source.replaceAll(/\\.|\//gs, (found) => (found === '/' ? '\\/' : found))}/${flags}`;
