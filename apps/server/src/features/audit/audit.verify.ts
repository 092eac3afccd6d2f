// Verifies the chain of the audit log.
import { setImmediate } from 'node:timers/promises';
import type { AuditVerdict } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import { readSettings } from '@quarterdeck/core/sql';
import type { KeyRing } from '../../auth/key-ring.ts';
import { KEY_CHECK, type SecretKey } from '../../auth/secrets.ts';
import { AUDIT_FORMER, readFormer } from './audit.former.ts';
import { AUDIT_HEAD, AUDIT_ORIGIN, AUDIT_START, type ChainPosition, readEnd, sealingKey } from './audit.log.ts';
import { auditAfter, firstAudit } from './audit.repo.ts';
import { ChainWalk } from './chain-walk.ts';

const SLICE = 1_000;

/** The sealed settings of the chain, undefined where one is missing, and the key that sealed them. */
export interface StoredEnds {
  readonly key: SecretKey;
  readonly start: string | undefined;
  readonly head: string | undefined;
  readonly former: string | undefined;
}

/** Reads the ends as they are at one moment. */
export async function readStoredEnds(tx: Tx, keys: KeyRing): Promise<StoredEnds> {
  const stored = await readSettings(tx, [AUDIT_START, AUDIT_HEAD, AUDIT_FORMER, KEY_CHECK]);
  return {
    key: sealingKey(keys, stored.get(KEY_CHECK)),
    start: stored.get(AUDIT_START),
    head: stored.get(AUDIT_HEAD),
    former: stored.get(AUDIT_FORMER),
  };
}

/**
 * Verifies all entries. `broken_at` is the first id whose entry was changed, removed, inserted or moved. Entries that
 * are added meanwhile are verified too; those that retention removes meanwhile are not reported.
 */
export async function verifyAudit(db: Database, keys: KeyRing, slice = SLICE): Promise<AuditVerdict> {
  for (;;) {
    // The head is read first: entries up to it must exist, later ones may be added meanwhile.
    const ends = await readStoredEnds(db.read, keys);
    const verdict = await verifyOnce(db, keys, ends, slice);
    if (verdict.intact) return verdict;
    if (isSameChain(await readStoredEnds(db.read, keys), ends)) return verdict;
  }
}

async function verifyOnce(db: Database, keys: KeyRing, ends: StoredEnds, slice: number): Promise<AuditVerdict> {
  const walk = beginWalk(keys, ends);
  if (walk === undefined) return { intact: false, checked: 0, broken_at: AUDIT_ORIGIN.id + 1 };
  const start = walk.position;
  if (!(await walkAll(db, walk, slice))) return { intact: false, ...walk.result(start) };
  const { position } = walk;
  const intact = hasReachedEnd(walk, ends);
  const checked = position.id - start.id;
  return { intact, checked, broken_at: intact ? null : position.id + 1 };
}

/** True where a walk has accepted all entries up to the head that was read before. */
export function hasReachedEnd(walk: ChainWalk, { key, head }: StoredEnds): boolean {
  // Entries that were added since are under the same key, or under one that a later entry began.
  if (!walk.isFormerComplete || !walk.hasReached(key)) return false;
  if (head === undefined) return walk.position.id === AUDIT_ORIGIN.id;
  const end = readEnd(key, AUDIT_HEAD, head);
  return end !== undefined && end.id <= walk.position.id;
}

/** Walks over all entries, in slices; false where one does not follow. */
export async function walkAll(db: Database, walk: ChainWalk, slice = SLICE): Promise<boolean> {
  const start = walk.position;
  for (;;) {
    const { position } = walk;
    const rows = await (position === start ? firstAudit(db.read, slice) : auditAfter(db.read, position.id, slice));
    for (const row of rows) if (!walk.accept(row)) return false;
    if (rows.length < slice) return walk.isFormerComplete;
    await setImmediate();
  }
}

/** Begins before the first entry; undefined where the settings were not sealed under the key in use. */
export function beginWalk(keys: KeyRing, ends: StoredEnds): ChainWalk | undefined {
  const start = startOf(ends);
  const former = ends.former === undefined ? undefined : readFormer(ends.key, ends.former);
  if (start === undefined || (ends.former !== undefined && former === undefined)) return undefined;
  return new ChainWalk(keys.keys, start, former);
}

/** Reads the position before the first entry; undefined where it was not sealed under this key. */
const startOf = ({ key, start }: StoredEnds): ChainPosition | undefined =>
  start === undefined ? AUDIT_ORIGIN : readEnd(key, AUDIT_START, start);

/** True where no entries and no key were removed between two reads of the ends. */
export const isSameChain = (a: StoredEnds, b: StoredEnds): boolean =>
  a.start === b.start && a.former === b.former && a.key.check === b.key.check;
