// Entries under a key that was dropped. Their hashes cannot be computed any more. A digest over all of them still shows
// that none was changed: it was computed before the key was dropped, and is sealed under the key in use.
import { createHash } from 'node:crypto';
import type { SecretKey } from '../../auth/secrets.ts';
import { contentDigest, seal } from './audit.log.ts';
import type { AuditRow } from './audit.repo.ts';

/** Name of the setting about these entries; missing until a key is dropped. */
export const AUDIT_FORMER = 'audit_former';

/** Start of a digest over entries. */
export const NO_ENTRIES = '0'.repeat(64);

/** Digest that no entries have: the log was broken when the key was dropped. */
export const BROKEN_ENTRIES = 'f'.repeat(64);

/** The entries under dropped keys. */
export interface FormerEntries {
  /** Id of the last of them. */
  readonly until: number;
  /** Digest over those that retention has removed. */
  readonly base: string;
  /** Digest over those and all others. */
  readonly digest: string;
}

/** Adds an entry to a digest over the entries before it. */
export const addEntry = (digest: string, row: AuditRow): string =>
  createHash('sha256')
    .update(`${digest}:${contentDigest(row.id, row.previous, row)}:${row.hash}`)
    .digest('hex');

/** Seals the setting under the key. */
export const sealFormer = (key: SecretKey, { until, base, digest }: FormerEntries): string =>
  seal(key, AUDIT_FORMER, `${until}:${base}:${digest}`);

/** Reads the setting; undefined where it was not written under this key. */
export function readFormer(key: SecretKey, text: string): FormerEntries | undefined {
  const [until = '', base = '', digest = ''] = text.split(':');
  const former = { until: Number(until), base, digest };
  return text === sealFormer(key, former) ? former : undefined;
}
