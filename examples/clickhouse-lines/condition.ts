// Filters of lines as conditions of ClickHouse, with the meaning of `compileFilter`.
import { lowerAscii } from '../../packages/core/src/base/ascii.ts';
import {
  compileTest,
  type Expression,
  type Filter,
  fieldOfLine,
  levelsOf,
  type Test,
  unixOf,
} from '../../packages/core/src/filter/index.ts';
import { quote } from './chdb.ts';

/** Facts of a query that are not in the table. */
export interface Facts {
  /** Unix seconds. */
  readonly nowS: number;
  /** Ids of groups by state; empty where the filter names no state. */
  readonly states: ReadonlyMap<string, readonly number[]>;
}

/** Numbers as `toNumber` reads them. */
const NUMBER = quote(String.raw`^(?i:[+-]?\d+(\.\d+)?(e[+-]?\d{1,3})?)$`);
const INTEGER = /^(0|[1-9]\d{0,14})$/;

export function conditionOf(filter: Filter, facts: Facts): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const terms = filter.terms.map((term) => conditionOf(term, facts));
      return `(${terms.join(` ${filter.kind} `)})`;
    }
    case 'not':
      return `NOT (${conditionOf(filter.term, facts)})`;
    case 'all':
      return 'true';
    case 'text':
      return `lower(log) LIKE ${quote(`%${lowerAscii(filter.text).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)}`;
    case 'expression':
      return matches('log', filter);
    case 'field':
      return conditionOfField(filter.field, filter.test, facts);
    default:
      return `time ${filter.kind === 'since' ? '>=' : '<='} ${unixOf(filter.moment, facts.nowS)}`;
  }
}

/** A field of the line; `''` where it has none. */
export const fieldOf = (name: string): string => `fields[${quote(name)}]`;

function conditionOfField(field: string, test: Test, { states }: Facts): string {
  const own = fieldOfLine(field);
  if (own !== undefined) return ofText(fieldOf(own), test);
  switch (field) {
    case 'level':
      return isIn('level', levelsOf(test).map(String));
    case 'src':
      return test.op === 'any' ? 'true' : ofNumber('src', test);
    case 'app':
    case 'group':
      return test.op === 'any' ? `${field} != 0` : ofNumber(field, test);
    case 'state':
      return ofState(test, states);
    default:
      return ofText(field === 'source' ? 'host' : field, test);
  }
}

/** A list without values would be no SQL. */
const isIn = (value: string, list: readonly string[]): string =>
  list.length === 0 ? 'false' : `${value} IN (${list.join()})`;

/** Numbers are compared as texts, but for lists of them, which an index may find. */
function ofNumber(column: string, test: Test): string {
  if (test.op !== 'equals') return ofText(`toString(${column})`, test);
  return isIn(
    column,
    test.values.filter((value) => INTEGER.test(value)),
  );
}

/** A group without a row has the state `''`. */
function ofState(test: Test, states: Facts['states']): string {
  const isWanted = compileTest(test);
  const ids = (wanted: boolean) =>
    [...states].flatMap(([state, groups]) => (isWanted(state) === wanted ? groups.map(String) : []));
  return isWanted('') ? `NOT ${isIn('group', ids(false))}` : isIn('group', ids(true));
}

function ofText(value: string, test: Test): string {
  switch (test.op) {
    case 'any':
      return `${value} != ''`;
    case 'equals':
      return isIn(
        `lower(${value})`,
        test.values.map((one) => quote(lowerAscii(one))),
      );
    case 'prefix':
      return `startsWith(lower(${value}), ${quote(lowerAscii(test.value))})`;
    case 'compare': {
      const number = `toFloat64OrZero(${value})`;
      return `(match(${value}, ${NUMBER}) AND isFinite(${number}) AND ${number} ${test.operator} ${test.number})`;
    }
    default:
      return `(${value} != '' AND ${matches(value, test)})`;
  }
}

/** In ClickHouse a dot also matches a line feed, unless a flag says otherwise. */
const matches = (value: string, { source, flags }: Expression): string =>
  `match(${value}, ${quote(`(?${flags}-s)${source}`)})`;
