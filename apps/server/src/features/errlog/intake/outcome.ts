// Outcomes packed for another thread: an error travels as its parts.
import { type Failure, fromFailure, toFailure } from '@quarterdeck/core/db';
import { AppError } from '@quarterdeck/core/plain';
import { type PackedRefusal, packRefusal, unpackRefusal } from '@quarterdeck/core/threads';
import type { Outcome } from './batch-writer.ts';

/** An error in a form that can travel. */
type Packed = ({ readonly kind: 'refusal' } & PackedRefusal) | { readonly kind: 'failure'; readonly failure: Failure };

/** An outcome in a form that can travel. */
export type PackedOutcome = Exclude<Outcome, { error: unknown }> | { readonly id: number; readonly packed: Packed };

export const packOutcome = (outcome: Outcome): PackedOutcome =>
  'error' in outcome ? { id: outcome.id, packed: pack(outcome.error) } : outcome;

/** Reverses {@link packOutcome}. */
export const unpackOutcome = (outcome: PackedOutcome): Outcome =>
  'packed' in outcome ? { id: outcome.id, error: unpack(outcome.packed) } : outcome;

const pack = (error: unknown): Packed =>
  error instanceof AppError
    ? { kind: 'refusal', ...packRefusal(error) }
    : { kind: 'failure', failure: toFailure(error) };

const unpack = (packed: Packed): Error =>
  packed.kind === 'refusal' ? unpackRefusal(packed) : fromFailure(packed.failure);
