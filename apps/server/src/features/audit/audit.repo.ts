// Queries about the audit log.
import type { AuditEntry, Slice } from '@quarterdeck/core';
import { type Database, type SqlValue, type Statement, statement } from '@quarterdeck/core/db';
import { AUDIT_HEAD, type AuditFields } from './audit.log.ts';

/** An entry as the database has it. */
export interface AuditRow extends AuditFields {
  readonly id: number;
  readonly previous: string;
  readonly hash: string;
}

/** What a list is narrowed by; times in Unix milliseconds, both included. */
export interface AuditFilter {
  /** An action such as `api_token.create`, or a noun such as `api_token`, which means all of its actions. */
  readonly action?: string | undefined;
  readonly actorId?: number | undefined;
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

const COLUMNS = `id, time_ms, action, actor_kind, actor_id, actor_name, credential, address, request_id, target_kind,
  target_id, detail, previous, hash`;

/** An entry as the wire has it. */
function toEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    time: row.time_ms / 1000,
    action: row.action,
    actor: {
      kind: row.actor_kind,
      id: row.actor_id,
      name: row.actor_name,
      credential: row.credential,
      address: row.address,
    },
    target: { kind: row.target_kind, id: row.target_id },
    request_id: row.request_id,
    detail: readDetail(row.detail),
    previous: row.previous,
    hash: row.hash,
  };
}

/** An entry that somebody has tampered with is shown with the others. */
function readDetail(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Not JSON, so not ours.
  }
  return { unreadable: text };
}

/** The conditions of a filter, each with its values. */
function conditions({ action, actorId, fromMs, untilMs }: AuditFilter): { sql: string; values: SqlValue[] }[] {
  const list: { sql: string; values: SqlValue[] }[] = [];
  if (action !== undefined) {
    list.push(
      action.includes('.')
        ? { sql: 'action = ?', values: [action] }
        : { sql: '(action = ? OR substr(action, 1, ?) = ?)', values: [action, action.length + 1, `${action}.`] },
    );
  }
  if (actorId !== undefined) list.push({ sql: 'actor_id = ?', values: [actorId] });
  if (fromMs !== undefined) list.push({ sql: 'time_ms >= ?', values: [fromMs] });
  if (untilMs !== undefined) list.push({ sql: 'time_ms <= ?', values: [untilMs] });
  return list;
}

interface Queries {
  readonly list: Statement;
  readonly count: Statement;
}

// At most one pair for each combination of filters, 24 in all.
const prepared = new Map<string, Queries>();

function queriesFor(where: string): Queries {
  const known = prepared.get(where);
  if (known !== undefined) return known;
  const made = {
    list: statement(`SELECT ${COLUMNS} FROM audit${where} ORDER BY id DESC LIMIT ? OFFSET ?`),
    count: statement(`SELECT count(*) AS n FROM audit${where}`),
  };
  prepared.set(where, made);
  return made;
}

/** Entries, newest first, and how many fit. */
export async function listAudit(db: Database, slice: Slice, filter: AuditFilter) {
  const parts = conditions(filter);
  const where = parts.length === 0 ? '' : ` WHERE ${parts.map(({ sql }) => sql).join(' AND ')}`;
  const values = parts.flatMap((part) => part.values);
  const queries = queriesFor(where);
  const { sql } = db.read;
  const count = await sql.get<{ n: number }>(queries.count, ...values);
  const rows = slice.limit === 0 ? [] : await sql.all<AuditRow>(queries.list, ...values, slice.limit, slice.offset);
  return { data: rows.map(toEntry), meta: { count: count?.n ?? 0 } };
}

const FIRST = statement(`SELECT ${COLUMNS} FROM audit ORDER BY id LIMIT ?`);
const AFTER = statement(`SELECT ${COLUMNS} FROM audit WHERE id > ? ORDER BY id LIMIT ?`);

/** The entries after an id, oldest first; all that there are after 0, also those whose id is not one of ours. */
export const auditAfter = (db: Database, id: number, limit: number): Promise<AuditRow[]> =>
  id === 0 ? db.read.sql.all<AuditRow>(FIRST, limit) : db.read.sql.all<AuditRow>(AFTER, id, limit);

const HEAD = statement('SELECT value FROM setting WHERE name = ?');

/** What is kept of the end of the chain; undefined where there is nothing. */
export const storedHead = async (db: Database): Promise<string | undefined> =>
  (await db.read.sql.get<{ value: string }>(HEAD, AUDIT_HEAD))?.value;
