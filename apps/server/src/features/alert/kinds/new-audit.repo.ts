// Reads entries of the audit log for rules. Their ids have the order in which they become visible.
import { statement, type Tx } from '@quarterdeck/core/db';

/** An entry of the audit log; `detail` is JSON text. */
export interface NewAuditEntry {
  readonly id: number;
  readonly timeMs: number;
  readonly address: string;
  readonly targetId: number;
  readonly detail: string;
}

const SELECT = 'SELECT id, time_ms AS "timeMs", address, target_id AS "targetId", detail FROM audit';
const NEWEST = statement('SELECT max(id) AS id FROM audit');
const OF_ACTION = statement(`${SELECT} WHERE action = ? AND id > ? ORDER BY id LIMIT ?`);
const LATEST = statement(`${SELECT} WHERE action = ? AND id > ? ORDER BY id DESC LIMIT ?`);
const LAST_BEFORE = statement('SELECT id FROM audit WHERE time_ms < ? ORDER BY time_ms DESC, id DESC LIMIT 1');
const NTH = statement('SELECT id FROM audit WHERE action = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?');
const COUNT = statement('SELECT count(*) AS n FROM audit WHERE action = ? AND id > ?');

/** Entries that one statement counts: some milliseconds. */
const COUNTED_AT_ONCE = 5_000;

/** Id of the newest entry; 0 where there is none. */
export const newestAudit = async ({ sql }: Tx): Promise<number> =>
  (await sql.get<{ id: number | null }>(NEWEST))?.id ?? 0;

/** Id of the last entry before a time, Unix milliseconds; 0 where there is none. */
export const lastAuditBefore = async ({ sql }: Tx, ms: number): Promise<number> =>
  (await sql.get<{ id: number }>(LAST_BEFORE, ms))?.id ?? 0;

/** Entries of an action after an id, oldest first. */
export const auditOfAction = ({ sql }: Tx, action: string, afterId: number, limit: number): Promise<NewAuditEntry[]> =>
  sql.all<NewAuditEntry>(OF_ACTION, action, afterId, limit);

/** The latest entries of an action after an id, newest first. */
export const latestOfAction = ({ sql }: Tx, action: string, afterId: number, limit: number): Promise<NewAuditEntry[]> =>
  sql.all<NewAuditEntry>(LATEST, action, afterId, limit);

/** Counts the entries of an action after an id, part by part. */
export async function countOfAction(
  { sql }: Tx,
  action: string,
  afterId: number,
  pause: () => Promise<void>,
): Promise<number> {
  for (let id = afterId, n = 0; ; n += COUNTED_AT_ONCE) {
    const last = await sql.get<{ id: number }>(NTH, action, id, COUNTED_AT_ONCE - 1);
    if (last === undefined) return n + ((await sql.get<{ n: number }>(COUNT, action, id))?.n ?? 0);
    id = last.id;
    await pause();
  }
}
