// The history of agents: entries are added, read and removed.
import type { AgentEvent, AgentEventKind, Page, Slice } from '@quarterdeck/core';
import { type Database, statement, type Tx } from '@quarterdeck/core/db';

/** An entry of an agent's history, before it is stored. */
export interface HistoryEntry {
  readonly agentId: number;
  readonly kind: AgentEventKind;
  readonly field?: string;
  readonly before?: string;
  readonly after?: string;
  /** It happened between this time (Unix milliseconds) and that of the entry; absent where it happened then. */
  readonly sinceMs?: number;
  /** Username; absent where the agent or the server made the change. */
  readonly actor?: string;
}

const DAY_MS = 86_400_000;
/** Entries are kept for this long ... */
export const HISTORY_KEPT_MS = 400 * DAY_MS;
/** ... and at most this many of each agent. */
export const HISTORY_KEPT_ENTRIES = 5_000;
/** Entries removed in one write. */
const SLICE = 500;
/** Agents whose entries one statement counts. */
const AGENTS_AT_ONCE = 100;

// Thousands of agents register or go silent at once: as JSON, the entries of hundreds of them are one statement.
const INSERT = statement({
  sqlite: `INSERT INTO agent_change (agent_id, time_ms, since_ms, kind, field, before, after, actor)
     SELECT value ->> 'agentId', ?, value ->> 'sinceMs', value ->> 'kind', value ->> 'field', value ->> 'before',
       value ->> 'after', value ->> 'actor' FROM json_each(?) ORDER BY key`,
  postgresql: `INSERT INTO agent_change (agent_id, time_ms, since_ms, kind, field, before, after, actor)
     SELECT agent_id, $1, since_ms, kind, field, before, after, actor
     FROM ROWS FROM (json_to_recordset(CAST($2 AS json)) AS ("agentId" integer, "sinceMs" bigint, kind text, field text,
       before text, after text, actor text)) WITH ORDINALITY AS given(agent_id, since_ms, kind, field, before, after, actor, place) ORDER BY place`,
});

/** Adds entries to the history, inside the write that makes them true. */
export async function recordHistory(tx: Tx, entries: readonly HistoryEntry[], nowMs: number): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((row) => ({ field: '', before: '', after: '', actor: '', sinceMs: 0, ...row }));
  await tx.sql.run(INSERT, nowMs, JSON.stringify(rows));
  // Rules of alerts look at once.
  tx.signal();
}

/** A page of the history of an agent, newest first. */
export async function listHistory(
  { prisma }: Tx,
  { agentId, kind, slice }: { agentId: number; kind: AgentEventKind | undefined; slice: Slice },
): Promise<Page<AgentEvent>> {
  const where = kind === undefined ? { agentId } : { agentId, kind };
  const count = await prisma.agentChange.count({ where });
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const rows = await prisma.agentChange.findMany({
    where,
    // A change may be reported long after it happened.
    orderBy: [{ timeMs: 'desc' }, { id: 'desc' }],
    skip: slice.offset,
    take: slice.limit,
  });
  const data = rows.map((row) => ({
    id: Number(row.id),
    kind: row.kind as AgentEventKind,
    field: row.field,
    actor: row.actor,
    time: Number(row.timeMs) / 1000,
    since: row.sinceMs === 0n ? null : Number(row.sinceMs) / 1000,
    from: row.before,
    to: row.after,
    name: row.name,
    change_id: row.changeId,
    has_diff: row.hasDiff,
  }));
  return { data, meta: { count } };
}

/** Returns true if an agent recently restarted from a process that had started at this time (Unix seconds). */
export async function hasRestartedFrom({ prisma }: Tx, agentId: number, started: number, afterMs: number) {
  const where = { agentId, timeMs: { gt: afterMs }, kind: 'restarted', before: String(started) };
  return (await prisma.agentChange.findFirst({ where, orderBy: { id: 'desc' }, select: { id: true } })) !== null;
}

/**
 * Removes entries that are too old, and the oldest entries of agents that have too many. Each write removes a slice,
 * so that it holds the writer for a few milliseconds. `agent.history_from_ms` is the start of the complete history.
 */
export async function trimHistory(
  db: Database,
  nowMs: number,
  stopped: () => boolean,
  keptEntries = HISTORY_KEPT_ENTRIES,
): Promise<void> {
  await inSlices(db, stopped, (tx) => removeOld(tx, nowMs - HISTORY_KEPT_MS));
  const { prisma } = db.read;
  for (let last = 0; !stopped(); ) {
    const agents = await prisma.agent.findMany({
      where: { id: { gt: last } },
      orderBy: { id: 'asc' },
      take: AGENTS_AT_ONCE,
      select: { id: true },
    });
    const ids = agents.map(({ id }) => id);
    const end = ids.at(-1);
    if (end === undefined) break;
    last = end;
    const counts = await prisma.agentChange.groupBy({
      by: 'agentId',
      where: { agentId: { in: ids } },
      having: { agentId: { _count: { gt: keptEntries } } },
    });
    for (const { agentId } of counts) {
      const oldestKept = await prisma.agentChange.findFirst({
        where: { agentId },
        orderBy: { id: 'desc' },
        skip: keptEntries - 1,
      });
      if (oldestKept === null) continue;
      const { id, timeMs } = oldestKept;
      await inSlices(db, stopped, (tx) => removeBefore(tx, agentId, id, timeMs));
    }
  }
}

async function removeOld(tx: Tx, beforeMs: number): Promise<number> {
  const rows = await tx.prisma.agentChange.findMany({
    where: { timeMs: { lt: beforeMs } },
    orderBy: { timeMs: 'asc' },
    take: SLICE,
    select: { id: true },
  });
  return removeEntries(tx, rows);
}

async function removeBefore(tx: Tx, agentId: number, id: bigint, timeMs: bigint): Promise<number> {
  const rows = await tx.prisma.agentChange.findMany({
    where: { agentId, id: { lt: id } },
    orderBy: { id: 'asc' },
    take: SLICE,
    select: { id: true, timeMs: true },
  });
  const count = await removeEntries(tx, rows);
  // Entries may be older than those that were stored before them.
  const historyFromMs = rows.reduce((from, row) => (row.timeMs < from ? from : row.timeMs + 1n), timeMs);
  await tx.prisma.agent.updateMany({
    where: { id: agentId, historyFromMs: { lt: historyFromMs } },
    data: { historyFromMs },
  });
  return count;
}

async function removeEntries({ prisma }: Tx, rows: readonly { readonly id: bigint }[]): Promise<number> {
  if (rows.length === 0) return 0;
  return (await prisma.agentChange.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } })).count;
}

/**
 * Removes the history of agents, as long as they are deleted, in slices, the oldest entries first. An agent that is
 * restored meanwhile keeps the rest.
 */
export async function removeHistory(
  db: Database,
  ids: readonly number[],
  stopped: () => boolean = () => false,
): Promise<void> {
  await inSlices(db, stopped, async (tx) => {
    const deleted = await tx.prisma.agent.findMany({
      where: { id: { in: [...ids] }, isDeleted: true },
      select: { id: true },
    });
    const rows = await tx.prisma.agentChange.findMany({
      where: { agentId: { in: deleted.map(({ id }) => id) } },
      orderBy: [{ agentId: 'asc' }, { id: 'asc' }],
      take: SLICE,
      select: { id: true },
    });
    return removeEntries(tx, rows);
  });
}

/** Repeats a write for as long as it removes a whole slice. */
async function inSlices(db: Database, stopped: () => boolean, remove: (tx: Tx) => Promise<number>) {
  while (!stopped() && (await db.write(remove)) === SLICE);
}
