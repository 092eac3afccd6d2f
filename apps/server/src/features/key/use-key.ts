// Begins to use the next key. One write does it: the setting that names the key in use, the sealed ends of the audit
// log, and the entry about it, which both keys seal.
import type { Tx } from '@quarterdeck/core/db';
import { removeSettings, storeSetting } from '@quarterdeck/core/sql';
import type { KeyRing } from '../../auth/key-ring.ts';
import { KEY_CHECK, type SecretKey } from '../../auth/secrets.ts';
import { AUDIT_FORMER, readFormer, sealFormer } from '../audit/audit.former.ts';
import {
  AUDIT_HEAD,
  AUDIT_ORIGIN,
  AUDIT_START,
  type AuditLog,
  type EndName,
  readEnd,
  sealEnd,
} from '../audit/audit.log.ts';
import { lockAudit } from '../audit/audit.repo.ts';
import { readStoredEnds, type StoredEnds } from '../audit/audit.verify.ts';
import { KEY_ROTATE, rotationProof } from '../audit/chain-walk.ts';
import { KEY_NEXT } from './next-key.repo.ts';

/** Uses a key that `keys` accepts. Does nothing where it is in use already. */
export async function useKey(
  tx: Tx,
  { key: keys, audit }: { readonly key: KeyRing; readonly audit: AuditLog },
  next: SecretKey,
): Promise<void> {
  await lockAudit(tx);
  const ends = await readStoredEnds(tx, keys);
  const { key: before } = ends;
  if (before.check === next.check) return;
  await sealAgain(tx, ends, next);
  await storeSetting(tx, KEY_CHECK, next.check);
  await removeSettings(tx, [KEY_NEXT]);
  const head = ends.head === undefined ? undefined : readEnd(before, AUDIT_HEAD, ends.head);
  const detail = {
    before: { key: before.generation },
    after: { key: next.generation },
    proof: rotationProof(before, head ?? AUDIT_ORIGIN, next),
  };
  await audit.record(tx, { action: KEY_ROTATE, actor: 'local', detail });
}

/** Seals the ends of the audit log under the next key. Tampered ones stay as they are, so that it shows. */
async function sealAgain(tx: Tx, { key, start, head, former }: StoredEnds, next: SecretKey): Promise<void> {
  const ends: [EndName, string | undefined][] = [
    [AUDIT_START, start],
    [AUDIT_HEAD, head],
  ];
  for (const [name, text] of ends) {
    const end = text === undefined ? undefined : readEnd(key, name, text);
    if (end !== undefined) await storeSetting(tx, name, sealEnd(next, name, end));
  }
  const entries = former === undefined ? undefined : readFormer(key, former);
  if (entries !== undefined) await storeSetting(tx, AUDIT_FORMER, sealFormer(next, entries));
}
