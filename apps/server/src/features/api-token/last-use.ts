// Last use of credentials: time, address and client. Uses are collected in memory and written together every few
// seconds, so that they neither delay nor fail a request.
import type { Database } from '@quarterdeck/core/db';
import { recordUse, type Use } from './last-use.repo.ts';

/** Collects the last uses of credentials. */
export interface LastUse {
  /** Collects a use, unless `lastUsedMs`, the use in the database, is less than a minute old. */
  note(kind: Use['kind'], id: number, lastUsedMs: number, address: string, client: string): void;
  /** Returns the last use of a credential that is not written yet, in Unix milliseconds; 0 where there is none. */
  lastNoted(kind: Use['kind'], id: number): number;
  /** Writes the collected uses. Those of a failed write stay for the next call. */
  flush(): Promise<void>;
}

/** Precision of the last use of an API token. */
const TOKEN_EVERY_MS = 60_000;
/** Credentials that may wait to be written. Beyond, uses are dropped. */
const PENDING_MAX = 20_000;
/** Credentials in one write, so that it is short. */
const SLICE = 200;

/** Creates a {@link LastUse}. `now` is in Unix milliseconds; `sessionEveryMs` is the precision for sessions. */
export function createLastUse(db: Database, now: () => number, sessionEveryMs: number): LastUse {
  const pending = new Map<string, Use>();
  const everyMs = { session: sessionEveryMs, api_token: TOKEN_EVERY_MS, link: TOKEN_EVERY_MS };

  async function writeSlice(uses: readonly Use[]): Promise<void> {
    await db.write(
      async (tx) => {
        for (const use of uses) await recordUse(tx, use, everyMs[use.kind]);
      },
      { bulk: true },
    );
    // A use that was collected meanwhile waits for the next call.
    for (const use of uses) if (pending.get(keyOf(use)) === use) pending.delete(keyOf(use));
  }

  return {
    note(kind, id, lastUsedMs, address, client) {
      const ms = now();
      if (ms - lastUsedMs < everyMs[kind]) return;
      const use = { kind, id, ms, address, client };
      if (pending.size < PENDING_MAX || pending.has(keyOf(use))) pending.set(keyOf(use), use);
    },

    lastNoted: (kind, id) => pending.get(keyOf({ kind, id }))?.ms ?? 0,

    async flush() {
      if (pending.size === 0) return;
      // One order for all servers, so that they never deadlock.
      const uses = [...pending.values()].sort((a, b) => a.kind.localeCompare(b.kind) || a.id - b.id);
      for (let from = 0; from < uses.length; from += SLICE) await writeSlice(uses.slice(from, from + SLICE));
    },
  };
}

const keyOf = ({ kind, id }: Pick<Use, 'kind' | 'id'>): string => `${kind}:${id}`;
