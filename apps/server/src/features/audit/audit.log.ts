// The audit log: a hash chain of all administrative actions. Each entry carries the hash of the one before, so a
// changed or removed entry breaks the chain. The hashes need the server's key: with the database alone nobody can write
// an entry or repair the chain.
import { createHash } from 'node:crypto';
import type { Actor } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { KeyRing } from '../../auth/key-ring.ts';
import { KEY_CHECK, type SecretKey } from '../../auth/secrets.ts';
import type { CallContext } from '../call-context.ts';
import { type AuditFields, insertAudit, lockAudit, readChainEnd, storeHead } from './audit.repo.ts';

/** Entry to be recorded. `detail` must not hold a secret. */
export interface AuditDraft {
  /** `noun.verb`, such as `api_token.create`. */
  readonly action: string;
  /**
   * null: an unknown caller, as in a failed sign-in. `system`: the server itself. `local`: a command of
   * `quarterdeckd`, run by an account of the server's host.
   */
  readonly actor: Actor | null | 'system' | 'local';
  /** Absent where the action did not come over HTTP. */
  readonly request?: CallContext['request'] | undefined;
  readonly target?: { readonly kind: string; readonly id: number };
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Records entries. */
export interface AuditLog {
  /**
   * Adds an entry inside the write that it is about: both become durable, or neither. Call it last in the write: on
   * PostgreSQL the log is locked until the write ends.
   */
  record(tx: Tx, draft: AuditDraft): Promise<void>;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Computes a digest of an entry without a key: of its id, the hash before and all fields, as JSON of a fixed order. */
export function contentDigest(id: number, previous: string, row: AuditFields): string {
  const fields = [
    ...[row.timeMs, row.action, row.actorKind, row.actorId, row.actorName, row.credential, row.address],
    ...[row.requestId, row.targetKind, row.targetId, row.detail],
  ];
  return sha256(JSON.stringify([id, previous, ...fields]));
}

/** Computes the hash of an entry: an HMAC over its content. */
export const auditHash = (key: SecretKey, id: number, previous: string, row: AuditFields): string =>
  hex(key.mac(`audit:${contentDigest(id, previous, row)}`));

/** Position in the chain: the id and the hash of an entry. */
export interface ChainPosition {
  readonly id: number;
  readonly hash: string;
}

/**
 * Names of the settings that hold the sealed ends of the chain. The head is the newest entry, so removing the newest
 * entries shows. The start is the last entry that retention removed; it is missing until then.
 */
export const AUDIT_HEAD = 'audit_head';
export const AUDIT_START = 'audit_start';
export type EndName = typeof AUDIT_HEAD | typeof AUDIT_START;

/** Start of the chain before retention removes an entry. */
export const AUDIT_ORIGIN: ChainPosition = { id: 0, hash: '0'.repeat(64) };

/** Seals a text of a setting under the key. */
export const seal = (key: SecretKey, name: string, text: string): string =>
  `${text}:${hex(key.mac(`${name}:${text}`))}`;

/** Seals an end of the chain under the key. */
export const sealEnd = (key: SecretKey, name: EndName, { id, hash }: ChainPosition): string =>
  seal(key, name, `${id}:${hash}`);

/** Reads an end of the chain; undefined where it was not written under this key. */
export function readEnd(key: SecretKey, name: EndName, text: string): ChainPosition | undefined {
  const [id = '', hash = ''] = text.split(':');
  const end = { id: Number(id), hash };
  return text === sealEnd(key, name, end) ? end : undefined;
}

/** Previous hash of an entry that follows an untrusted end. No entry has it, so the chain stays broken. */
const AUDIT_BROKEN = 'f'.repeat(64);

/** Returns the noun of an action: the part before its dot. */
export const nounOf = (action: string): string => action.split('.', 1)[0] ?? '';

/** Creates an {@link AuditLog}. `now` is in Unix milliseconds. */
export function createAuditLog(now: () => number, keys: KeyRing): AuditLog {
  return {
    async record(tx, draft) {
      await lockAudit(tx);
      const { key, id, previous } = await nextPosition(tx, keys);
      const row: AuditFields = {
        timeMs: now(),
        action: draft.action,
        ...actorFields(draft.actor),
        address: draft.request?.address ?? '',
        requestId: draft.request?.id ?? '',
        targetKind: draft.target?.kind ?? '',
        targetId: draft.target?.id ?? 0,
        detail: JSON.stringify(draft.detail ?? {}),
      };
      const hash = auditHash(key, id, previous, row);
      await insertAudit(tx, { ...row, id, noun: nounOf(row.action), previous, hash });
      await storeHead(tx, AUDIT_HEAD, sealEnd(key, AUDIT_HEAD, { id, hash }));
    },
  };
}

/**
 * Finds the position of the next entry. Ids have no gaps; those of the database would, after a rollback. A tampered log
 * does not stop changes; the tampering shows when the chain is verified.
 */
async function nextPosition(tx: Tx, keys: KeyRing): Promise<{ key: SecretKey; id: number; previous: string }> {
  const { sealedHead, lastId, check } = await readChainEnd(tx, AUDIT_HEAD, KEY_CHECK);
  const key = sealingKey(keys, check);
  if (!sealedHead) return { key, id: lastId + 1, previous: lastId === 0 ? AUDIT_ORIGIN.hash : AUDIT_BROKEN };
  const head = readEnd(key, AUDIT_HEAD, sealedHead);
  return { key, id: Math.max(lastId, head?.id ?? 0) + 1, previous: head?.hash ?? AUDIT_BROKEN };
}

/**
 * Finds the key that seals the log at this moment. Another server may have changed it a moment ago, so the database is
 * asked each time.
 */
export function sealingKey(keys: KeyRing, check: string | null | undefined): SecretKey {
  const key = keys.withCheck(check ?? keys.check);
  if (key === undefined) throw new Error('This server does not have the key that the database uses.');
  return key;
}

function actorFields(actor: AuditDraft['actor']) {
  if (actor === 'system' || actor === 'local' || actor === null) {
    return { actorKind: actor ?? 'nobody', actorId: 0, actorName: '', credential: '' };
  }
  if (actor.kind === 'agent') {
    return { actorKind: 'agent', actorId: actor.agentId, actorName: '', credential: '' };
  }
  if (actor.kind === 'enrollment') {
    return { actorKind: 'enrollment', actorId: actor.enrollmentId, actorName: '', credential: '' };
  }
  const credential = `${actor.credential.kind}:${actor.credential.id}`;
  return { actorKind: 'user', actorId: actor.userId, actorName: actor.username, credential };
}
