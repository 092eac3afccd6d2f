// Who did what, in a chain: each entry carries the hash of the one before, so that none can be changed or taken out
// without every later one showing it. The hashes are made under the server's key: whoever has the database alone can
// neither write an entry nor mend the chain behind one that was taken out.
import { createHash } from 'node:crypto';
import type { Actor } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';
import type { SecretKey } from '../../auth/secrets.ts';
import type { CallContext } from '../../call-context.ts';
import { exclusiveLock } from '../../sql/locks.ts';

/** What is to be remembered. `detail` must not hold a secret. */
export interface AuditDraft {
  /** `noun.verb`, such as `api_token.create`. */
  readonly action: string;
  /** null: nobody who is known, as in a failed sign-in. `system`: the server itself or its command line. */
  readonly actor: Actor | null | 'system';
  /** Absent where nobody asked over HTTP. */
  readonly request?: CallContext['request'] | undefined;
  readonly target?: { readonly kind: string; readonly id: number };
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** The audit log. */
export interface AuditLog {
  /**
   * Adds an entry inside the write that it is about: both become durable, or neither. Last in its write where that can
   * be: on PostgreSQL no other entry is added until the write has ended.
   */
  record(tx: Tx, draft: AuditDraft): Promise<void>;
}

/** An entry without its place in the chain. */
export interface AuditFields {
  readonly time_ms: number;
  readonly action: string;
  readonly actor_kind: string;
  readonly actor_id: number;
  readonly actor_name: string;
  readonly credential: string;
  readonly address: string;
  readonly request_id: string;
  readonly target_kind: string;
  readonly target_id: number;
  readonly detail: string;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The hash of an entry: an HMAC over its id, the hash before and all fields, as JSON of a fixed order. */
export function auditHash(key: SecretKey, id: number, previous: string, row: AuditFields): string {
  const fields = [
    ...[row.time_ms, row.action, row.actor_kind, row.actor_id, row.actor_name, row.credential, row.address],
    ...[row.request_id, row.target_kind, row.target_id, row.detail],
  ];
  const text = JSON.stringify([id, previous, ...fields]);
  return hex(key.digest(`audit:${createHash('sha256').update(text).digest('hex')}`));
}

/** A place in the chain: the number and the hash of an entry. */
export interface AuditPlace {
  readonly id: number;
  readonly hash: string;
}

/**
 * Names of the settings that hold the two ends, sealed: the newest entry, so that taking out the newest ones shows, and
 * the last one that was removed because it was old; there is none as long as none was removed.
 */
export const AUDIT_HEAD = 'audit_head';
export const AUDIT_START = 'audit_start';
type EndName = typeof AUDIT_HEAD | typeof AUDIT_START;

/** Where the chain begins as long as nothing was removed. */
export const AUDIT_ORIGIN: AuditPlace = { id: 0, hash: '0'.repeat(64) };

function sealEnd(key: SecretKey, name: EndName, { id, hash }: AuditPlace): string {
  return `${id}:${hash}:${hex(key.digest(`${name}:${id}:${hash}`))}`;
}

/** Reads an end of the chain; undefined where it was not written under this key. */
export function readEnd(key: SecretKey, name: EndName, text: string): AuditPlace | undefined {
  const [id = '', hash = ''] = text.split(':');
  const end = { id: Number(id), hash };
  return text === sealEnd(key, name, end) ? end : undefined;
}

/** Stands for the hash before where the end of the chain is not to be trusted: nothing fits it, for good. */
const AUDIT_BROKEN = 'f'.repeat(64);

// On PostgreSQL two entries could otherwise follow the same one.
const LOCK = exclusiveLock('audit');
const END = statement(
  'SELECT (SELECT value FROM setting WHERE name = ?) AS head, (SELECT max(id) FROM audit) AS last_id',
);
const SET_END = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);
const INSERT = statement(
  `INSERT INTO audit (id, time_ms, action, noun, actor_kind, actor_id, actor_name, credential, address, request_id,
     target_kind, target_id, detail, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);

/** Begins a write that adds or removes entries. */
export async function lockAudit(tx: Tx): Promise<void> {
  await tx.sql.all(LOCK);
}

/** Stores an end of the chain. Needs {@link lockAudit}. */
export async function storeEnd(tx: Tx, key: SecretKey, name: EndName, place: AuditPlace): Promise<void> {
  await tx.sql.run(SET_END, name, sealEnd(key, name, place));
}

/** What an action is about: what comes before its dot. */
export const nounOf = (action: string): string => action.split('.', 1)[0] ?? '';

/** An audit log. `now` is in Unix milliseconds. */
export function createAuditLog(now: () => number, key: SecretKey): AuditLog {
  return {
    async record(tx, draft) {
      await lockAudit(tx);
      const { id, previous } = await nextPlace(tx, key);
      const row: AuditFields = {
        time_ms: now(),
        action: draft.action,
        ...actorFields(draft.actor),
        address: draft.request?.address ?? '',
        request_id: draft.request?.id ?? '',
        target_kind: draft.target?.kind ?? '',
        target_id: draft.target?.id ?? 0,
        detail: JSON.stringify(draft.detail ?? {}),
      };
      const hash = auditHash(key, id, previous, row);
      await tx.sql.run(
        INSERT,
        ...[id, row.time_ms, row.action, nounOf(row.action), row.actor_kind, row.actor_id, row.actor_name],
        ...[row.credential, row.address],
        ...[row.request_id, row.target_kind, row.target_id, row.detail, previous, hash],
      );
      await storeEnd(tx, key, AUDIT_HEAD, { id, hash });
    },
  };
}

/**
 * Where the next entry goes. Ids have no gaps: the database would leave some where a write was rolled back. What was
 * done to the log behind our back never keeps a change from being made; it shows when the chain is checked.
 */
async function nextPlace(tx: Tx, key: SecretKey): Promise<{ id: number; previous: string }> {
  const end = await tx.sql.get<{ head: string | null; last_id: number | null }>(END, AUDIT_HEAD);
  const lastId = end?.last_id ?? 0;
  if (!end?.head) return { id: lastId + 1, previous: lastId === 0 ? AUDIT_ORIGIN.hash : AUDIT_BROKEN };
  const head = readEnd(key, AUDIT_HEAD, end.head);
  return { id: Math.max(lastId, head?.id ?? 0) + 1, previous: head?.hash ?? AUDIT_BROKEN };
}

function actorFields(actor: AuditDraft['actor']) {
  if (actor === 'system' || actor === null) {
    return { actor_kind: actor ?? 'nobody', actor_id: 0, actor_name: '', credential: '' };
  }
  if (actor.kind === 'agent') {
    return { actor_kind: 'agent', actor_id: actor.agentId, actor_name: '', credential: '' };
  }
  if (actor.kind === 'enrollment') {
    return { actor_kind: 'enrollment', actor_id: actor.enrollmentId, actor_name: '', credential: '' };
  }
  const credential = `${actor.credential.kind}:${actor.credential.id}`;
  return { actor_kind: 'user', actor_id: actor.userId, actor_name: actor.username, credential };
}
