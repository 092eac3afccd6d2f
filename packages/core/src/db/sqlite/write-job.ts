// Writes in the queue, and their limits.
import type { Tx } from '../database.ts';

export interface WriteLimits {
  /** Number of writes that share one commit at most, and the time for which they are collected. */
  readonly groupSize: number;
  readonly groupMs: number;
  /** Time limit of one write. */
  readonly writeMs: number;
  /** Time for which a write waits for another program's lock. */
  readonly busyMs: number;
}

export const defaultLimits: WriteLimits = { groupSize: 64, groupMs: 10, writeMs: 5000, busyMs: 1000 };

/** A write in the queue, and its caller. */
export interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
  readonly bulk: boolean;
}

/** A write on the queue's own connection. */
export interface Job extends Waiting {
  readonly work: (tx: Tx) => Promise<unknown>;
  /** Runs in a transaction of its own: its last group failed. */
  readonly alone: boolean;
}

/** A write of another connection of this process. */
export interface OutsideJob extends Waiting {
  readonly outside: (lockWaitMs: number) => Promise<unknown>;
}
