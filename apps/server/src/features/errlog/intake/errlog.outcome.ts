// Outcomes on their way out of a thread: of an error only what it is made of can travel.
import { AppError, type AppErrorOptions, type ErrorCode } from '@quarterdeck/core';
import { DatabaseError, type DatabaseErrorKind } from '@quarterdeck/core/db';
import type { Outcome } from './errlog.writer.ts';

/** An error in a form that can travel. */
type Packed =
  | { readonly kind: 'refusal'; readonly code: ErrorCode; readonly options: AppErrorOptions }
  | { readonly kind: 'database'; readonly fault: DatabaseErrorKind; readonly message: string }
  | { readonly kind: 'other'; readonly error: unknown };

/** An outcome in a form that can travel. */
export type PackedOutcome = Exclude<Outcome, { error: unknown }> | { readonly id: number; readonly packed: Packed };

/** Packs an outcome. */
export const packOutcome = (outcome: Outcome): PackedOutcome =>
  'error' in outcome ? { id: outcome.id, packed: pack(outcome.error) } : outcome;

/** Reverses {@link packOutcome}. */
export const unpackOutcome = (outcome: PackedOutcome): Outcome =>
  'packed' in outcome ? { id: outcome.id, error: unpack(outcome.packed) } : outcome;

function pack(error: unknown): Packed {
  if (error instanceof AppError) {
    const { code, message, detail, fields, retryAfterS } = error;
    const options = {
      message,
      ...(detail === undefined ? {} : { detail }),
      ...(fields === undefined ? {} : { fields }),
      ...(retryAfterS === undefined ? {} : { retryAfterS }),
    };
    return { kind: 'refusal', code, options };
  }
  if (error instanceof DatabaseError) return { kind: 'database', fault: error.kind, message: error.message };
  return { kind: 'other', error: error instanceof Error ? error : new Error(String(error)) };
}

function unpack(packed: Packed): unknown {
  if (packed.kind === 'refusal') return new AppError(packed.code, packed.options);
  return packed.kind === 'database' ? new DatabaseError(packed.fault, packed.message) : packed.error;
}
