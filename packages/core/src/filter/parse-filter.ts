// Parses the filter language by recursive descent. docs/reference/filter.md is its reference, decision 032 has the
// reasons.
import { type FieldNames, LINE_FIELDS } from './field-names.ts';
import { allOf, anyOf, FILTER_BYTES_MAX, type Filter, FilterError, negate } from './filter.ts';
import { FilterScanner } from './filter-scanner.ts';
import { parseField } from './parse-field.ts';

/** Name of a field without quotes, and its colon. */
const NAME = /[A-Za-z_@][\w.-]*:/y;
/** Behind a name and a colon these begin a text: `http://`, `std::io`, `C:\`. */
const TEXT_AFTER_COLON = ['//', ':', '\\'] as const;
const KEYWORD = /(?:AND|OR|NOT)(?![^ \t\r\n()])/y;
const TERM_FORMS = ['text', '"quoted text"', '/expression/', 'field:value', '-term', 'NOT term', '(group)'] as const;

/**
 * Parses a filter of lines, or of the rows that `names` describes. A blank text matches everything. Expressions are
 * checked only after `loadExpressions`.
 *
 * @throws FilterError with the place
 */
export function parseFilter(text: string, names: FieldNames = LINE_FIELDS): Filter {
  // Most requests have none.
  if (text === '') return { kind: 'all' };
  checkText(text);
  const scanner = new FilterScanner(text, names);
  scanner.skipBlanks();
  if (scanner.at === text.length) return { kind: 'all' };
  const filter = parseOr(scanner);
  if (scanner.at < text.length) {
    const message = 'This parenthesis closes none. Quote a text that has it.';
    scanner.fail(message, scanner.at, scanner.at + 1, ['OR', 'AND', ...TERM_FORMS]);
  }
  return filter;
}

/** Refuses a text that is too long or cannot be stored. */
function checkText(text: string): void {
  if (new TextEncoder().encode(text).length > FILTER_BYTES_MAX) {
    const message = `A filter has at most ${FILTER_BYTES_MAX} bytes.`;
    throw new FilterError(
      message,
      Math.min(FILTER_BYTES_MAX, text.length),
      Math.max(0, text.length - FILTER_BYTES_MAX),
    );
  }
  const bad = text.search(/\0|\p{Surrogate}/u);
  if (bad >= 0) throw new FilterError('This character cannot be stored, so no line has it.', bad, 1);
}

function parseOr(scanner: FilterScanner): Filter {
  const filters = [parseAnd(scanner)];
  while (takeKeyword(scanner, 'OR')) filters.push(parseAnd(scanner));
  return anyOf(filters);
}

/** Parses terms up to `OR`, a closing parenthesis, or the end. */
function parseAnd(scanner: FilterScanner): Filter {
  const filters = [parseUnary(scanner)];
  for (;;) {
    const isJoined = takeKeyword(scanner, 'AND');
    if (!isJoined && (scanner.at === scanner.text.length || scanner.has(')') || keywordAt(scanner) === 'OR')) break;
    filters.push(parseUnary(scanner));
  }
  return allOf(filters);
}

/** Parses a term, a group, or a negation of them. */
function parseUnary(scanner: FilterScanner): Filter {
  scanner.skipBlanks();
  const start = scanner.at;
  const keyword = keywordAt(scanner);
  if (scanner.has(')') || start === scanner.text.length) {
    scanner.fail('A term is missing here.', start, Math.min(start + 1, scanner.text.length), TERM_FORMS);
  }
  if (keyword === 'AND' || keyword === 'OR') {
    const message = `A term is missing before ${keyword}. Quote "${keyword}" to find the word.`;
    scanner.fail(message, start, start + keyword.length, TERM_FORMS);
  }
  if (takeKeyword(scanner, 'NOT') || takeMinus(scanner)) {
    return negate(scanner.nested(start, () => parseUnary(scanner)));
  }
  if (!scanner.take('(')) return parseTerm(scanner);
  const group = scanner.nested(start, () => parseOr(scanner));
  if (!scanner.take(')')) scanner.fail('The group has no end.', start, scanner.text.length, [')', 'OR', ...TERM_FORMS]);
  // Terms may follow a group without a blank: `(a OR b)c` is clear.
  return group;
}

/** Keyword at this place, which is not read. */
function keywordAt(scanner: FilterScanner): string | undefined {
  const { at } = scanner;
  const found = scanner.takeMatch(KEYWORD);
  scanner.at = at;
  return found;
}

function takeKeyword(scanner: FilterScanner, keyword: string): boolean {
  scanner.skipBlanks();
  return keywordAt(scanner) === keyword && scanner.take(keyword);
}

/** Reads a minus sign that negates. One alone, an arrow, and several (`--force`, `-----BEGIN`) are text. */
function takeMinus(scanner: FilterScanner): boolean {
  const isText = scanner.has('--') || scanner.has('->') || scanner.isBoundary(scanner.at + 1);
  return !isText && scanner.take('-');
}

function parseTerm(scanner: FilterScanner): Filter {
  const start = scanner.at;
  if (scanner.has('"')) return parseQuoted(scanner);
  if (scanner.has('*') && scanner.isBoundary(start + 1)) {
    scanner.at += 1;
    return { kind: 'all' };
  }
  const expression = scanner.has('/') ? scanner.readExpression() : undefined;
  if (expression !== undefined) {
    scanner.countTerm(start);
    return { kind: 'expression', ...expression };
  }
  const name = takeName(scanner);
  if (name !== undefined) return parseField(scanner, name, start);
  const text = scanner.readWord();
  scanner.countTerm(start);
  return { kind: 'text', text };
}

/** Parses a phrase, or a field whose name is quoted. */
function parseQuoted(scanner: FilterScanner): Filter {
  const start = scanner.at;
  const text = scanner.readQuoted();
  if (scanner.take(':')) return parseField(scanner, requireName(scanner, text, start), start);
  scanner.requireBoundary();
  scanner.countTerm(start);
  return { kind: 'text', text };
}

/** Reads a name and its colon. Undefined where they are text; nothing is read then. */
function takeName(scanner: FilterScanner): string | undefined {
  const start = scanner.at;
  const written = scanner.takeMatch(NAME);
  if (written === undefined) return undefined;
  const { names } = scanner;
  const name = names.canonical(written.slice(0, -1));
  // A line often has `error: ...`, so a name that means nothing special may stand alone.
  const isSpecial = name !== undefined && names.listed.includes(names.written(name));
  const isText = TEXT_AFTER_COLON.some((part) => scanner.has(part)) || (scanner.isBoundary() && !isSpecial);
  if (!isText) return requireName(scanner, written.slice(0, -1), start);
  scanner.at = start;
  return undefined;
}

/** Canonical name of a written one, which began at `start`. */
function requireName(scanner: FilterScanner, written: string, start: number): string {
  const name = scanner.names.canonical(written);
  if (name !== undefined) return name;
  const message = 'There is no such field. Quote a text that has a colon.';
  return scanner.fail(message, start, start + written.length, scanner.names.listed);
}
