// Queries about changes from outside, and their rows in the histories of agents.
import {
  CHANGE_HOSTS_LISTED,
  type Change,
  type ChangeDraft,
  type ChangeFilter,
  type Page,
  type Slice,
} from '@quarterdeck/core';
import { type Database, type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { cached, inJson, inJsonTexts, likePattern, likeText, Where } from '@quarterdeck/core/sql';
import type { SourceAccess } from '@quarterdeck/store';
import { type NamedHost, whereHost } from './concerned-agents.repo.ts';

/** The key of a report: a repeated report counts once. */
export interface ReportKey {
  readonly owner: string;
  readonly key: string;
  readonly bodyHash: Uint8Array<ArrayBuffer>;
}

/** A change before it is stored. */
export interface NewChange {
  readonly draft: ChangeDraft;
  readonly timeMs: number;
  readonly nowMs: number;
  readonly createdBy: string;
  readonly hosts: readonly NamedHost[];
  /** Ids of the agents concerned. */
  readonly agents: readonly number[];
  readonly reportKey: ReportKey | undefined;
}

// A change may name ten thousand hosts: as JSON they are one statement.
const ADD_HOSTS = statement({
  sqlite: `INSERT INTO change_host (change_id, place, host, known)
    SELECT ?, key, value ->> 'host', value ->> 'known' FROM json_each(?)`,
  postgresql: `INSERT INTO change_host (change_id, place, host, known)
    SELECT $1::int4, place - 1, host, known FROM ROWS FROM (json_to_recordset($2::json) AS (host text, known boolean))
      WITH ORDINALITY AS given(host, known, place)`,
});

/** Stores a change with its hosts; returns its id. No history has it yet. */
export async function insertChange(tx: Tx, change: NewChange): Promise<number> {
  const { draft, timeMs, nowMs, createdBy, hosts, agents, reportKey } = change;
  const { kind, name, before, after, labels, service, url, author } = draft;
  const { id } = await tx.prisma.change.create({
    data: {
      kind,
      name,
      before: before ?? '',
      after: after ?? '',
      labels: JSON.stringify(labels ?? {}),
      service: service ?? '',
      url: url ?? '',
      author: author ?? '',
      timeMs,
      createdMs: nowMs,
      createdBy,
      pending: JSON.stringify(agents),
      agents: agents.length,
      hostCount: hosts.length,
      ...reportKey,
    },
    select: { id: true },
  });
  if (hosts.length > 0) await tx.sql.run(ADD_HOSTS, id, JSON.stringify(hosts));
  return id;
}

/** The id and the body of an earlier report under a key. */
export async function findByKey(
  { prisma }: Tx,
  { owner, key }: ReportKey,
): Promise<{ id: number; bodyHash: Uint8Array | null } | null> {
  return prisma.change.findUnique({ where: { owner_key: { owner, key } }, select: { id: true, bodyHash: true } });
}

/** Hosts that were unknown when a change was reported, in their order. */
export async function unknownHosts({ prisma }: Tx, changeId: number): Promise<string[]> {
  const rows = await prisma.changeHost.findMany({
    where: { changeId, known: false },
    orderBy: { place: 'asc' },
    select: { host: true },
  });
  return rows.map(({ host }) => host);
}

/** Ids of changes that some histories still lack. */
export async function findPending({ prisma }: Tx): Promise<number[]> {
  const rows = await prisma.change.findMany({
    where: { pending: { not: '' } },
    orderBy: { id: 'asc' },
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/** Ids of the latest changes that happened from one time on and were reported since another one, Unix milliseconds. */
export async function recentChanges(
  { prisma }: Tx,
  { fromMs, reportedMs }: { readonly fromMs: number; readonly reportedMs: number },
  limit: number,
): Promise<number[]> {
  const rows = await prisma.change.findMany({
    where: { timeMs: { gte: fromMs }, createdMs: { gte: reportedMs } },
    orderBy: [{ timeMs: 'desc' }, { id: 'desc' }],
    take: limit,
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

// Two servers may finish the same change: the lock lets one at a time read what is left.
const LOCK_PENDING = statement({
  sqlite: 'SELECT pending FROM change WHERE id = ?',
  postgresql: 'SELECT pending FROM change WHERE id = $1 FOR UPDATE',
});
// An agent that is purged meanwhile is left out: on PostgreSQL the lock keeps those that were read.
const ADD_HISTORY = statement(
  (dialect) => `INSERT INTO agent_change (agent_id, time_ms, kind, field, before, after, actor, name, change_id)
    SELECT a.id, c.time_ms, 'change', c.kind, c.before, c.after, c.created_by, c.name, c.id
    FROM agent a JOIN change c ON c.id = ? WHERE ${inJson(dialect, 'a.id')} ORDER BY a.id
    ${dialect === 'sqlite' ? '' : 'FOR KEY SHARE OF a'}`,
);

/** State of a change in a write: some histories lack it, this write added the last ones, or an earlier one did. */
type Progress = 'unfinished' | 'completed' | 'was complete';

/** Adds a change to the histories of the next agents. */
export async function addToHistories(tx: Tx, id: number, limit: number): Promise<Progress> {
  const pending = (await tx.sql.get<{ pending: string }>(LOCK_PENDING, id))?.pending ?? '';
  if (pending === '') return 'was complete';
  const ids = JSON.parse(pending) as number[];
  const rest = ids.slice(limit);
  await tx.sql.run(ADD_HISTORY, id, JSON.stringify(ids.slice(0, limit)));
  const left = rest.length === 0 ? '' : JSON.stringify(rest);
  await tx.prisma.change.updateMany({ where: { id }, data: { pending: left } });
  return rest.length === 0 ? 'completed' : 'unfinished';
}

/** Changes that are kept: a search of the list reads all of them. */
const KEPT_MAX = 100_000;

/**
 * Removes some changes from before a time, and some beyond the number that is kept; returns how many. Histories are
 * trimmed on their own.
 */
export async function removeOldChanges(
  { prisma }: Tx,
  beforeMs: number,
  limit: number,
  keptMax = KEPT_MAX,
): Promise<number> {
  const newest = await prisma.change.findFirst({ select: { id: true }, orderBy: { id: 'desc' } });
  if (newest === null) return 0;
  const where = { OR: [{ timeMs: { lt: beforeMs } }, { id: { lte: newest.id - keptMax } }] };
  return (await prisma.change.deleteMany({ where, limit })).count;
}

const COLUMNS = `c.id, c.time_ms, c.kind, c.name, c.before, c.after, c.labels, c.service, c.url, c.author, c.created_ms,
  c.created_by, c.agents, c.host_count`;

interface Row {
  readonly id: number;
  readonly time_ms: number;
  readonly kind: string;
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly labels: string;
  readonly service: string;
  readonly url: string;
  readonly author: string;
  readonly created_ms: number;
  readonly created_by: string;
  readonly agents: number;
  readonly host_count: number;
}

const HOSTS = statement(
  (dialect) => `SELECT change_id, host, CASE WHEN known THEN 1 ELSE 0 END AS known FROM change_host
    WHERE ${inJson(dialect, 'change_id')} AND place < ? ORDER BY change_id, place`,
);

async function toChanges({ sql }: Tx, rows: readonly Row[], hostsMax: number): Promise<Change[]> {
  const named = rows.filter(({ host_count }) => host_count > 0).map(({ id }) => id);
  const hosts = new Map<number, { host: string; known: number }[]>();
  if (named.length > 0) {
    type HostRow = { readonly change_id: number; readonly host: string; readonly known: number };
    for (const { change_id, ...host } of await sql.all<HostRow>(HOSTS, JSON.stringify(named), hostsMax)) {
      const own = hosts.get(change_id);
      if (own === undefined) hosts.set(change_id, [host]);
      else own.push(host);
    }
  }
  return rows.map(({ time_ms, created_ms, labels, ...row }) => {
    const own = hosts.get(row.id) ?? [];
    return {
      ...row,
      time: time_ms / 1000,
      created: created_ms / 1000,
      labels: JSON.parse(labels) as Record<string, string>,
      hosts: own.map(({ host }) => host),
      unknown_hosts: own.filter(({ known }) => known === 0).map(({ host }) => host),
    };
  });
}

const ONE = statement(`SELECT ${COLUMNS} FROM change c WHERE c.id = ?`);

/** A change with at most so many of its hosts; undefined where there is none. */
export async function findChange(tx: Tx, id: number, hostsMax: number): Promise<Change | undefined> {
  const [change] = await toChanges(tx, await tx.sql.all<Row>(ONE, id), hostsMax);
  return change;
}

/**
 * Condition of the changes of which a caller may see all hosts and all agents. A change without any is one of the whole
 * installation. One that some histories lack is not known yet.
 */
function seenBy(dialect: Dialect, { hosts, agents }: Pick<SourceAccess, 'hosts' | 'agents'>): Where {
  const ofChange = 'SELECT 1 FROM agent_change h WHERE h.change_id = c.id AND h.change_id > 0';
  return (
    new Where()
      .and("c.pending = ''")
      .and('c.agents + c.host_count > 0')
      .and(
        `NOT EXISTS (SELECT 1 FROM change_host h WHERE h.change_id = c.id AND NOT (${inJsonTexts(dialect, 'h.host')}))`,
        JSON.stringify([...hosts]),
      )
      .and(`NOT EXISTS (${ofChange} AND NOT (${inJson(dialect, 'h.agent_id')}))`, JSON.stringify([...agents]))
      // Histories of purged agents are gone: they may have been those of others.
      .and(`(SELECT count(*) FROM agent_change h WHERE h.change_id = c.id AND h.change_id > 0) = c.agents`)
  );
}

/** Tells whether a caller may see a change. */
export async function isSeen({ dialect, read }: Database, id: number, access: SourceAccess): Promise<boolean> {
  const { text, values } = new Where().and('c.id = ?', id).merge(seenBy(dialect, access));
  return (await read.sql.get(cached(`SELECT 1 AS found FROM change c${text}`), ...values)) !== undefined;
}

const SEARCHED = ['c.kind', 'c.name', 'c.before', 'c.after', 'c.service', 'c.author'];

function conditionsOf(dialect: Dialect, filter: ChangeFilter): Where {
  const { kind, name, service, host, start_time, end_time, q } = filter;
  const where = new Where().andIf('c.kind = ?', kind).andIf('c.name = ?', name).andIf('c.service = ?', service);
  if (start_time !== undefined) where.and('c.time_ms >= ?', milliseconds(start_time));
  if (end_time !== undefined) where.and('c.time_ms < ?', milliseconds(end_time + 1));
  if (host !== undefined) where.merge(whereHost(host));
  if (q !== undefined) {
    const places = SEARCHED.map((column) => likeText(dialect, column));
    where.and(`(${places.join(' OR ')})`, ...places.map(() => likePattern(q)));
  }
  return where;
}

/** Converts whole seconds to milliseconds; a number beyond any time is cut to the largest one. */
const milliseconds = (seconds: number) => Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER);

/** A page of the changes that a caller may see, latest first. */
export async function listChanges(
  { dialect, read }: Database,
  { offset, limit }: Slice,
  filter: ChangeFilter,
  access: SourceAccess | undefined,
): Promise<Page<Change>> {
  const where = conditionsOf(dialect, filter);
  const { text, values } = access === undefined ? where : where.merge(seenBy(dialect, access));
  const count =
    (await read.sql.get<{ n: number }>(cached(`SELECT count(*) AS n FROM change c${text}`), ...values))?.n ?? 0;
  if (limit === 0 || offset >= count) return { data: [], meta: { count } };
  const page = cached(`SELECT ${COLUMNS} FROM change c${text} ORDER BY c.time_ms DESC, c.id DESC LIMIT ? OFFSET ?`);
  const rows = await read.sql.all<Row>(page, ...values, limit, offset);
  return { data: await toChanges(read, rows, CHANGE_HOSTS_LISTED), meta: { count } };
}
