// Removes old entries. The chain stays verifiable: the position of the last removed entry is kept, sealed like the
// head. A tampered entry and all later ones are not removed, so that retention cannot hide the tampering.
import type { Tx } from '@quarterdeck/core/db';
import type { SecretKey } from '../../auth/secrets.ts';
import { storeSetting } from '../../sql/setting.repo.ts';
import { AUDIT_START, type AuditLog, type ChainPosition, sealEnd } from './audit.log.ts';
import { firstAudit, lockAudit, removeAuditUpTo } from './audit.repo.ts';
import { follows, readStoredEnds, startOf } from './audit.verify.ts';

const DAY_MS = 86_400_000;

/** Midnight (UTC) a number of days ago, so that old entries are removed, and the removal recorded, once a day. */
export const keptSinceMs = (nowMs: number, days: number): number =>
  Math.floor((nowMs - days * DAY_MS) / DAY_MS) * DAY_MS;

/** The audit log was tampered with and cannot be trimmed. */
export class BrokenAuditError extends Error {
  override readonly name = 'BrokenAuditError';
}

/**
 * Removes up to `limit` of the oldest entries that are older than a time; returns how many.
 *
 * @throws BrokenAuditError where one of them was tampered with
 */
export async function trimAudit(
  tx: Tx,
  { key, audit }: { readonly key: SecretKey; readonly audit: AuditLog },
  beforeMs: number,
  limit: number,
): Promise<number> {
  await lockAudit(tx);
  const start = startOf(key, await readStoredEnds(tx));
  if (start === undefined) throw new BrokenAuditError('the start of the audit log was tampered with');
  let last: ChainPosition = start;
  for (const row of await firstAudit(tx, limit)) {
    if (row.timeMs >= beforeMs) break;
    if (!follows(key, row, last)) throw new BrokenAuditError(`the audit log is broken at entry ${last.id + 1}`);
    last = row;
  }
  const removed = last.id - start.id;
  if (removed === 0) return 0;
  await removeAuditUpTo(tx, last.id);
  await storeSetting(tx, AUDIT_START, sealEnd(key, AUDIT_START, last));
  await audit.record(tx, { action: 'audit.trim', actor: 'system', detail: { removed, up_to: last.id } });
  return removed;
}
