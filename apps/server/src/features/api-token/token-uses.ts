// Uses of API tokens: which permissions and endpoints, how often, and when last. They are counted in memory and added
// to those in the database once a minute, so that they neither delay nor fail a request.
import type { Database } from '@quarterdeck/core/db';
import { addUses, type NamedUse } from './token-use.repo.ts';

/** Counts the uses of API tokens. */
export interface TokenUses {
  /** Counts a use of a permission, or of an endpoint such as `GET /metrics`. */
  note(tokenId: number, name: string): void;
  /** Writes uses that have waited for a minute; of one token, or with `all`, those that have not, too. */
  flush(which?: number | 'all'): Promise<void>;
}

/** Time for which uses are collected before they are written. */
const WRITE_EVERY_MS = 60_000;
/** Names of all tokens that may wait to be written. Beyond, uses of further names are dropped. */
const PENDING_MAX = 100_000;
/** Names in one write, so that it is short. */
const SLICE = 500;

type Counts = Map<string, { count: number; lastMs: number }>;

/** Creates a {@link TokenUses}. `now` is in Unix milliseconds. */
export function createTokenUses(db: Database, now: () => number): TokenUses {
  const pending = new Map<number, { readonly sinceMs: number; readonly counts: Counts }>();
  let size = 0;
  let last: Promise<void> = Promise.resolve();

  function add({ tokenId, name, count, lastMs }: NamedUse): void {
    let token = pending.get(tokenId);
    if (token === undefined) {
      token = { sinceMs: lastMs, counts: new Map() };
      pending.set(tokenId, token);
    }
    const known = token.counts.get(name);
    if (known !== undefined) {
      known.count += count;
      known.lastMs = Math.max(known.lastMs, lastMs);
    } else if (size < PENDING_MAX) {
      size += 1;
      token.counts.set(name, { count, lastMs });
    }
  }

  /** Takes uses out, in one order for all servers, so that they never deadlock. */
  function take(which: number | 'all' | undefined): NamedUse[] {
    const dueMs = now() - WRITE_EVERY_MS;
    const taken: NamedUse[] = [];
    for (const [tokenId, { sinceMs, counts }] of pending) {
      if (which === undefined ? sinceMs > dueMs : which !== 'all' && which !== tokenId) continue;
      pending.delete(tokenId);
      size -= counts.size;
      for (const [name, use] of counts) taken.push({ tokenId, name, ...use });
    }
    return taken.sort((a, b) => a.tokenId - b.tokenId || (a.name < b.name ? -1 : 1));
  }

  async function write(which: number | 'all' | undefined): Promise<void> {
    const uses = take(which);
    for (let from = 0; from < uses.length; from += SLICE) {
      try {
        await db.write((tx) => addUses(tx, uses.slice(from, from + SLICE)), { bulk: true });
      } catch (error) {
        for (const use of uses.slice(from)) add(use);
        throw error;
      }
    }
  }

  return {
    note: (tokenId, name) => add({ tokenId, name, count: 1, lastMs: now() }),
    // One after the other: a reader of the uses waits for those that are being written.
    flush(which) {
      const done = last.then(() => write(which));
      last = done.catch(() => undefined);
      return done;
    },
  };
}
