// Reads the text of a filter: the filter language of lines, over the fields of lines or the columns of a list. Pure.
import {
  describeFilterError,
  type FieldNames,
  type Filter,
  FilterError,
  findSpans,
  formatFilter,
  parseFilter,
  type TextSpan,
} from '@quarterdeck/core/filter';
import { clean } from '../text/clean.ts';
import { shorten } from '../text/shorten.ts';
import type { InputProblem } from './completion.ts';

/** A filter that a list applies. */
export interface ListFilter {
  readonly filter: Filter;
  /** Canonical text, cleaned. */
  readonly words: string;
  /** Says that signs of other languages are read as text; empty without such signs. */
  readonly note: string;
  /** Finds the parts of a text to highlight; undefined if there are none. */
  readonly find: ((text: string) => readonly TextSpan[]) | undefined;
}

/** A filter, the reason why a text is none, or null if everything matches. */
export type ReadFilter = ListFilter | InputProblem | null;

/** Returns whether a text was read as a filter. */
export const isFilter = (read: ReadFilter): read is ListFilter => read !== null && 'filter' in read;

/** A text in the syntax of earlier versions: `!without`, `~letters`. */
const EARLIER = /^(?<sign>[!~])(?<rest>\S.*)/s;

function earlierProblem(text: string): InputProblem | null {
  const { sign, rest = '' } = EARLIER.exec(text.trim())?.groups ?? {};
  if (sign === undefined) return null;
  const quoted = `"${sign}..." finds the sign. See :help filter.`;
  return sign === '!'
    ? { text: `-${clean(rest)} leaves out; ${quoted}`, isIncomplete: false }
    : { text: `Type a part of the text, or an /expression/; ${quoted}`, isIncomplete: false };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Reads a text; null if it matches everything. Without `names` it is a literal text. Expressions are checked only after
 * `loadExpressions`.
 */
export function readFilter(text: string, names: FieldNames | null): ReadFilter {
  if (text.trim() === '') return null;
  if (names === null) return toListFilter({ kind: 'text', text }, clean(text), `"${text}"`);
  const problem = earlierProblem(text);
  if (problem !== null) return problem;
  try {
    const filter = parseFilter(text, names);
    return toListFilter(filter, clean(formatFilter(filter, names)), text);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return {
      text: clean(capitalized(describeFilterError(text, error))),
      isIncomplete: error.position + error.length >= text.length,
    };
  }
}

const toListFilter = (filter: Filter, words: string, typed = ''): ListFilter => ({
  filter,
  words,
  note: textsOf(filter).some((text) => hasSigns(text) && !typed.includes(`"${text}"`)) ? 'as text' : '',
  find: findSpans(filter),
});

/** The texts that a filter searches for. */
function textsOf(filter: Filter): readonly string[] {
  if (filter.kind === 'text') return [filter.text];
  if (filter.kind === 'and' || filter.kind === 'or') return filter.terms.flatMap(textsOf);
  return filter.kind === 'not' ? textsOf(filter.term) : [];
}

/** Signs that are operators elsewhere: expressions, comparisons, patterns. */
const SIGNS = /\.[*+]|\\[dwsb]|[*|^$]|\[.*\]|&&|[<>]=?|^=|\w=\w|^\/|\/$/;

/** Returns whether a text looks like syntax: it has such signs, or parentheses without their other half. */
const hasSigns = (text: string): boolean => SIGNS.test(text) || text.split('(').length !== text.split(')').length;

/** Returns the reason why a text is no filter; null for a filter. */
export function filterProblem(text: string, names: FieldNames | null): InputProblem | null {
  const read = readFilter(text, names);
  return isFilter(read) ? null : read;
}

/** Widest filter in a chip or a sentence, characters. */
const SHOWN_MAX = 40;

/** A filter as chips and sentences show it. */
export const shownFilter = (words: string): string => `/${shorten(words, SHOWN_MAX)}`;
