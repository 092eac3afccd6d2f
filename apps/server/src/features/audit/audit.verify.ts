// Whether the chain of the audit log is whole.
import { setImmediate } from 'node:timers/promises';
import type { AuditVerdict } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import type { SecretKey } from '../../auth/secrets.ts';
import { AUDIT_HEAD, AUDIT_ORIGIN, AUDIT_START, type AuditPlace, auditHash, nounOf, readEnd } from './audit.log.ts';
import { type AuditRow, auditAfter, firstAudit, type StoredEnds, storedEnds } from './audit.repo.ts';

const SLICE = 1_000;

/**
 * Walks the chain. `broken_at` is the first id at which there is not the entry that was written there: it was changed,
 * taken out, put in or moved. Entries that are added meanwhile are checked too; those that are removed meanwhile because
 * they are old are not missed.
 */
export async function verifyAudit(db: Database, key: SecretKey, slice = SLICE): Promise<AuditVerdict> {
  for (;;) {
    // Before the entries: those up to this end have to be there, later ones may come as we go.
    const ends = await storedEnds(db.read);
    const verdict = await walk(db, key, ends, slice);
    if (verdict.intact || (await storedEnds(db.read)).start === ends.start) return verdict;
  }
}

async function walk(db: Database, key: SecretKey, ends: StoredEnds, slice: number): Promise<AuditVerdict> {
  const start = startOf(key, ends);
  if (start === undefined) return { intact: false, checked: 0, broken_at: AUDIT_ORIGIN.id + 1 };
  let place = start;
  const verdict = (intact: boolean): AuditVerdict => {
    return { intact, checked: place.id - start.id, broken_at: intact ? null : place.id + 1 };
  };
  for (;;) {
    const rows = await (place === start ? firstAudit(db.read, slice) : auditAfter(db.read, place.id, slice));
    for (const row of rows) {
      if (!follows(key, row, place)) return verdict(false);
      place = row;
    }
    if (rows.length < slice) break;
    await setImmediate();
  }
  if (ends.head === null) return verdict(place.id === AUDIT_ORIGIN.id);
  const head = readEnd(key, AUDIT_HEAD, ends.head);
  return verdict(head !== undefined && head.id <= place.id);
}

/** What stands before the first entry that has to be there; undefined where it was not written under this key. */
export const startOf = (key: SecretKey, { start }: StoredEnds): AuditPlace | undefined =>
  start === null ? AUDIT_ORIGIN : readEnd(key, AUDIT_START, start);

/** Whether an entry is the one that was written after this place. */
export function follows(key: SecretKey, row: AuditRow, { id, hash }: AuditPlace): boolean {
  if (row.id !== id + 1 || row.previous !== hash || row.noun !== nounOf(row.action)) return false;
  return row.hash === auditHash(key, row.id, hash, row);
}
