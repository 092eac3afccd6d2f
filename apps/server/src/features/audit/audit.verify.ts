// Verifies the chain of the audit log.
import { setImmediate } from 'node:timers/promises';
import type { AuditVerdict } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import type { SecretKey } from '../../auth/secrets.ts';
import { readSettings } from '../../sql/setting.repo.ts';
import { AUDIT_HEAD, AUDIT_ORIGIN, AUDIT_START, auditHash, type ChainPosition, nounOf, readEnd } from './audit.log.ts';
import { type AuditRow, auditAfter, firstAudit } from './audit.repo.ts';

const SLICE = 1_000;

/** The sealed ends of the chain; undefined where one is missing. */
interface StoredEnds {
  readonly start: string | undefined;
  readonly head: string | undefined;
}

/** Reads both ends as they are at one moment. */
export async function readStoredEnds(tx: Tx): Promise<StoredEnds> {
  const ends = await readSettings(tx, [AUDIT_START, AUDIT_HEAD]);
  return { start: ends.get(AUDIT_START), head: ends.get(AUDIT_HEAD) };
}

/**
 * Verifies all entries. `broken_at` is the first id whose entry was changed, removed, inserted or moved. Entries that
 * are added meanwhile are verified too; those that retention removes meanwhile are not reported.
 */
export async function verifyAudit(db: Database, key: SecretKey, slice = SLICE): Promise<AuditVerdict> {
  for (;;) {
    // The head is read first: entries up to it must exist, later ones may be added meanwhile.
    const ends = await readStoredEnds(db.read);
    const verdict = await walk(db, key, ends, slice);
    if (verdict.intact || (await readStoredEnds(db.read)).start === ends.start) return verdict;
  }
}

async function walk(db: Database, key: SecretKey, ends: StoredEnds, slice: number): Promise<AuditVerdict> {
  const start = startOf(key, ends);
  if (start === undefined) return { intact: false, checked: 0, broken_at: AUDIT_ORIGIN.id + 1 };
  let position = start;
  const verdict = (intact: boolean): AuditVerdict => {
    return { intact, checked: position.id - start.id, broken_at: intact ? null : position.id + 1 };
  };
  for (;;) {
    const rows = await (position === start ? firstAudit(db.read, slice) : auditAfter(db.read, position.id, slice));
    for (const row of rows) {
      if (!follows(key, row, position)) return verdict(false);
      position = row;
    }
    if (rows.length < slice) break;
    await setImmediate();
  }
  if (ends.head === undefined) return verdict(position.id === AUDIT_ORIGIN.id);
  const head = readEnd(key, AUDIT_HEAD, ends.head);
  return verdict(head !== undefined && head.id <= position.id);
}

/** Reads the position before the first entry; undefined where it was not sealed under this key. */
export const startOf = (key: SecretKey, { start }: StoredEnds): ChainPosition | undefined =>
  start === undefined ? AUDIT_ORIGIN : readEnd(key, AUDIT_START, start);

/** True where an entry is the one that was recorded after this position. */
export function follows(key: SecretKey, row: AuditRow, { id, hash }: ChainPosition): boolean {
  if (row.id !== id + 1 || row.previous !== hash || row.noun !== nounOf(row.action)) return false;
  return row.hash === auditHash(key, row.id, hash, row);
}
