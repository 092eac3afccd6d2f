// Finds the parts of a text for which a filter selects a line, to highlight them.
import { findExpression, type TextSpan } from './expressions.ts';
import { type Filter, simplify } from './filter.ts';
import { textPattern } from './text-matcher.ts';

export type { TextSpan };

type Find = (text: string) => TextSpan[];

/**
 * Compiles a search for the texts and expressions that a line must have or may have; negated ones are left out. The
 * spans are in order and do not overlap. Undefined where the filter has none.
 */
export function findSpans(filter: Filter): Find | undefined {
  const finds = findsOf(simplify(filter));
  if (finds.length === 0) return undefined;
  return (text) => {
    const spans = finds.flatMap((find) => find(text)).sort((a, b) => a.from - b.from || b.to - a.to);
    let end = 0;
    return spans.filter(({ from, to }) => {
      const isFree = from >= end;
      if (isFree) end = to;
      return isFree;
    });
  };
}

function findsOf(filter: Filter): Find[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.flatMap(findsOf);
    case 'text':
      return filter.text === '' ? [] : [findText(filter.text)];
    case 'expression':
      return [findExpression(filter)];
    default:
      return [];
  }
}

function findText(text: string): Find {
  const pattern = textPattern(text, 'g');
  return (log) => Array.from(log.matchAll(pattern), ({ index }) => ({ from: index, to: index + text.length }));
}
