// Random filters and lines, and a plain evaluation of filters, for the tests of the filter language.
import fc from 'fast-check';
import { ERRLOG_STATES } from '../src/base/errlog-states.ts';
import { LEVELS } from '../src/base/level.ts';
import type { FilterableLine } from '../src/filter/compile-filter.ts';
import { canonicalFieldName } from '../src/filter/field-names.ts';
import type { Comparison, Filter, Term, Test } from '../src/filter/filter.ts';

/** The time at which the filters of these tests are evaluated, in Unix seconds. */
export const NOW_S = 1_800_000_000;

const LETTERS = ['a', 'A', 'b', 'k', 'K', 's', 'ä', 'Ä', 'ſ', '\u212A', '😀', '1', '5'];
const SIGNS = [...' "\\/():*-,.<>=\n\t|[{\u00A0'];

/** Short texts of few characters, so that they often contain each other, and words with a meaning. */
export const someText = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 3 }) },
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(...LETTERS, ...SIGNS), maxLength: 6 }) },
  fc.constantFrom(...'-> > AND OR NOT --x /a/ level:error 5 -5 1..5 http://a __proto__'.split(' ')),
);

const someName = fc.oneof(
  fc.constantFrom('client', 'status', '__proto__', 'fields.host', 'my key', 'a.b-c', 'constructor'),
  someText.map(canonicalFieldName).filter((name) => name !== 'since' && name !== 'until'),
);
const someOperator = fc.constantFrom<Comparison>('<', '<=', '>', '>=');
const someExpression = fc.record({
  source: fc.constantFrom(...String.raw`a a* a+b ^k [sk]$ a|b 1/5 \\ a\.b ä. (?i)ä`.split(' ')),
  flags: fc.constantFrom('', 'i'),
});

const someTest: fc.Arbitrary<Test> = fc.oneof(
  fc.record({ op: fc.constant('any' as const) }),
  fc.record({ op: fc.constant('equals' as const), values: fc.uniqueArray(someText, { minLength: 1, maxLength: 3 }) }),
  fc.record({ op: fc.constant('prefix' as const), value: someText.filter((text) => text !== '') }),
  fc.record({
    op: fc.constant('compare' as const),
    operator: someOperator,
    number: fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom(0.5, 1e21, 5e-324)),
  }),
  someExpression.map((expression) => ({ op: 'matches' as const, ...expression })),
);

const equalsSome = (values: readonly string[]) =>
  fc.record({ op: fc.constant('equals' as const), values: fc.subarray([...values], { minLength: 1 }) });

const someAge = fc.constantFrom(0, 1, 59, 60, 61, 7200, 90_061, 604_800);
const someMoment = fc.oneof(
  fc.record({ ago: someAge }),
  fc.record({ unix: someAge.map((age) => NOW_S - age) }),
  fc.record({ unix: fc.constantFrom(0, 253_402_300_799, 253_402_300_800) }),
);

const someTerm: fc.Arbitrary<Term> = fc.oneof(
  someText.map((text) => ({ kind: 'text' as const, text })),
  someExpression.map((expression) => ({ kind: 'expression' as const, ...expression })),
  fc.record({ kind: fc.constant('field' as const), field: someName, test: someTest }).filter(({ field }) => {
    return !['level', 'src', 'app', 'group', 'state', 'host', 'service', 'source', 'req'].includes(field);
  }),
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constantFrom('host', 'service', 'source', 'req'),
    test: someTest.filter(({ op }) => op !== 'compare'),
  }),
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constantFrom('src', 'app', 'group'),
    test: fc.oneof(
      someTest.filter(({ op }) => op === 'any' || op === 'compare'),
      equalsSome(['0', '1', '5']),
    ),
  }),
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constant('level'),
    test: fc.oneof(
      fc.record({ op: fc.constant('any' as const) }),
      equalsSome(LEVELS.map((name) => name.toLowerCase())),
      fc.record({
        op: fc.constant('compare' as const),
        operator: someOperator,
        number: fc.integer({ min: 0, max: 8 }),
      }),
    ),
  }),
  fc.record({ kind: fc.constant('field' as const), field: fc.constant('state'), test: equalsSome(ERRLOG_STATES) }),
  fc.record({ kind: fc.constantFrom('since' as const, 'until' as const), moment: someMoment }),
);

/** Filters of a few terms in any form, not only the canonical one. */
export const someFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof({ weight: 9, arbitrary: someTerm }, fc.constant<Filter>({ kind: 'all' })),
    fc.record({ kind: fc.constant('not' as const), term: tie('filter') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('filter'), { maxLength: 3 }),
    }),
  ),
})).filter;

const someFields = fc.array(
  fc.tuple(fc.constantFrom('client', 'status', '__proto__', 'host', 'my key', 'a.b-c'), someText),
);

/** Lines whose values often meet those of {@link someFilter}. */
export const someLine: fc.Arbitrary<FilterableLine> = fc.record(
  {
    time: someAge.map((age) => NOW_S - age),
    level: fc.integer({ min: 0, max: 8 }),
    log: fc.array(someText, { minLength: 1, maxLength: 4 }).map((texts) => texts.join('')),
    host: someText,
    service: someText,
    source: someText,
    src: fc.integer({ min: 0, max: 6 }),
    app_id: fc.integer({ min: 0, max: 6 }),
    req_id: someText,
    group: fc.integer({ min: 0, max: 6 }),
    state: fc.constantFrom(...ERRLOG_STATES),
    fields: someFields.map((entries) => {
      const fields = Object.fromEntries(entries);
      return () => fields;
    }),
  },
  { requiredKeys: ['time', 'level', 'log', 'host', 'service', 'source', 'src', 'app_id', 'req_id', 'group', 'fields'] },
);

const lower = (text: string) => [...text].map((sign) => (sign <= 'Z' ? sign.toLowerCase() : sign)).join('');

/** Evaluates a filter in the simplest way. It reads the expressions above with the engine of JavaScript. */
export function naiveMatch(filter: Filter, line: FilterableLine): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.terms.every((term) => naiveMatch(term, line));
    case 'or':
      return filter.terms.some((term) => naiveMatch(term, line));
    case 'not':
      return !naiveMatch(filter.term, line);
    case 'all':
      return true;
    case 'text':
      return lower(line.log).includes(lower(filter.text));
    case 'expression':
      return naiveTest({ op: 'matches', ...filter }, line.log, true);
    case 'field':
      return naiveField(filter.field, filter.test, line);
    default: {
      const at = 'ago' in filter.moment ? NOW_S - filter.moment.ago : filter.moment.unix;
      return filter.kind === 'since' ? line.time >= at : line.time <= at;
    }
  }
}

function naiveField(field: string, test: Test, line: FilterableLine): boolean {
  const numbers = new Map([
    ['src', line.src],
    ['app', line.app_id],
    ['group', line.group],
    ['level', line.level],
  ]);
  const number = numbers.get(field);
  if (number !== undefined) {
    if (test.op === 'any') return field === 'src' || field === 'level' || number !== 0;
    return naiveTest(test, field === 'level' && test.op === 'equals' ? (LEVELS[number] ?? '') : String(number));
  }
  const texts = new Map([
    ['host', line.host],
    ['service', line.service],
    ['source', line.source],
    ['req', line.req_id],
    ['state', line.state ?? ''],
  ]);
  const own = new Map(Object.entries(line.fields()));
  return naiveTest(test, texts.get(field) ?? own.get(field.replace(/^fields\./, '')) ?? '');
}

function naiveTest(test: Test, value: string, isText = false): boolean {
  switch (test.op) {
    case 'any':
      return value !== '';
    case 'equals':
      return test.values.some((each) => lower(each) === lower(value));
    case 'prefix':
      return lower(value).startsWith(lower(test.value));
    case 'compare': {
      if (!/^[+-]?\d+(\.\d+)?$/.test(value)) return false;
      const { number } = test;
      const order = { '<': Number(value) < number, '>': Number(value) > number };
      if (test.operator.length === 2 && Number(value) === number) return true;
      return test.operator.startsWith('<') ? order['<'] : order['>'];
    }
    default: {
      const flags = test.source.startsWith('(?i)') || test.flags === 'i' ? 'iu' : 'u';
      return (
        (isText || value !== '') &&
        new RegExp(test.source.replace('(?i)', '').replace('/', String.raw`\/`), flags).test(value)
      );
    }
  }
}
