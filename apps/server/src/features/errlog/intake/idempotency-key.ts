// Idempotency keys of batches.
import { invalidField } from '@quarterdeck/core';

/** Time for which a key is remembered. */
export const KEY_KEPT_MS = 24 * 3_600_000;

const KEY_MAX = 200;

/**
 * Reads an `Idempotency-Key` header.
 *
 * @throws AppError `validation_failed` where it is empty or too long
 */
export function readKey(header: string): string {
  if (header.length > 0 && header.length <= KEY_MAX) return header;
  throw invalidField('headers.idempotency-key', `must be 1 to ${KEY_MAX} characters`);
}
