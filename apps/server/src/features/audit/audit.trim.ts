// Removes old entries. The chain stays whole: the place of the last one removed is kept, sealed as its other end is.
// Entries that do not fit are not removed, nor any after them: what somebody has tampered with must not go with age.
import type { Tx } from '@quarterdeck/core/db';
import type { SecretKey } from '../../auth/secrets.ts';
import { AUDIT_START, type AuditLog, type AuditPlace, lockAudit, storeEnd } from './audit.log.ts';
import { firstAudit, removeAuditUpTo, storedEnds } from './audit.repo.ts';
import { follows, startOf } from './audit.verify.ts';

const DAY_MS = 86_400_000;

/** Midnight (UTC) so many days ago: old entries go once a day, and the log says so once a day. */
export const keptSinceMs = (nowMs: number, days: number): number =>
  Math.floor((nowMs - days * DAY_MS) / DAY_MS) * DAY_MS;

/** The audit log was tampered with, so that it cannot be trimmed. */
export class BrokenAuditError extends Error {
  override readonly name = 'BrokenAuditError';
}

/**
 * Removes up to `limit` entries, the oldest ones, that are older than a time; returns how many.
 *
 * @throws BrokenAuditError where one of them is not what was written
 */
export async function trimAudit(
  tx: Tx,
  { key, audit }: { readonly key: SecretKey; readonly audit: AuditLog },
  beforeMs: number,
  limit: number,
): Promise<number> {
  await lockAudit(tx);
  const start = startOf(key, await storedEnds(tx));
  if (start === undefined) throw new BrokenAuditError('the beginning of the audit log is not what was written');
  let last: AuditPlace = start;
  for (const row of await firstAudit(tx, limit)) {
    if (row.time_ms >= beforeMs) break;
    if (!follows(key, row, last)) throw new BrokenAuditError(`the audit log is broken at entry ${last.id + 1}`);
    last = row;
  }
  const removed = last.id - start.id;
  if (removed === 0) return 0;
  await removeAuditUpTo(tx, last.id);
  await storeEnd(tx, key, AUDIT_START, last);
  await audit.record(tx, { action: 'audit.trim', actor: 'system', detail: { removed, up_to: last.id } });
  return removed;
}
