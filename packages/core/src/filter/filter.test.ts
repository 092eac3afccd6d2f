import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { NOW_S, naiveMatch, someFilter, someLine, someText } from '../../test/filter.ts';
import { lowerAscii } from '../base/ascii.ts';
import { compileFilter } from './compile-filter.ts';
import { loadExpressions } from './expressions.ts';
import { type Filter, FilterError, simplify, termsOf } from './filter.ts';
import { formatFilter } from './format-filter.ts';
import { parseFilter } from './parse-filter.ts';
import { decide, requiredTexts, timeBounds } from './plan-filter.ts';

beforeAll(loadExpressions);

const RUNS = { numRuns: atMost(150, 2000) };

/** Parts of the language in any order, most of them no filter. */
const soup = fc
  .array(
    fc.oneof(
      someText,
      fc.constantFrom(' ', '  ', '(', ')', '-', '"', '/', ':', ',', '*', '>=', '..', '\\', ' OR ', ' AND ', 'NOT '),
      fc.constantFrom('level:', 'since:', 'src:', 'x:', 'state:', 'warn', '2h', '1..5', '\ud800', '\0'),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** Parses a text; undefined for one that is refused. Fails for any other error. */
function parsed(text: string): Filter | undefined {
  try {
    return parseFilter(text);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { position, length } = error;
    expect(position, text).toBeGreaterThanOrEqual(0);
    expect(length, text).toBeGreaterThanOrEqual(0);
    expect(position + length, text).toBeLessThanOrEqual(text.length);
    return undefined;
  }
}

describe('the filter language', () => {
  it('parses the canonical text of every filter to the same filter', () => {
    fc.assert(
      fc.property(someFilter, (filter) => {
        fc.pre(termsOf(filter).length < 40);
        const text = formatFilter(filter);
        expect(parseFilter(text), text).toEqual(simplify(filter));
      }),
      RUNS,
    );
  });

  it('refuses any text with a place in it, or parses it to a canonical filter', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const filter = parsed(text);
        fc.pre(filter !== undefined);
        expect(simplify(filter), text).toEqual(filter);
        expect(parseFilter(formatFilter(filter)), text).toEqual(filter);
      }),
      { ...RUNS, maxSkipsPerRun: 1000 },
    );
  });

  it('compiles every filter to what a plain evaluation finds', () => {
    fc.assert(
      fc.property(someFilter, fc.array(someLine, { minLength: 1, maxLength: 5 }), (filter, lines) => {
        const matches = compileFilter(filter, NOW_S);
        for (const line of lines) expect(matches(line), formatFilter(filter)).toBe(naiveMatch(filter, line));
      }),
      RUNS,
    );
  });

  it('knows texts and times of every line that matches', () => {
    fc.assert(
      fc.property(someFilter, someLine, (filter, line) => {
        fc.pre(naiveMatch(filter, line));
        const log = lowerAscii(line.log);
        for (const texts of requiredTexts(filter)) expect(texts.some((text) => log.includes(text))).toBe(true);
        const { from = line.time, to = line.time } = timeBounds(filter, NOW_S);
        expect(from <= line.time && line.time <= to).toBe(true);
      }),
      RUNS,
    );
  });

  it('decides from some of the terms only what the other terms cannot change', () => {
    fc.assert(
      fc.property(someFilter, someLine, fc.infiniteStream(fc.boolean()), (filter, line, known) => {
        const answer = decide(filter, (term) => (known.next().value === true ? naiveMatch(term, line) : undefined));
        expect([undefined, naiveMatch(filter, line)]).toContain(answer);
        expect(decide(filter, (term) => naiveMatch(term, line))).toBe(naiveMatch(filter, line));
      }),
      RUNS,
    );
  });
});
