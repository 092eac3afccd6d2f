// When and from where credentials were last used. Nothing here may delay or fail a request: uses are collected in
// memory and written together every few seconds.
import { type Database, type Door, statement } from '@quarterdeck/core/db';

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
  /** Writes what was collected. What cannot be written is forgotten; the next use tells again. */
  flush(): Promise<void>;
}

/** How exact the time is. */
const EVERY_MS = 60_000;
/** Credentials that may wait to be written. Beyond, uses are not remembered. */
const PENDING_MAX = 20_000;
/** Credentials in one write, so that it holds nobody else up. */
const SLICE = 200;

// Another server may have written a use of the same minute, or a later one.
const TOUCH_TOKEN = statement(
  'UPDATE api_token SET last_used_ms = ?, last_address = ?, last_client = ? WHERE id = ? AND last_used_ms <= ?',
);
const TOUCH_SESSION = statement('UPDATE session SET last_used_ms = ? WHERE id = ? AND last_used_ms <= ?');

/** Makes {@link LastUse}. `now` is in Unix milliseconds. */
export function createLastUse(db: Database, now: () => number): LastUse {
  let pending = new Map<string, Use>();

  return {
    note(kind, id, lastUsedMs, address, client) {
      const ms = now();
      if (ms - lastUsedMs < EVERY_MS) return;
      const key = `${kind}:${id}`;
      if (pending.has(key) || pending.size >= PENDING_MAX) return;
      pending.set(key, { kind, id, ms, address, client });
    },

    async flush() {
      if (pending.size === 0) return;
      // All servers take rows in the same order, so that none waits for one that waits for it.
      const uses = [...pending.values()].sort((a, b) => a.kind.localeCompare(b.kind) || a.id - b.id);
      pending = new Map();
      for (let from = 0; from < uses.length; from += SLICE) {
        await db.write(
          async (tx) => {
            for (const use of uses.slice(from, from + SLICE)) await touch(tx, use);
          },
          { bulk: true },
        );
      }
    },
  };
}

const touch = (tx: Door, { kind, id, ms, address, client }: Use) =>
  kind === 'session'
    ? tx.sql.run(TOUCH_SESSION, ms, id, ms - EVERY_MS)
    : tx.sql.run(TOUCH_TOKEN, ms, address, client, id, ms - EVERY_MS);
