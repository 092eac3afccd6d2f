// What waits in the queue of writes, and for how long it may.
import type { Tx } from '../database.ts';

export interface WriteLimits {
  /** How many writes share one commit, and for how long they may gather. */
  readonly groupSize: number;
  readonly groupMs: number;
  /** What one write may take. */
  readonly turnMs: number;
  /** How long a write waits for someone else's lock. */
  readonly busyMs: number;
}

export const defaultLimits: WriteLimits = { groupSize: 64, groupMs: 10, turnMs: 5000, busyMs: 1000 };

/** Who waits for a write. */
export interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
  readonly bulk: boolean;
}

/** A write through the door. */
export interface Job extends Waiting {
  readonly work: (tx: Tx) => Promise<unknown>;
  /** Runs in a transaction of its own: its last group came to grief. */
  readonly alone: boolean;
}

/** A write of another connection of this process. */
export interface OutsideJob extends Waiting {
  readonly outside: (patienceMs: number) => Promise<unknown>;
}
