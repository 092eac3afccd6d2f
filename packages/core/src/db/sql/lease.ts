// A task that one server of several does at a time. A server that ends without giving its lease back is replaced after
// the lease has run out.
import { randomUUID } from 'node:crypto';
import { type Database, statement, type Tx } from '../open/index.ts';

/** Name of a task. All versions of Quarterdeck that share a database must agree on it. */
export type LeaseName = 'alerts' | 'deliveries' | 'backup' | 'audit_export' | 'indexes' | 'check';

/** A claim of this process on a task. */
export interface Lease {
  /** Takes or extends the lease; false while another server has it. Call it in each round of the task. */
  hold(): Promise<boolean>;
  /**
   * Extends the lease in the write that stores what the task has done; false where another server has had it since. A
   * process that was stopped for longer than its lease finds out here. Another server waits for the end of this write.
   */
  keep(tx: Tx): Promise<boolean>;
  /** Gives the lease back, so that another server need not wait. */
  release(): Promise<void>;
}

const TAKE = statement(
  `INSERT INTO lease (name, holder, until_ms) VALUES (?, ?, ?)
   ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
   WHERE lease.holder = excluded.holder OR lease.until_ms <= ?`,
);
const KEEP = statement('UPDATE lease SET until_ms = ? WHERE name = ? AND holder = ?');
const RELEASE = statement('DELETE FROM lease WHERE name = ? AND holder = ?');

/** A claim on a task, for `forMs` milliseconds at a time by the clock `now`. */
export function createLease(db: Database, name: LeaseName, forMs: number, now: () => number): Lease {
  // One process owns a SQLite database.
  if (db.dialect === 'sqlite') {
    return { hold: async () => true, keep: async () => true, release: async () => undefined };
  }
  const holder = randomUUID();
  let heldUntilMs = 0;
  return {
    async hold() {
      const nowMs = now();
      if (nowMs < heldUntilMs - forMs / 2) return true;
      const { changes } = await db.write(({ sql }) => sql.run(TAKE, name, holder, nowMs + forMs, nowMs));
      heldUntilMs = changes > 0 ? nowMs + forMs : 0;
      return changes > 0;
    },
    keep: async ({ sql }) => (await sql.run(KEEP, now() + forMs, name, holder)).changes > 0,
    async release() {
      heldUntilMs = 0;
      await db.write(({ sql }) => sql.run(RELEASE, name, holder));
    },
  };
}
