// The filter language of lines. Threads import it as "@quarterdeck/core/filter", without schemas.
export { AGENT_FIELD_NAMES, AGENT_FIELDS, type AgentFieldName, agentFields, labelOfName } from './agent-names.ts';
export {
  compileFilter,
  compileTest,
  type FilterableLine,
  type LineTest,
} from './compile-filter.ts';
export { describeFilterError } from './describe-error.ts';
export {
  areExpressionsLoaded,
  captureExpression,
  checkExpression,
  compileExpression,
  loadExpressions,
} from './expressions.ts';
export {
  canonicalFieldName,
  columnFields,
  FILTER_NAMES,
  type FieldNames,
  type FilterColumn,
  fieldOfLine,
  type KnownName,
  LINE_FIELDS,
  nameOfField,
  type ValueKind,
} from './field-names.ts';
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
export { findSpans, type TextSpan } from './find-spans.ts';
export { formatFilter, formatName, formatValue, quoteText } from './format-filter.ts';
export { LEVEL_NAMES, levelsOf } from './level-tests.ts';
export { formatMoment, parseMoment, unixOf } from './moment.ts';
export { VALUE_FORMS } from './parse-field.ts';
export { parseFilter } from './parse-filter.ts';
export { decide, requiredTexts, type TimeBounds, timeBounds } from './plan-filter.ts';
export {
  bothSourceFilters,
  isWithinSourceFilter,
  joinedBegin,
  parseSourceFilter,
  SOURCE_FIELD_NAMES,
  type SourceFieldName,
} from './source-names.ts';
export { textMatcher } from './text-matcher.ts';
