// Queries about the audit log.
import type { AuditEntry, Slice } from '@quarterdeck/core';
import { type Audit, type Database, type PrismaTypes, statement, type Tx } from '@quarterdeck/core/db';
import { type Columns, columnOf, exclusiveLock, selected } from '@quarterdeck/core/sql';

const FIELDS = [
  ...(['timeMs', 'action', 'actorKind', 'actorId', 'actorName', 'credential', 'address'] as const),
  ...(['requestId', 'targetKind', 'targetId', 'detail'] as const),
];
const COLUMNS = ['id', 'noun', ...FIELDS, 'previous', 'hash'] as const;

/** Fields of an entry that its hash covers. */
export type AuditFields = Columns<Audit, (typeof FIELDS)[number]>;

/** An entry as prepared statements return it. */
export type AuditRow = Columns<Audit, (typeof COLUMNS)[number]>;

/** Filter of a list. Times are in Unix milliseconds, both included. */
export interface AuditFilter {
  /** An action such as `api_token.create`, or a noun such as `api_token` for all of its actions. */
  readonly action?: string | undefined;
  readonly actorId?: number | undefined;
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** Converts an entry to the wire. */
export function toEntry(row: Audit | AuditRow): AuditEntry {
  return {
    id: row.id,
    time: Number(row.timeMs) / 1000,
    action: row.action,
    actor: {
      kind: row.actorKind,
      id: row.actorId,
      name: row.actorName,
      credential: row.credential,
      address: row.address,
    },
    target: { kind: row.targetKind, id: row.targetId },
    request_id: row.requestId,
    detail: parseDetail(row.detail),
    previous: row.previous,
    hash: row.hash,
  };
}

/** Converts an entry from the wire, as {@link toEntry} made it. */
export function fromEntry({ actor, target, ...entry }: AuditEntry): AuditRow {
  return {
    id: entry.id,
    noun: entry.action.split('.', 1)[0] ?? '',
    timeMs: Math.round(entry.time * 1000),
    action: entry.action,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    credential: actor.credential,
    address: actor.address,
    requestId: entry.request_id,
    targetKind: target.kind,
    targetId: target.id,
    detail: JSON.stringify(entry.detail),
    previous: entry.previous,
    hash: entry.hash,
  };
}

/** Parses the detail of an entry. A tampered text is shown as it is. */
export function parseDetail(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The text is not JSON, so this server did not write it.
  }
  return { unreadable: text };
}

function conditionsOf({ action, actorId, fromMs, untilMs }: AuditFilter): PrismaTypes.AuditWhereInput {
  const where: PrismaTypes.AuditWhereInput = {};
  if (action !== undefined) where[action.includes('.') ? 'action' : 'noun'] = action;
  if (actorId !== undefined) where.actorId = actorId;
  if (fromMs !== undefined || untilMs !== undefined) {
    where.timeMs = {
      ...(fromMs === undefined ? {} : { gte: fromMs }),
      ...(untilMs === undefined ? {} : { lte: untilMs }),
    };
  }
  return where;
}

/** Finds the first entry of a page, newest first, and counts all that match. */
async function locatePage({ prisma }: Tx, { offset }: Slice, filter: AuditFilter) {
  const where = conditionsOf(filter);
  const orderBy = { id: 'desc' } as const;
  const select = { id: true } as const;
  if (Object.keys(where).length > 0) {
    const count = await prisma.audit.count({ where });
    // Skips ids in an index alone: skipping whole entries would read each of them.
    const first = await prisma.audit.findFirst({ where, select, orderBy, skip: offset });
    return { where, count, firstId: first?.id ?? 0 };
  }
  // Ids have no gaps, so the oldest and the newest one say the rest.
  const oldest = await prisma.audit.findFirst({ select, orderBy: { id: 'asc' } });
  const newest = await prisma.audit.findFirst({ select, orderBy });
  if (oldest === null || newest === null) return { where, count: 0, firstId: 0 };
  return { where, count: newest.id - oldest.id + 1, firstId: newest.id - offset };
}

/** Lists entries, newest first, and counts those that match. */
export async function listAudit({ read }: Database, slice: Slice, filter: AuditFilter) {
  const { where, count, firstId } = await locatePage(read, slice, filter);
  const rows = await read.prisma.audit.findMany({
    where: { ...where, id: { lte: firstId } },
    orderBy: { id: 'desc' },
    take: slice.offset < count ? slice.limit : 0,
  });
  return { data: rows.map(toEntry), meta: { count } };
}

// Verification reads every entry, a million or more: a thousand take 0.6 ms on SQLite, 2.9 ms through Prisma. It also
// reads tampered rows that no longer fit the model. These two reads are prepared (decision 031).
const FIRST = statement(`SELECT ${selected(COLUMNS)} FROM audit ORDER BY id LIMIT ?`);
const AFTER = statement(`SELECT ${selected(COLUMNS)} FROM audit WHERE id > ? ORDER BY id LIMIT ?`);

/** Reads the oldest entries, oldest first, also those with an id that this server never gave. */
export const firstAudit = (tx: Tx, limit: number): Promise<AuditRow[]> => tx.sql.all<AuditRow>(FIRST, limit);

/** Reads the entries after an id, oldest first. */
export const auditAfter = (tx: Tx, id: number, limit: number): Promise<AuditRow[]> =>
  tx.sql.all<AuditRow>(AFTER, id, limit);

/** Finds the newest entry; 0 where there is none. */
export async function newestAudit(tx: Tx): Promise<number> {
  return (await tx.prisma.audit.aggregate({ _max: { id: true } }))._max.id ?? 0;
}

/** Finds the newest entry of an action; 0 where there is none. */
export async function newestAuditOf(tx: Tx, action: string): Promise<number> {
  const entry = await tx.prisma.audit.findFirst({ where: { action }, select: { id: true }, orderBy: { id: 'desc' } });
  return entry?.id ?? 0;
}

/** Deletes the entries up to an id. */
export async function removeAuditUpTo(tx: Tx, id: number): Promise<void> {
  await tx.prisma.audit.deleteMany({ where: { id: { lte: id } } });
}

// Recording is hot: every change does it, and up to a hundred refusals are recorded in one write. Through Prisma those
// would hold the only writer of SQLite for some 15 ms. Its statements are prepared (decision 031).
const LOCK = exclusiveLock('audit');
const CHAIN_END = statement(
  `SELECT (SELECT value FROM setting WHERE name = ?) AS "sealedHead",
     (SELECT value FROM setting WHERE name = ?) AS "check",
     COALESCE((SELECT max(id) FROM audit), 0) AS "lastId"`,
);
const INSERT = statement(
  `INSERT INTO audit (${COLUMNS.map(columnOf).join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
);
const STORE_HEAD = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);

/** Locks the log until the end of the write: on PostgreSQL two entries could otherwise follow the same one. */
export async function lockAudit(tx: Tx): Promise<void> {
  await tx.sql.all(LOCK);
}

/** End of the chain: its sealed head, the check of the key in use, and the newest id, 0 where there is none. */
interface ChainEnd {
  readonly sealedHead: string | null;
  readonly check: string | null;
  readonly lastId: number;
}

/** Reads the end of the chain, from the settings of these names. Needs {@link lockAudit}. */
export async function readChainEnd(tx: Tx, headName: string, checkName: string): Promise<ChainEnd> {
  return (await tx.sql.get<ChainEnd>(CHAIN_END, headName, checkName)) ?? { sealedHead: null, check: null, lastId: 0 };
}

/** Stores an entry. Needs {@link lockAudit}. */
export async function insertAudit(tx: Tx, row: AuditRow): Promise<void> {
  await tx.sql.run(INSERT, ...COLUMNS.map((name) => row[name]));
}

/** Stores the sealed head of the chain. Needs {@link lockAudit}. */
export async function storeHead(tx: Tx, name: string, sealed: string): Promise<void> {
  await tx.sql.run(STORE_HEAD, name, sealed);
}
