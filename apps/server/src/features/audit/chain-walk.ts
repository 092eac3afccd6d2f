// Walks over the entries of the audit log, from the oldest to the newest, and checks each one against the one before.
import { timingSafeEqual } from 'node:crypto';
import type { SecretKey } from '../../auth/secrets.ts';
import { addEntry, type FormerEntries, NO_ENTRIES } from './audit.former.ts';
import { auditHash, type ChainPosition, nounOf } from './audit.log.ts';
import type { AuditRow } from './audit.repo.ts';

/** Action of the entry with which a new key begins to seal the log. */
export const KEY_ROTATE = 'key.rotate';

/** Computes what the key before says of the key that follows: the two keys seal one entry. */
export const rotationProof = (before: SecretKey, { id, hash }: ChainPosition, after: SecretKey): string =>
  Buffer.from(before.mac(`${KEY_ROTATE}:${id}:${hash}:${after.check}`)).toString('hex');

/** A walk over the chain. Entries are accepted while each follows the one before. */
export class ChainWalk {
  /** The last accepted entry. */
  position: ChainPosition;
  /** Digest over the accepted entries, and over those before them that were removed. */
  digest: string;
  /** Key of the last accepted entry; undefined where there is none yet, or its key was dropped. */
  key: SecretKey | undefined;
  /** Last entry before those under that key, and the digest up to it; undefined where that key sealed all entries. */
  beforeKey: { readonly id: number; readonly digest: string } | undefined;
  readonly #keys: readonly SecretKey[];
  readonly #former: FormerEntries | undefined;

  /** Begins after a position. `keys` are the accepted ones. */
  constructor(keys: readonly SecretKey[], start: ChainPosition, former?: FormerEntries) {
    this.#keys = keys.toSorted((a, b) => a.generation - b.generation);
    this.#former = former;
    this.position = start;
    this.digest = former?.base ?? NO_ENTRIES;
  }

  /** Accepts the entry that was recorded after the last one; false where this is another one. */
  accept(row: AuditRow): boolean {
    const { id, hash } = this.position;
    if (row.id !== id + 1 || row.previous !== hash || row.noun !== nounOf(row.action)) return false;
    const digest = addEntry(this.digest, row);
    if (this.#former !== undefined && row.id <= this.#former.until) {
      if (row.id === this.#former.until && digest !== this.#former.digest) return false;
    } else {
      const key = this.#sealOf(row);
      if (key === undefined) return false;
      if (key !== this.key && row.action === KEY_ROTATE) this.beforeKey = { id, digest: this.digest };
      this.key = key;
    }
    this.digest = digest;
    this.position = row;
    return true;
  }

  /**
   * Accepts an entry that no key at hand sealed, so its hash cannot be computed; false where its numbers and hashes do
   * not follow. Only before the first entry under a known key.
   */
  skip(row: AuditRow): boolean {
    const { id, hash } = this.position;
    if (this.key !== undefined || row.id !== id + 1 || row.previous !== hash) return false;
    this.position = row;
    return true;
  }

  /** False where entries under a dropped key are missing at the end: their digest could not be compared. */
  get isFormerComplete(): boolean {
    return this.#former === undefined || this.position.id >= this.#former.until;
  }

  /** True where the last entry, if there is any, is under this key or under one that followed it. */
  hasReached(key: SecretKey): boolean {
    return this.key === undefined || this.key.generation >= key.generation;
  }

  /**
   * Reports a broken chain. Of entries under a dropped key only all together can be checked, so the first of them is
   * named.
   */
  result(start: ChainPosition): { checked: number; broken_at: number } {
    const isFormer = this.#former !== undefined && this.position.id < this.#former.until;
    const checked = isFormer ? 0 : this.position.id - start.id;
    return { checked, broken_at: start.id + checked + 1 };
  }

  /** Finds the key under which an entry is sealed; undefined where it is none that may follow here. */
  #sealOf(row: AuditRow): SecretKey | undefined {
    const { hash } = this.position;
    const seals = (key: SecretKey) => row.hash === auditHash(key, row.id, hash, row);
    const before = this.key;
    if (before === undefined) return this.#keys.find(seals);
    if (seals(before)) return before;
    if (row.action !== KEY_ROTATE) return undefined;
    const after = this.#keys.find((key) => key.generation > before.generation && seals(key));
    return after !== undefined && hasProof(row, rotationProof(before, this.position, after)) ? after : undefined;
  }
}

function hasProof({ detail }: AuditRow, expected: string): boolean {
  // The key that follows has sealed the text, so this server wrote it.
  const { proof } = JSON.parse(detail) as { proof?: unknown };
  const given = Buffer.from(String(proof));
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
}
