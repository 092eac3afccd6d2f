// Who did what, in a chain: each entry carries the hash of the one before, so that none can be changed or taken out
// without every later one showing it. The hashes are made under the server's key: whoever has the database alone can
// neither write an entry nor mend the chain behind one that was taken out.
import { createHash } from 'node:crypto';
import type { Actor } from '@quarterdeck/core';
import { type Door, statement } from '@quarterdeck/core/db';
import type { SecretKey } from '../../auth/secrets.ts';
import type { CallContext } from '../../deps.ts';

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
  record(tx: Door, draft: AuditDraft): Promise<void>;
}

/** The hash that stands before the first entry. */
export const AUDIT_START = '0'.repeat(64);

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

/** The end of the chain. It is kept beside the entries, so that taking out the newest ones shows too. */
export interface AuditHead {
  readonly id: number;
  readonly hash: string;
}

function writeHead(key: SecretKey, { id, hash }: AuditHead): string {
  return `${id}:${hash}:${hex(key.digest(`audit_head:${id}:${hash}`))}`;
}

/** Reads the end of the chain; undefined where it was not written under this key. */
export function readHead(key: SecretKey, text: string): AuditHead | undefined {
  const [id = '', hash = ''] = text.split(':');
  const head = { id: Number(id), hash };
  return text === writeHead(key, head) ? head : undefined;
}

/** Name of the setting that holds the end of the chain. */
export const AUDIT_HEAD = 'audit_head';
/** Stands for the hash before where the end of the chain is not to be trusted: nothing fits it, for good. */
const AUDIT_BROKEN = 'f'.repeat(64);

// On PostgreSQL two entries could otherwise follow the same one.
const LOCK = statement({ sqlite: 'SELECT 1', postgresql: 'SELECT pg_advisory_xact_lock(7080, 3)' });
const END = statement(
  'SELECT (SELECT value FROM setting WHERE name = ?) AS head, (SELECT max(id) FROM audit) AS last_id',
);
const SET_HEAD = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);
const INSERT = statement(
  `INSERT INTO audit (id, time_ms, action, actor_kind, actor_id, actor_name, credential, address, request_id,
     target_kind, target_id, detail, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);

/** An audit log. `now` is in Unix milliseconds. */
export function createAuditLog(now: () => number, key: SecretKey): AuditLog {
  return {
    async record(tx, draft) {
      await tx.sql.all(LOCK);
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
        ...[id, row.time_ms, row.action, row.actor_kind, row.actor_id, row.actor_name, row.credential, row.address],
        ...[row.request_id, row.target_kind, row.target_id, row.detail, previous, hash],
      );
      await tx.sql.run(SET_HEAD, AUDIT_HEAD, writeHead(key, { id, hash }));
    },
  };
}

/**
 * Where the next entry goes. Ids have no gaps: the database would leave some where a write was rolled back. What was
 * done to the log behind our back never keeps a change from being made; it shows when the chain is checked.
 */
async function nextPlace(tx: Door, key: SecretKey): Promise<{ id: number; previous: string }> {
  const end = await tx.sql.get<{ head: string | null; last_id: number | null }>(END, AUDIT_HEAD);
  const lastId = end?.last_id ?? 0;
  if (!end?.head) return { id: lastId + 1, previous: lastId === 0 ? AUDIT_START : AUDIT_BROKEN };
  const head = readHead(key, end.head);
  return { id: Math.max(lastId, head?.id ?? 0) + 1, previous: head?.hash ?? AUDIT_BROKEN };
}

function actorFields(actor: AuditDraft['actor']) {
  if (actor === 'system' || actor === null) {
    return { actor_kind: actor ?? 'nobody', actor_id: 0, actor_name: '', credential: '' };
  }
  if (actor.kind === 'agent') {
    return { actor_kind: 'agent', actor_id: actor.agentId, actor_name: '', credential: '' };
  }
  const credential = `${actor.credential.kind}:${actor.credential.id}`;
  return { actor_kind: 'user', actor_id: actor.userId, actor_name: actor.username, credential };
}
