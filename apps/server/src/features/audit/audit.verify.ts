// Whether the chain of the audit log is whole.
import { setImmediate } from 'node:timers/promises';
import type { AuditVerdict } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import type { SecretKey } from '../../auth/secrets.ts';
import { AUDIT_START, auditHash, readHead } from './audit.log.ts';
import { type AuditRow, auditAfter, storedHead } from './audit.repo.ts';

const SLICE = 1_000;

/**
 * Walks the chain. `broken_at` is the first id at which there is not the entry that was written there: it was changed,
 * taken out, put in or moved. Entries that are added meanwhile are checked too.
 */
export async function verifyAudit(db: Database, key: SecretKey, slice = SLICE): Promise<AuditVerdict> {
  // Before the entries: those up to this end have to be there, later ones may come as we go.
  const headText = await storedHead(db);
  let checked = 0;
  let previous = AUDIT_START;
  const broken = (): AuditVerdict => ({ intact: false, checked, broken_at: checked + 1 });

  for (;;) {
    const rows = await auditAfter(db, checked, slice);
    for (const row of rows) {
      if (!fits(key, row, checked + 1, previous)) return broken();
      checked = row.id;
      previous = row.hash;
    }
    if (rows.length < slice) break;
    await setImmediate();
  }
  if (headText === undefined) return checked === 0 ? { intact: true, checked, broken_at: null } : broken();
  const head = readHead(key, headText);
  if (head === undefined || head.id > checked) return broken();
  return { intact: true, checked, broken_at: null };
}

function fits(key: SecretKey, row: AuditRow, id: number, previous: string): boolean {
  return row.id === id && row.previous === previous && row.hash === auditHash(key, id, previous, row);
}
