// Demo: the filter language over error logs.
import { compileFilter, hasExpression, loadExpressions, parseFilter } from '@quarterdeck/core/filter';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { newestLineOf } from '@quarterdeck/views/errlog';
import { fieldsOf } from './line-rows.ts';

/** Loads expressions if the text of a filter has one. */
export async function prepareFilter(text: string): Promise<void> {
  if (hasExpression(parseFilter(text))) await loadExpressions();
}

/** Compiles a prepared filter to a test of the newest lines of entries. */
export function entryTest(text: string, nowS: number): (entry: ErrlogEntry) => boolean {
  const test = compileFilter(parseFilter(text), nowS);
  return (entry) => test({ ...newestLineOf(entry), host: entry.source ?? '', fields: () => fieldsOf(entry.log) });
}
