// Follows the use of credentials: records the last use of accepted ones, moves their digests while a key is rotated,
// and reports the use of replaced ones. Nothing of it delays or fails the request: uses and moves are collected in
// memory and written together every few seconds.
import type { Database, Tx } from '@quarterdeck/core/db';
import { type HashMove, moveHash, recordUse, type Use } from './credential-use.repo.ts';
import type { TokenNeeds } from './needs.ts';
import { createReuseAlarm, type ReuseAlarm } from './reuse-alarm.ts';
import type { TokenUses } from './token-uses.ts';

/** Receives each use of a credential. */
export interface CredentialUse {
  /** Records the use of an accepted credential, unless `lastUsedMs`, the use in the database, is recent. */
  used(kind: Use['kind'], id: number, lastUsedMs: number, address: string, client: string): void;
  /** Counts the use of a permission or an endpoint by an API token. */
  readonly needed: TokenUses['note'];
  /** Last use of a credential that is not in the database yet, Unix milliseconds; 0 where there is none. */
  lastNoted(kind: Use['kind'], id: number): number;
  /** Reports the refused secret of an API token before its rotation. */
  readonly reused: ReuseAlarm['raise'];
  /** Replaces the digest of an accepted credential that was made under the key before. */
  moved(move: HashMove): void;
  /** Writes the collected uses and moves. Those of a failed write stay for the next call. */
  readonly flush: () => Promise<void>;
  /** Writes the rest, with best effort. */
  close(): Promise<void>;
}

/** Precision of the last use of an API token. */
const TOKEN_EVERY_MS = 60_000;
/** Uses and moves that may wait to be written. Beyond, uses are dropped, and the next use of a credential moves it. */
const PENDING_MAX = 20_000;
/** Values of one write, so that it is short. */
const SLICE = 200;

const keyOf = ({ kind, id }: Pick<Use, 'kind' | 'id'>): string => `${kind}:${id}`;

/** Creates a {@link CredentialUse}. */
export function createCredentialUse(
  deps: Pick<TokenNeeds, 'db' | 'log' | 'events' | 'audit' | 'now' | 'sessionIdle' | 'tokenUses'>,
): CredentialUse {
  const { db, log, now, sessionIdle, tokenUses } = deps;
  const everyMs = { session: sessionIdle.recordEveryMs, api_token: TOKEN_EVERY_MS, link: TOKEN_EVERY_MS };
  const uses = new Map<string, Use>();
  const moves = new Map<string, HashMove>();
  const reuseAlarm = createReuseAlarm(deps);
  const flushWith = async (which?: 'all') => {
    await writePending(db, uses, (tx, use) => recordUse(tx, use, everyMs[use.kind]));
    await tokenUses.flush(which);
    await writePending(db, moves, moveHash);
  };
  return {
    used(kind, id, lastUsedMs, address, client) {
      const ms = now();
      if (ms - lastUsedMs < everyMs[kind]) return;
      const use = { kind, id, ms, address, client };
      if (uses.size < PENDING_MAX || uses.has(keyOf(use))) uses.set(keyOf(use), use);
    },
    needed: tokenUses.note,
    lastNoted: (kind, id) => uses.get(keyOf({ kind, id }))?.ms ?? 0,
    reused: reuseAlarm.raise,
    moved(move) {
      if (moves.size < PENDING_MAX) moves.set(`${move.column}:${move.id}`, move);
    },
    flush: () => flushWith(),
    async close() {
      await reuseAlarm.close();
      // The server stops in any case; a lost last use is not worth an error.
      await flushWith('all').catch((error: unknown) => log.warn({ err: error }, 'last uses were not written'));
    },
  };
}

async function writePending<Value>(
  db: Pick<Database, 'write'>,
  pending: Map<string, Value>,
  write: (tx: Tx, value: Value) => Promise<void>,
): Promise<void> {
  // One order for all servers, so that they never deadlock.
  const all = [...pending].sort(([a], [b]) => (a < b ? -1 : 1));
  for (let at = 0; at < all.length; at += SLICE) {
    const slice = all.slice(at, at + SLICE);
    await db.write(
      async (tx) => {
        for (const [, value] of slice) await write(tx, value);
      },
      { bulk: true },
    );
    // A value that was collected meanwhile waits for the next call.
    for (const [key, value] of slice) if (pending.get(key) === value) pending.delete(key);
  }
}
