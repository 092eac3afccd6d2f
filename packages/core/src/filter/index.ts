// The filter language of lines. Threads import it as "@quarterdeck/core/filter", without schemas.
export {
  compileFilter,
  compileTest,
  type FilterableLine,
  type LineTest,
} from './compile-filter.ts';
export { loadExpressions } from './expressions.ts';
export { canonicalFieldName, FILTER_NAMES, fieldOfLine, type KnownName, nameOfField } from './field-names.ts';
export {
  allOf,
  anyOf,
  type Comparison,
  type Expression,
  FILTER_BYTES_MAX,
  FILTER_DEPTH_MAX,
  FILTER_TERMS_MAX,
  type Filter,
  FilterError,
  hasExpression,
  type Moment,
  negate,
  simplify,
  type Term,
  type Test,
  termsOf,
} from './filter.ts';
export { formatFilter, quoteText } from './format-filter.ts';
export { levelsOf } from './level-tests.ts';
export { formatMoment, unixOf } from './moment.ts';
export { parseFilter } from './parse-filter.ts';
export { decide, requiredTexts, type TimeBounds, timeBounds } from './plan-filter.ts';
export { textMatcher } from './text-matcher.ts';
