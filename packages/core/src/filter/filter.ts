// The filter language of lines as data. docs/reference/filter.md is its reference for users.

/** Condition on a line. {@link parseFilter} builds it from text; {@link simplify} is its one canonical form. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | { readonly kind: 'all' }
  | Term;

/** Condition without further filters inside. */
export type Term =
  /** Text of the line contains this; ASCII letters match in any case. */
  | { readonly kind: 'text'; readonly text: string }
  /** Text of the line matches the regular expression. */
  | ({ readonly kind: 'expression' } & Expression)
  /** `field` is a known name (`host`), or that of a field of the line; see `fieldOfLine`. */
  | { readonly kind: 'field'; readonly field: string; readonly test: Test }
  /** Time of the line is at or after (`since`), or at or before (`until`) a moment. */
  | { readonly kind: 'since' | 'until'; readonly moment: Moment };

/** Regular expression in the syntax of RE2. `flags` is `''` or `i`. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** Condition on the value of a field. An absent field has the value `''`. ASCII letters match in any case. */
export type Test =
  /** Value is not empty. */
  | { readonly op: 'any' }
  /** Value is one of these. Levels are their names in lower case. */
  | { readonly op: 'equals'; readonly values: readonly string[] }
  /** Value begins with this, which is not empty. */
  | { readonly op: 'prefix'; readonly value: string }
  /** Value is a number that compares so. Levels compare as numbers: `level:>=warn` is `<= 5`. */
  | { readonly op: 'compare'; readonly operator: Comparison; readonly number: number }
  | ({ readonly op: 'matches' } & Expression);

export type Comparison = '<' | '<=' | '>' | '>=';

/** Seconds before the present, or Unix seconds. */
export type Moment = { readonly ago: number } | { readonly unix: number };

/** Limits of a filter. */
export const FILTER_BYTES_MAX = 4096;
export const FILTER_TERMS_MAX = 64;
export const FILTER_DEPTH_MAX = 16;

/** Refusal of a filter, with the place. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
  /** Index of the first UTF-16 unit that is refused. */
  readonly position: number;
  /** Number of refused UTF-16 units; 0 at the end of the text. */
  readonly length: number;
  /** Everything that is allowed at this place; empty where that is no list. */
  readonly expected: readonly string[];

  constructor(message: string, position: number, length: number, expected: readonly string[] = []) {
    super(message);
    this.position = position;
    this.length = length;
    this.expected = expected;
  }
}

const ALL: Filter = { kind: 'all' };

/** Joins filters by AND in canonical form. */
export function allOf(filters: readonly Filter[]): Filter {
  const terms = filters.flatMap((filter) => (filter.kind === 'and' ? filter.terms : [filter]));
  const kept = terms.filter(({ kind }) => kind !== 'all');
  if (kept.length > 1) return { kind: 'and', terms: kept };
  return kept[0] ?? ALL;
}

/** Joins filters by OR in canonical form. */
export function anyOf(filters: readonly Filter[]): Filter {
  const terms = filters.flatMap((filter) => (filter.kind === 'or' ? filter.terms : [filter]));
  if (terms.some(({ kind }) => kind === 'all')) return ALL;
  if (terms.length > 1) return { kind: 'or', terms };
  return terms[0] ?? negate(ALL);
}

/** Negates a filter in canonical form. */
export function negate(filter: Filter): Filter {
  return filter.kind === 'not' ? filter.term : { kind: 'not', term: filter };
}

/** Brings a filter into canonical form: groups flattened, no group of one, no double negation. */
export function simplify(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
      return allOf(filter.terms.map(simplify));
    case 'or':
      return anyOf(filter.terms.map(simplify));
    case 'not':
      return negate(simplify(filter.term));
    default:
      return filter;
  }
}

/** Lists the terms of a filter from left to right. */
export function termsOf(filter: Filter): Term[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.flatMap(termsOf);
    case 'not':
      return termsOf(filter.term);
    case 'all':
      return [];
    default:
      return [filter];
  }
}

/** Reports whether the filter has an expression, so that `loadExpressions` must run before `compileFilter`. */
export function hasExpression(filter: Filter): boolean {
  return termsOf(filter).some(
    (term) => term.kind === 'expression' || (term.kind === 'field' && term.test.op === 'matches'),
  );
}
