// Queries about the audit log.
import type { AuditEntry, Slice } from '@quarterdeck/core';
import { type Database, type SqlValue, type Statement, statement, type Tx } from '@quarterdeck/core/db';
import { AUDIT_HEAD, AUDIT_START, type AuditFields } from './audit.log.ts';

/** An entry as the database has it. */
export interface AuditRow extends AuditFields {
  readonly id: number;
  readonly noun: string;
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

const COLUMNS = `id, time_ms, action, noun, actor_kind, actor_id, actor_name, credential, address, request_id, target_kind,
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
    list.push({ sql: action.includes('.') ? 'action = ?' : 'noun = ?', values: [action] });
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

// Numbers have no gaps, so that all of them need not be counted.
const COUNT_ALL = statement('SELECT COALESCE((SELECT max(id) FROM audit) - (SELECT min(id) FROM audit) + 1, 0) AS n');

// At most one pair for each combination of filters, 24 in all.
const prepared = new Map<string, Queries>();

function queriesFor(where: string): Queries {
  const known = prepared.get(where);
  if (known !== undefined) return known;
  const made = {
    // The page is found in an index alone, so that what is skipped or sorted are numbers and not entries.
    list: statement(
      `SELECT ${COLUMNS} FROM audit WHERE id IN
         (SELECT id FROM audit${where} ORDER BY id DESC LIMIT ? OFFSET ?) ORDER BY id DESC`,
    ),
    count: where === '' ? COUNT_ALL : statement(`SELECT count(*) AS n FROM audit${where}`),
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
  const count = (await sql.get<{ n: number }>(queries.count, ...values))?.n ?? 0;
  const isPast = slice.limit === 0 || slice.offset >= count;
  const rows = isPast ? [] : await sql.all<AuditRow>(queries.list, ...values, slice.limit, slice.offset);
  return { data: rows.map(toEntry), meta: { count } };
}

const FIRST = statement(`SELECT ${COLUMNS} FROM audit ORDER BY id LIMIT ?`);
const AFTER = statement(`SELECT ${COLUMNS} FROM audit WHERE id > ? ORDER BY id LIMIT ?`);
const REMOVE = statement('DELETE FROM audit WHERE id <= ?');

/** The oldest entries, oldest first, also those whose id is not one of ours. */
export const firstAudit = (door: Tx, limit: number): Promise<AuditRow[]> => door.sql.all<AuditRow>(FIRST, limit);

/** The entries after an id, oldest first. */
export const auditAfter = (door: Tx, id: number, limit: number): Promise<AuditRow[]> =>
  door.sql.all<AuditRow>(AFTER, id, limit);

/** Removes the entries up to an id. */
export const removeAuditUpTo = (tx: Tx, id: number) => tx.sql.run(REMOVE, id);

const ENDS = statement(
  `SELECT (SELECT value FROM setting WHERE name = '${AUDIT_START}') AS start,
     (SELECT value FROM setting WHERE name = '${AUDIT_HEAD}') AS head`,
);

/** What is kept of the two ends of the chain; null where there is nothing. */
export interface StoredEnds {
  readonly start: string | null;
  readonly head: string | null;
}

/** Reads both ends as they are at one moment. */
export const storedEnds = async (door: Tx): Promise<StoredEnds> =>
  (await door.sql.get<StoredEnds>(ENDS)) ?? { start: null, head: null };
