import { AppError } from '@quarterdeck/core';

/** Returns what a caller named. What they may not see must be undefined too, so that both get the same answer. */
export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new AppError('not_found');
  return value;
}
