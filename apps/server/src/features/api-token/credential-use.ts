// Follows the use of credentials: records the last use of accepted ones, and reports the use of replaced ones. Neither
// delays or fails the request.

import { createHashMoves, type HashMoves } from './hash-moves.ts';
import { createLastUse, type LastUse } from './last-use.ts';
import type { TokenNeeds } from './needs.ts';
import { createReuseAlarm, type ReuseAlarm } from './reuse-alarm.ts';
import type { TokenUses } from './token-uses.ts';

/** Receives each use of a credential. */
export interface CredentialUse {
  /** Records the use of an accepted credential. */
  readonly used: LastUse['note'];
  /** Counts the use of a permission or an endpoint by an API token. */
  readonly needed: TokenUses['note'];
  /** Returns the last use of a credential that is not in the database yet. */
  readonly lastNoted: LastUse['lastNoted'];
  /** Reports the refused secret of an API token before its rotation. */
  readonly reused: ReuseAlarm['raise'];
  /** Replaces the digest of an accepted credential that was made under the key before. */
  readonly moved: HashMoves['note'];
  /** Writes the collected uses. */
  readonly flush: () => Promise<void>;
  /** Writes the rest, with best effort. */
  close(): Promise<void>;
}

/** Creates a {@link CredentialUse}. */
export function createCredentialUse(
  deps: Pick<TokenNeeds, 'db' | 'log' | 'events' | 'audit' | 'now' | 'sessionIdle' | 'tokenUses'>,
): CredentialUse {
  const lastUse = createLastUse(deps.db, deps.now, deps.sessionIdle.recordEveryMs);
  const moves = createHashMoves(deps.db);
  const reuseAlarm = createReuseAlarm(deps);
  const flushWith = async (which?: 'all') => {
    await lastUse.flush();
    await deps.tokenUses.flush(which);
    await moves.flush();
  };
  return {
    used: lastUse.note,
    needed: deps.tokenUses.note,
    lastNoted: lastUse.lastNoted,
    reused: reuseAlarm.raise,
    moved: moves.note,
    flush: () => flushWith(),
    async close() {
      await reuseAlarm.close();
      // The server stops in any case; a lost last use is not worth an error.
      await flushWith('all').catch((error: unknown) => deps.log.warn({ err: error }, 'last uses were not written'));
    },
  };
}
