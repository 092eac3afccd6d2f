// Conclusions from a filter that spare work: texts and times that every matching line has, and answers from a part of
// the line.
import { lowerAscii } from '../base/ascii.ts';
import { literalsOf, mostSelective } from './expression-literals.ts';
import { type Filter, negate, simplify, type Term } from './filter.ts';
import { unixOf } from './moment.ts';

/**
 * Evaluates a filter where some terms may be unknown (Kleene's logic). `true`: every line that the oracle describes
 * matches. `false`: none does. `undefined`: that depends on the unknown terms.
 */
export function decide(filter: Filter, oracle: (term: Term) => boolean | undefined): boolean | undefined {
  switch (filter.kind) {
    case 'and':
      return decideGroup(filter.terms, oracle, false);
    case 'or':
      return decideGroup(filter.terms, oracle, true);
    case 'not': {
      const answer = decide(filter.term, oracle);
      return answer === undefined ? undefined : !answer;
    }
    case 'all':
      return true;
    default:
      return oracle(filter);
  }
}

/** One term with the answer `deciding` decides the group. */
function decideGroup(
  filters: readonly Filter[],
  oracle: (term: Term) => boolean | undefined,
  deciding: boolean,
): boolean | undefined {
  let answer: boolean | undefined = !deciding;
  for (const filter of filters) {
    const part = decide(filter, oracle);
    if (part === deciding) return deciding;
    if (part === undefined) answer = undefined;
  }
  return answer;
}

/**
 * Texts that every matching line contains: of each inner list at least one. They are lower-cased by `lowerAscii`, and
 * so must be the text of the line. `[]` = nothing is known.
 */
export function requiredTexts(filter: Filter): string[][] {
  switch (filter.kind) {
    case 'text':
      return filter.text === '' ? [] : [[lowerAscii(filter.text)]];
    case 'expression':
      return literalsOf(filter).map((literals) => literals.map(lowerAscii));
    case 'and':
      return filter.terms.flatMap(requiredTexts);
    case 'or': {
      const branches = filter.terms.map((term) => mostSelective(requiredTexts(term)));
      const isComplete = branches.every((branch) => branch !== undefined);
      return isComplete ? [[...new Set(branches.flat())]] : [];
    }
    default:
      return [];
  }
}

/** Inclusive span of Unix seconds; an absent end is open. */
export interface TimeBounds {
  readonly from?: number;
  readonly to?: number;
}

/** Span that every matching line lies in. It is empty (`from` > `to`) where no line can match. */
export function timeBounds(filter: Filter, nowS: number): TimeBounds {
  const { from, to } = spanOf(simplify(filter), nowS);
  return { ...(from > -Infinity && { from }), ...(to < Infinity && { to }) };
}

type Span = { readonly from: number; readonly to: number };
const ALWAYS: Span = { from: -Infinity, to: Infinity };

function spanOf(filter: Filter, nowS: number): Span {
  switch (filter.kind) {
    case 'since':
      return { from: unixOf(filter.moment, nowS), to: Infinity };
    case 'until':
      return { from: -Infinity, to: unixOf(filter.moment, nowS) };
    case 'and': {
      const spans = filter.terms.map((term) => spanOf(term, nowS));
      return { from: Math.max(...spans.map(({ from }) => from)), to: Math.min(...spans.map(({ to }) => to)) };
    }
    case 'or': {
      const spans = filter.terms.map((term) => spanOf(term, nowS));
      return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
    }
    case 'not':
      return spanOfNot(filter.term, nowS);
    default:
      return ALWAYS;
  }
}

/** Times of lines are whole seconds, so the span outside of one ends a second before it. */
function spanOfNot(filter: Filter, nowS: number): Span {
  switch (filter.kind) {
    case 'since':
      return { from: -Infinity, to: unixOf(filter.moment, nowS) - 1 };
    case 'until':
      return { from: unixOf(filter.moment, nowS) + 1, to: Infinity };
    case 'and':
      return spanOf({ kind: 'or', terms: filter.terms.map(negate) }, nowS);
    case 'or':
      return spanOf({ kind: 'and', terms: filter.terms.map(negate) }, nowS);
    default:
      return ALWAYS;
  }
}
