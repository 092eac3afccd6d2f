// Compiles a filter to a function of one line.
import { lowerAscii } from '../base/ascii.ts';
import { literalsOf, mostSelective } from './expression-literals.ts';
import { compileExpression } from './expressions.ts';
import { fieldOfLine, type KnownName } from './field-names.ts';
import { type Expression, type Filter, simplify, type Term, type Test } from './filter.ts';
import { levelsOf } from './level-tests.ts';
import { unixOf } from './moment.ts';
import { compare, toNumber } from './number.ts';
import { textMatcher } from './text-matcher.ts';

/** Properties of a line that filters read. `''` and 0 mean that the line has none, except for `level` and `src`. */
export interface FilterableLine {
  /** Unix seconds. */
  readonly time: number;
  readonly level: number;
  readonly log: string;
  readonly host: string;
  readonly service: string;
  readonly source: string;
  readonly src: number;
  readonly app_id: number;
  readonly req_id: string;
  readonly group: number;
  /** State of the group; absent = not known, which equals no state. */
  readonly state?: string;
  /** Returns the fields of the line. Every test of a field calls it, so it keeps what is expensive to find. */
  readonly fields: () => Readonly<Record<string, string>>;
}

/** Reports whether a line matches. */
export type LineTest = (line: FilterableLine) => boolean;

/**
 * Compiles a filter. Ages such as `since:2h` count back from `nowS`, in Unix seconds. A group tests its cheapest terms
 * first.
 *
 * @throws Error for a filter with an expression before `loadExpressions`
 */
export function compileFilter(filter: Filter, nowS: number): LineTest {
  return compile(simplify(filter), nowS);
}

function compile(filter: Filter, nowS: number): LineTest {
  switch (filter.kind) {
    case 'and': {
      const tests = compileGroup(filter.terms, nowS);
      return (line) => tests.every((test) => test(line));
    }
    case 'or': {
      const tests = compileGroup(filter.terms, nowS);
      return (line) => tests.some((test) => test(line));
    }
    case 'not': {
      const test = compile(filter.term, nowS);
      return (line) => !test(line);
    }
    case 'all':
      return () => true;
    default:
      return compileTerm(filter, nowS);
  }
}

const compileGroup = (filters: readonly Filter[], nowS: number): LineTest[] =>
  filters.toSorted((a, b) => costOf(a) - costOf(b)).map((filter) => compile(filter, nowS));

/** Relative cost of a test: properties of the line, then its text, its fields, and expressions. */
function costOf(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return Math.max(...filter.terms.map(costOf));
    case 'not':
      return costOf(filter.term);
    case 'text':
      return 1;
    case 'expression':
      return 3;
    case 'field':
      return (fieldOfLine(filter.field) === undefined ? 0 : 2) + (filter.test.op === 'matches' ? 1 : 0);
    default:
      return 0;
  }
}

function compileTerm(term: Term, nowS: number): LineTest {
  switch (term.kind) {
    case 'text': {
      const matches = textMatcher(term.text);
      return ({ log }) => matches(log);
    }
    case 'expression': {
      const matches = compileSearch(term);
      return ({ log }) => matches(log);
    }
    case 'field':
      return compileField(term.field, term.test);
    default: {
      const moment = unixOf(term.moment, nowS);
      return term.kind === 'since' ? ({ time }) => time >= moment : ({ time }) => time <= moment;
    }
  }
}

/** Compiles a search by an expression. A search for its literals excludes most texts 20 times as fast. */
function compileSearch(expression: Expression): (log: string) => boolean {
  const matches = compileExpression(expression);
  const literals = mostSelective(literalsOf(expression))?.map(textMatcher);
  if (literals === undefined) return matches;
  return (log) => literals.some((isIn) => isIn(log)) && matches(log);
}

function compileField(field: string, test: Test): LineTest {
  const own = fieldOfLine(field);
  if (own !== undefined) {
    const matches = compileTest(test);
    return (line) => {
      const fields = line.fields();
      return matches(Object.hasOwn(fields, own) ? (fields[own] ?? '') : '');
    };
  }
  switch (field as KnownName) {
    case 'level': {
      const levels = levelsOf(test);
      return ({ level }) => levels.includes(level);
    }
    case 'src':
      return compileNumber(test, ({ src }) => src, true);
    case 'app':
      return compileNumber(test, ({ app_id }) => app_id);
    case 'group':
      return compileNumber(test, ({ group }) => group);
    default:
      return compileProperty(field, test);
  }
}

/** Compiles a test of a property that is text. */
function compileProperty(field: string, test: Test): LineTest {
  const matches = compileTest(test);
  switch (field as KnownName) {
    case 'host':
      return ({ host }) => matches(host);
    case 'service':
      return ({ service }) => matches(service);
    case 'source':
      return ({ source }) => matches(source);
    case 'req':
      return ({ req_id }) => matches(req_id);
    default:
      return ({ state = '' }) => matches(state);
  }
}

/** Compiles a test of a number; 0 means none, unless `isSet` says that every line has one. */
function compileNumber(test: Test, numberOf: (line: FilterableLine) => number, isSet = false): LineTest {
  if (test.op === 'any') return (line) => isSet || numberOf(line) !== 0;
  const matches = compileTest(test);
  return (line) => matches(String(numberOf(line)));
}

/** Compiles a test of a value that is text; `''` = absent. */
export function compileTest(test: Test): (value: string) => boolean {
  switch (test.op) {
    case 'any':
      return (value) => value !== '';
    case 'equals': {
      const values = new Set(test.values.map(lowerAscii));
      return (value) => values.has(value) || values.has(lowerAscii(value));
    }
    case 'prefix': {
      const prefix = lowerAscii(test.value);
      return (value) => lowerAscii(value.slice(0, prefix.length)) === prefix;
    }
    case 'compare':
      return (value) => {
        const number = toNumber(value);
        return number !== undefined && compare(number, test.operator, test.number);
      };
    default: {
      const matches = compileExpression(test);
      return (value) => value !== '' && matches(value);
    }
  }
}
