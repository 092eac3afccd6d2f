// Helps for the input of a filter. Pure, except that expressions are loaded once.
import { areExpressionsLoaded, hasExpression, loadExpressions } from '@quarterdeck/core/filter';
import { isFilter, type ReadFilter } from './read-filter.ts';

/** Loads expressions if the filter has one and they are not loaded; undefined if nothing is missing. */
export function missingExpressions(read: ReadFilter): Promise<void> | undefined {
  const isMissing = isFilter(read) && hasExpression(read.filter) && !areExpressionsLoaded();
  return isMissing ? loadExpressions() : undefined;
}

/** A path; with one more slash it is an expression. */
const OPEN_EXPRESSION = /(?:^|\s)-?\/[^\s/]+$/;

/** A hint beside a typed filter. */
export function filterNote(text: string): string {
  if (text === '') return 'text -text field:value /expression/';
  return OPEN_EXPRESSION.test(text) ? 'a text; / at its end makes an expression' : '';
}
