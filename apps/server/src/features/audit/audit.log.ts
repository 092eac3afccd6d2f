// Who did what, in a chain: each entry carries the hash of the one before, so that none can be changed or taken out
// without every later one showing it.
import { createHash } from 'node:crypto';
import type { Actor } from '@quarterdeck/core';
import { type Door, statement } from '@quarterdeck/core/db';
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
  /** Adds an entry inside the write that it is about: both become durable, or neither. */
  record(tx: Door, draft: AuditDraft): Promise<void>;
}

/** The hash that stands before the first entry. */
export const AUDIT_START = '0'.repeat(64);

/** What the hash of an entry covers, in the order in which it covers it. */
export interface AuditRow {
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

/** SHA-256 over the hash before and the entry, as JSON of a fixed order. */
export function auditHash(previous: string, row: AuditRow): string {
  const fields = [
    ...[row.time_ms, row.action, row.actor_kind, row.actor_id, row.actor_name, row.credential, row.address],
    ...[row.request_id, row.target_kind, row.target_id, row.detail],
  ];
  return createHash('sha256')
    .update(JSON.stringify([previous, ...fields]))
    .digest('hex');
}

// On PostgreSQL two entries could otherwise follow the same one.
const LOCK = statement({ sqlite: 'SELECT 1', postgresql: 'SELECT pg_advisory_xact_lock(7080, 3)' });
const LAST = statement('SELECT hash FROM audit ORDER BY id DESC LIMIT 1');
const INSERT = statement(
  `INSERT INTO audit (time_ms, action, actor_kind, actor_id, actor_name, credential, address, request_id, target_kind,
     target_id, detail, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);

/** An audit log. `now` is in Unix milliseconds. */
export function createAuditLog(now: () => number): AuditLog {
  return {
    async record(tx, draft) {
      await tx.sql.all(LOCK);
      const previous = (await tx.sql.get<{ hash: string }>(LAST))?.hash ?? AUDIT_START;
      const row: AuditRow = {
        time_ms: now(),
        action: draft.action,
        ...actorFields(draft.actor),
        address: draft.request?.address ?? '',
        request_id: draft.request?.id ?? '',
        target_kind: draft.target?.kind ?? '',
        target_id: draft.target?.id ?? 0,
        detail: JSON.stringify(draft.detail ?? {}),
      };
      await tx.sql.run(
        INSERT,
        ...[row.time_ms, row.action, row.actor_kind, row.actor_id, row.actor_name, row.credential, row.address],
        ...[row.request_id, row.target_kind, row.target_id, row.detail, previous, auditHash(previous, row)],
      );
    },
  };
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
