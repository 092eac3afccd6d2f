// Compares values of files with those of a server.
import { isDeepStrictEqual } from 'node:util';

/** Values that mean nothing are the same; lists are sets. */
function comparable(value: unknown): unknown {
  if (value === null || value === '') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : [...new Set(value)].sort();
  // Objects of parsers have no prototype.
  if (typeof value === 'object' && value !== undefined) {
    return Object.keys(value).length === 0 ? undefined : { ...value };
  }
  return value;
}

/** Reports whether two values of a field mean the same. */
export const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(comparable(a), comparable(b));
