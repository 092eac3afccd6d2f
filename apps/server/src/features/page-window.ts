import { invalidField, PAGE_SIZE_MAX, type Slice } from '@quarterdeck/core';

/**
 * Refuses a window, given by `start` and `end`, that is larger than the largest page. Rows are never silently dropped.
 *
 * @throws AppError `validation_failed`
 */
export function checkWindow(slice: Slice, max = PAGE_SIZE_MAX): Slice {
  if (slice.limit <= max) return slice;
  throw invalidField('query.end', `must be at most ${max} after start`);
}
