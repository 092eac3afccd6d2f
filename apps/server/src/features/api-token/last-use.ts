// When and from where credentials were last used. Nothing here may delay or fail a request: uses are collected in
// memory and written together every few seconds.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';

/** A credential that was accepted. */
interface Use {
  readonly kind: 'session' | 'api_token';
  readonly id: number;
  readonly ms: number;
  readonly address: string;
  readonly client: string;
}

/** Collects uses. */
export interface LastUse {
  /** Remembers a use, unless one of the last minute is known: `lastUsedMs` is what the database says. */
  note(kind: Use['kind'], id: number, lastUsedMs: number, address: string, client: string): void;
  /** When a credential was used last, Unix milliseconds, where that waits to be written; 0 where nothing waits. */
  lastNoted(kind: Use['kind'], id: number): number;
  /** Writes what was collected. What cannot be written waits for the next time. */
  flush(): Promise<void>;
}

/** Precision of the last use of an API token. */
const TOKEN_EVERY_MS = 60_000;
/** Credentials that may wait to be written. Beyond, uses are not remembered. */
const PENDING_MAX = 20_000;
/** Credentials in one write, so that it holds nobody else up. */
const SLICE = 200;

// Another server may have written a use of the same minute, or a later one.
const TOUCH_TOKEN = statement(
  'UPDATE api_token SET last_used_ms = ?, last_address = ?, last_client = ? WHERE id = ? AND last_used_ms <= ?',
);
const TOUCH_SESSION = statement('UPDATE session SET last_used_ms = ? WHERE id = ? AND last_used_ms <= ?');

/** Makes {@link LastUse}. `now` is in Unix milliseconds; `sessionEveryMs` is the precision of a session's last use. */
export function createLastUse(db: Database, now: () => number, sessionEveryMs: number): LastUse {
  const pending = new Map<string, Use>();
  const everyMs = { session: sessionEveryMs, api_token: TOKEN_EVERY_MS };

  async function writeSlice(uses: readonly Use[]): Promise<void> {
    await db.write(
      async (tx) => {
        for (const use of uses) await touch(tx, use, everyMs[use.kind]);
      },
      { bulk: true },
    );
    // One that was noted meanwhile waits for the next time.
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
      // All servers take rows in the same order, so that none waits for one that waits for it.
      const uses = [...pending.values()].sort((a, b) => a.kind.localeCompare(b.kind) || a.id - b.id);
      for (let from = 0; from < uses.length; from += SLICE) await writeSlice(uses.slice(from, from + SLICE));
    },
  };
}

const keyOf = ({ kind, id }: Pick<Use, 'kind' | 'id'>): string => `${kind}:${id}`;

const touch = (tx: Tx, { kind, id, ms, address, client }: Use, everyMs: number) =>
  kind === 'session'
    ? tx.sql.run(TOUCH_SESSION, ms, id, ms - everyMs)
    : tx.sql.run(TOUCH_TOKEN, ms, address, client, id, ms - everyMs);
