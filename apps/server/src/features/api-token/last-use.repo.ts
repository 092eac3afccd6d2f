// Queries that record the last use of credentials. 200 of them run in one write: 0.8 ms on SQLite, 8 ms through Prisma,
// in which no other write could run. They are prepared (decision 031).
import { statement, type Tx } from '@quarterdeck/core/db';

/** Use of a credential. */
export interface Use {
  readonly kind: 'session' | 'api_token' | 'link';
  readonly id: number;
  readonly ms: number;
  readonly address: string;
  readonly client: string;
}

// Another server may have written a use of the same minute, or a later one.
const TOUCH_TOKEN = statement(
  'UPDATE api_token SET last_used_ms = ?, last_address = ?, last_client = ? WHERE id = ? AND last_used_ms <= ?',
);
const touchIn = (table: string) => statement(`UPDATE ${table} SET last_used_ms = ? WHERE id = ? AND last_used_ms <= ?`);
const TOUCH = { session: touchIn('session'), link: touchIn('shared_link') };

/** Records a use, unless one within `everyMs` before it is recorded. */
export async function recordUse(tx: Tx, { kind, id, ms, address, client }: Use, everyMs: number): Promise<void> {
  if (kind !== 'api_token') await tx.sql.run(TOUCH[kind], ms, id, ms - everyMs);
  else await tx.sql.run(TOUCH_TOKEN, ms, address, client, id, ms - everyMs);
}
