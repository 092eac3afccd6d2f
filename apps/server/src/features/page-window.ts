import { AppError, PAGE_SIZE_MAX, type Slice } from '@quarterdeck/core';

/**
 * Refuses a window, given by `start` and `end`, that is larger than the largest page. Rows are never silently dropped.
 *
 * @throws AppError `validation_failed`
 */
export function checkWindow(slice: Slice): Slice {
  if (slice.limit <= PAGE_SIZE_MAX) return slice;
  const message = `must be at most ${PAGE_SIZE_MAX} after start`;
  throw new AppError('validation_failed', {
    message: `query.end: ${message}`,
    fields: [{ path: 'query.end', message }],
  });
}
