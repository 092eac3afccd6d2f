// Filters of sources as callers give them (decision 088).
import { describeFilterError, FilterError, invalidField, loadExpressions, parseSourceFilter } from '@quarterdeck/core';

/**
 * Checks the expressions of a filter of sources, which its schema does not compile. A filter that cannot be evaluated
 * would show its user nothing.
 *
 * @throws AppError `validation_failed`
 */
export async function checkSourceFilter(text: string): Promise<void> {
  if (text === '') return;
  await loadExpressions();
  try {
    parseSourceFilter(text);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw invalidField('body.errlog_filter', describeFilterError(text, error));
  }
}
