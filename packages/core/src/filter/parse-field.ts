// Parses the part of a field term behind the colon.
import { AGENT_STATES } from '../base/agent-states.ts';
import { ERRLOG_STATES } from '../base/errlog-states.ts';
import { levelOfName } from '../lines/level-names.ts';
import type { ValueKind } from './field-names.ts';
import { allOf, anyOf, type Comparison, type Filter, type Test } from './filter.ts';
import type { FilterScanner } from './filter-scanner.ts';
import { FLIPPED, LEVEL_NAMES } from './level-tests.ts';
import { parseMoment, unixOf } from './moment.ts';
import { toNumber } from './number.ts';

const OPERATOR = /[<>]=?/y;
const RANGE = /[+-]?\d+(?:\.\d+)?\.\.[+-]?\d+(?:\.\d+)?(?![^ \t\r\n)])/y;
const ID = /^\d{1,15}$/;
const TIMES = ['2h', '1d12h', '2026-01-31', '2026-01-31T10:00Z', 'Unix seconds'] as const;
/** Forms of a value by its kind; `own` is that of any field. */
export const VALUE_FORMS: Readonly<Record<ValueKind | 'own', readonly string[]>> = {
  agent_state: [...AGENT_STATES, '*'],
  flag: ['yes', 'no'],
  level: [...LEVEL_NAMES, '>=name', '*'],
  moment: ['>=2h', '<2026-01-31', '2026-01-31', '*'],
  number: ['a number', '>=number', '*'],
  state: [...ERRLOG_STATES, '*'],
  text: ['value', '"quoted value"', 'prefix*', '/expression/', '*'],
  time: TIMES,
  own: ['value', '"quoted value"', 'prefix*', '>=number', '1..9', '/expression/', '*'],
};

/** States by the kind of the field. */
const STATES = { agent_state: AGENT_STATES, state: ERRLOG_STATES } as const satisfies Partial<
  Record<ValueKind, readonly string[]>
>;
/** Canonical words of a flag. */
const FLAG_WORDS = new Map([
  ['yes', 'yes'],
  ['true', 'yes'],
  ['1', 'yes'],
  ['no', 'no'],
  ['false', 'no'],
  ['0', 'no'],
]);
/** Kinds whose values have no order. */
const UNORDERED: readonly (ValueKind | undefined)[] = ['agent_state', 'flag', 'state', 'text'];

/** Name of a field, the place where its term began, and the kind of its values. */
type Field = { readonly name: string; readonly start: number; readonly kind: ValueKind | undefined };

/** Parses the value of a field. The scanner is behind the colon of the term that began at `start`. */
export function parseField(scanner: FilterScanner, name: string, start: number): Filter {
  const field = { name, start, kind: scanner.names.kindOf(name) };
  if (scanner.isBoundary())
    failValue(scanner, field, `Write a value directly after ${scanner.names.written(name)}:, without a blank.`);
  if (field.kind === 'time') return parseTime(scanner, field);
  if (scanner.has('=')) failValue(scanner, field, `Write ${scanner.names.written(name)}:value to ask for a value.`);
  if (field.kind !== 'flag' && scanner.has('*') && scanner.isBoundary(scanner.at + 1)) {
    scanner.at += 1;
    return term(scanner, field, { op: 'any' });
  }
  const operator = scanner.takeMatch(OPERATOR);
  if (field.kind === 'moment') return parseCompared(scanner, field, operator as Comparison | undefined);
  if (operator !== undefined) return parseComparison(scanner, field, operator as Comparison);
  const isText = field.kind === undefined || field.kind === 'text';
  const expression = isText && scanner.has('/') ? scanner.readExpression() : undefined;
  if (expression !== undefined) return term(scanner, field, { op: 'matches', ...expression });
  if (field.kind === undefined || field.kind === 'number') {
    const range = scanner.takeMatch(RANGE);
    if (range !== undefined) return parseRange(scanner, field, range);
  }
  return parseList(scanner, field);
}

function term(scanner: FilterScanner, { name, start }: Field, test: Test): Filter {
  scanner.countTerm(start);
  return { kind: 'field', field: name, test };
}

/** Several tests of one field are a group, also in the depth. */
function terms(scanner: FilterScanner, field: Field, tests: readonly Test[]): Filter[] {
  const parse = () => tests.map((test) => term(scanner, field, test));
  return tests.length > 1 ? scanner.nested(field.start, parse) : parse();
}

/** Refuses the value that begins at `start`. */
function failValue(scanner: FilterScanner, { kind }: Field, message: string, start = scanner.at): never {
  scanner.readWord();
  scanner.fail(message, start, scanner.at, VALUE_FORMS[kind ?? 'own']);
}

function parseTime(scanner: FilterScanner, field: Field): Filter {
  const start = scanner.at;
  const kind = field.name === 'until' ? 'until' : 'since';
  const moment = parseMoment(scanner.readWord(), kind === 'until');
  if (moment === undefined) failValue(scanner, field, `This is no time that ${kind}: takes.`, start);
  scanner.countTerm(field.start);
  return { kind, moment };
}

/** Parses `>=2h`, `<2026-01-31`, or a day. */
function parseCompared(scanner: FilterScanner, field: Field, operator: Comparison | undefined): Filter {
  const start = scanner.at;
  const word = scanner.readWord();
  const unix = (isEnd: boolean): number => {
    const moment = parseMoment(word, isEnd);
    if (moment === undefined)
      failValue(scanner, field, `This is no time that ${scanner.names.written(field.name)}: takes.`, start);
    return unixOf(moment, scanner.names.nowS);
  };
  // A day alone means its end where the whole day is excluded or included.
  if (operator !== undefined) {
    return term(scanner, field, { op: 'compare', operator, number: unix(operator === '>' || operator === '<=') });
  }
  const [first, last] = [unix(false), unix(true)];
  if (first === last)
    failValue(scanner, field, `Compare ${scanner.names.written(field.name)}: with a time, or give a day.`, start);
  return allOf(
    terms(scanner, field, [
      { op: 'compare', operator: '>=', number: first },
      { op: 'compare', operator: '<=', number: last },
    ]),
  );
}

function parseComparison(scanner: FilterScanner, field: Field, operator: Comparison): Filter {
  const start = scanner.at;
  const word = scanner.readWord();
  if (UNORDERED.includes(field.kind)) {
    failValue(scanner, field, `${field.name}: cannot be compared. Quote a value that has such a sign.`, start);
  }
  if (field.kind === 'level') {
    const number = levelOfName(word);
    if (number === undefined) failValue(scanner, field, 'Compare with the name of a level.', start);
    return term(scanner, field, { op: 'compare', operator: FLIPPED[operator], number });
  }
  const number = toNumber(word);
  if (number === undefined) {
    failValue(scanner, field, 'Compare with a number. Quote a value that has such a sign.', start);
  }
  return term(scanner, field, { op: 'compare', operator, number });
}

/** Parses `from..to`, both included. */
function parseRange(scanner: FilterScanner, field: Field, range: string): Filter {
  const [from, to] = range.split('..').map(toNumber);
  if (from === undefined || to === undefined) {
    return scanner.fail('A number is too large.', scanner.at - range.length, scanner.at);
  }
  return allOf(
    terms(scanner, field, [
      { op: 'compare', operator: '>=', number: from },
      { op: 'compare', operator: '<=', number: to },
    ]),
  );
}

/** Parses `a,b*,"c d"`: any of these. */
function parseList(scanner: FilterScanner, field: Field): Filter {
  const values = new Set<string>();
  const prefixes = new Set<string>();
  do {
    const start = scanner.at;
    const { value, isPrefix } = readItem(scanner, field);
    if (isPrefix) prefixes.add(value);
    else values.add(canonicalValue(scanner, field, value, start));
  } while (scanner.take(','));
  scanner.requireBoundary();
  const tests: Test[] = [...prefixes].map((value) => (value === '' ? { op: 'any' } : { op: 'prefix', value }));
  if (values.size > 0) tests.unshift({ op: 'equals', values: [...values] });
  return anyOf(terms(scanner, field, tests));
}

function readItem(scanner: FilterScanner, field: Field): { value: string; isPrefix: boolean } {
  const start = scanner.at;
  const isQuoted = scanner.has('"');
  let value = isQuoted ? scanner.readQuoted() : scanner.readWord(',');
  if (scanner.at === start) failValue(scanner, field, 'A value is missing here.');
  const isPrefix = isQuoted ? scanner.take('*') : value.endsWith('*');
  if (!isQuoted) {
    if (isPrefix) value = value.slice(0, -1);
    if (value.includes('*')) {
      const hint = 'Quote a value that has it, or write an expression.';
      failValue(scanner, field, `A * is allowed at the end of a value only. ${hint}`, start);
    }
  }
  if (isPrefix && field.kind !== undefined && field.kind !== 'text') {
    failValue(scanner, field, `${field.name}: takes whole values only.`, start);
  }
  return { value, isPrefix };
}

/** Brings a value into its one form, such as the name of a level for its number. */
function canonicalValue(scanner: FilterScanner, field: Field, value: string, start: number): string {
  switch (field.kind) {
    case 'level': {
      const name = LEVEL_NAMES[levelOfName(value) ?? (/^\d$/.test(value) ? Number(value) : -1)];
      return name ?? failValue(scanner, field, 'There is no such level.', start);
    }
    case 'agent_state':
    case 'state': {
      const state = value.toLowerCase();
      const isState = (STATES[field.kind] as readonly string[]).includes(state);
      return isState ? state : failValue(scanner, field, 'There is no such state.', start);
    }
    case 'flag': {
      const word = FLAG_WORDS.get(value.toLowerCase());
      return word ?? failValue(scanner, field, `${field.name}: is yes or no.`, start);
    }
    case 'number':
      return ID.test(value)
        ? String(Number(value))
        : failValue(scanner, field, `${field.name}: takes whole numbers.`, start);
    default:
      return value;
  }
}
