// Moves credentials to the key in use while a key is rotated: the digest of a secret that was accepted under the key
// before is replaced by its digest under the new one. The moves are collected and written together.
import type { Database } from '@quarterdeck/core/db';
import { type HashMove, moveHash } from './hash-moves.repo.ts';

/** Collects moves. */
export interface HashMoves {
  /** Collects a move. Returns at once. */
  note(move: HashMove): void;
  /** Writes the collected moves. Those of a failed write stay for the next call. */
  flush(): Promise<void>;
}

/** Moves that may wait. Beyond, the next use of the credential moves it. */
const PENDING_MAX = 20_000;
/** Moves in one write, so that it is short. */
const SLICE = 200;

/** Creates {@link HashMoves}. */
export function createHashMoves(db: Pick<Database, 'write'>): HashMoves {
  const pending = new Map<string, HashMove>();

  return {
    note(move) {
      if (pending.size < PENDING_MAX) pending.set(`${move.column}:${move.id}`, move);
    },

    async flush() {
      // One order for all servers, so that they never deadlock.
      const moves = [...pending].sort(([, a], [, b]) => a.column.localeCompare(b.column) || a.id - b.id);
      for (let at = 0; at < moves.length; at += SLICE) {
        const slice = moves.slice(at, at + SLICE);
        await db.write(
          async (tx) => {
            for (const [, move] of slice) await moveHash(tx, move);
          },
          { bulk: true },
        );
        for (const [name, move] of slice) if (pending.get(name) === move) pending.delete(name);
      }
    },
  };
}
