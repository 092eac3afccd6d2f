// Reads and trims the audit log. The features record its entries themselves, see audit.log.ts.
import { type contract, type Service, sliceOf } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { removeSettings, storeSetting } from '@quarterdeck/core/sql';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { SecretKey } from '../../auth/secrets.ts';
import type { CallContext } from '../call-context.ts';
import { checkWindow } from '../page-window.ts';
import { AUDIT_FORMER, readFormer, sealFormer } from './audit.former.ts';
import { AUDIT_START, type AuditLog, sealEnd } from './audit.log.ts';
import { firstAudit, listAudit, lockAudit, removeAuditUpTo } from './audit.repo.ts';
import { beginWalk, readStoredEnds, verifyAudit } from './audit.verify.ts';
import type { AuditNeeds } from './needs.ts';

/** Converts whole seconds to milliseconds; a number beyond any time is cut to the largest one. */
const milliseconds = (seconds: number | undefined) =>
  seconds === undefined ? undefined : Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER);

/** Converts the end of a period in whole seconds to milliseconds; the period includes that second. */
const lastMs = (seconds: number | undefined) => {
  const ms = milliseconds(seconds);
  return ms === undefined ? undefined : Math.min(ms + 999, Number.MAX_SAFE_INTEGER);
};

/** Form of every action. Other texts match no entry, and PostgreSQL refuses some of them. */
const ACTION = /^[\w.-]+$/;
const NO_ENTRIES = { data: [], meta: { count: 0 } };

/** Entries in one write, so that it is short. */
const TRIM_SLICE = 500;

/** Endpoints of the contract, and the job about old entries. */
export interface AuditService extends Service<(typeof contract)['audit'], CallContext> {
  /** Removes entries that are older than the installation keeps. */
  trim(stopped: () => boolean): Promise<void>;
}

export function auditService(deps: AuditNeeds): AuditService {
  const { db, key, now, auditDays } = deps;
  return {
    async list({ query }) {
      const { action, actor_id: actorId, start_time, end_time } = query;
      const slice = checkWindow(sliceOf(query));
      if (action !== undefined && !ACTION.test(action)) return NO_ENTRIES;
      return listAudit(db, slice, { action, actorId, fromMs: milliseconds(start_time), untilMs: lastMs(end_time) });
    },
    verify: () => verifyAudit(db, key),
    async trim(stopped) {
      if (auditDays === 0) return;
      const beforeMs = keptSinceMs(now(), auditDays);
      while (!stopped() && (await db.write((tx) => trimAudit(tx, deps, beforeMs, TRIM_SLICE))) === TRIM_SLICE);
    },
  };
}

const DAY_MS = 86_400_000;

/** Midnight (UTC) a number of days ago, so that old entries are removed, and the removal recorded, once a day. */
export const keptSinceMs = (nowMs: number, days: number): number =>
  Math.floor((nowMs - days * DAY_MS) / DAY_MS) * DAY_MS;

/** The audit log was tampered with and cannot be trimmed. */
class BrokenAuditError extends Error {
  override readonly name = 'BrokenAuditError';
}

/**
 * Removes up to `limit` of the oldest entries that are older than a time; returns how many. The chain stays verifiable:
 * the position of the last removed entry is kept, sealed like the head. A tampered entry and all later ones are not
 * removed, so that retention cannot hide the tampering.
 *
 * @throws BrokenAuditError where one of them was tampered with
 */
export async function trimAudit(
  tx: Tx,
  { key: keys, audit }: { readonly key: KeyRing; readonly audit: AuditLog },
  beforeMs: number,
  limit: number,
): Promise<number> {
  await lockAudit(tx);
  const ends = await readStoredEnds(tx, keys);
  const walk = beginWalk(keys, ends);
  if (walk === undefined) throw new BrokenAuditError('the start of the audit log was tampered with');
  const start = walk.position;
  for (const row of await firstAudit(tx, limit)) {
    if (row.timeMs >= beforeMs) break;
    if (!walk.accept(row)) throw new BrokenAuditError(`the audit log is broken at entry ${walk.position.id + 1}`);
  }
  const { position: last, digest } = walk;
  const removed = last.id - start.id;
  if (removed === 0) return 0;
  await removeAuditUpTo(tx, last.id);
  await storeSetting(tx, AUDIT_START, sealEnd(ends.key, AUDIT_START, last));
  if (ends.former !== undefined) await moveFormer(tx, ends.key, ends.former, last.id, digest);
  await audit.record(tx, { action: 'audit.trim', actor: 'system', detail: { removed, up_to: last.id } });
  return removed;
}

/** Keeps the digest over removed entries under a dropped key, from which the digest over the others goes on. */
async function moveFormer(tx: Tx, key: SecretKey, stored: string, lastId: number, base: string): Promise<void> {
  const former = readFormer(key, stored);
  if (former === undefined || lastId >= former.until) await removeSettings(tx, [AUDIT_FORMER]);
  else await storeSetting(tx, AUDIT_FORMER, sealFormer(key, { ...former, base }));
}
