// Filters of the error list, answered from an entry alone as far as possible. Pure.
import {
  areExpressionsLoaded,
  compileFilter,
  type FilterableLine,
  hasExpression,
  type LineTest,
  parseFilter,
  termsOf,
} from '@quarterdeck/core/filter';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { everOf } from './errlog-range.ts';

/** Properties of a line that its entry has too. */
const KNOWN_NAMES = ['level', 'service', 'source', 'src', 'app', 'state', 'group'];

/** Compiles a filter; undefined if it asks for more than an entry tells. */
function compileKnown(text: string): LineTest | undefined {
  const filter = parseFilter(text);
  const isKnown = termsOf(filter).every(
    (term) =>
      term.kind === 'text' || term.kind === 'expression' || (term.kind === 'field' && KNOWN_NAMES.includes(term.field)),
  );
  if (!isKnown || (hasExpression(filter) && !areExpressionsLoaded())) return undefined;
  return compileFilter(filter, 0);
}

let last: { readonly text: string; readonly test: LineTest | undefined } | undefined;

/** Returns the test of a filter; one filter is compiled once, however many entries it tests. */
function testOf(text: string): LineTest | undefined {
  if (last?.text !== text || last.test === undefined) last = { text, test: compileKnown(text) };
  return last.test;
}

/** The newest line of an entry, as far as the entry tells. */
export const newestLineOf = (entry: ErrlogEntry): FilterableLine => ({
  time: entry.log_time,
  level: entry.level,
  log: entry.log,
  host: '',
  service: entry.service ?? '',
  source: entry.source ?? '',
  src: entry.src,
  app_id: entry.app_id ?? 0,
  req_id: '',
  group: entry.id,
  ...(entry.state === undefined ? {} : { state: entry.state }),
  fields: () => ({}),
});

/**
 * Returns whether any line of an entry passes a filter. Its newest line can tell that one does; only an entry of one
 * line can tell that none does.
 */
export function passesByNewestLine(entry: ErrlogEntry, text: string): 'yes' | 'no' | 'unknown' {
  const test = testOf(text);
  if (test === undefined) return 'unknown';
  if (test(newestLineOf(entry))) return 'yes';
  const { count } = everOf(entry) ?? entry;
  return count === 1 ? 'no' : 'unknown';
}
