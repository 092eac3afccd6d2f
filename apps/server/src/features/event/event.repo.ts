// Queries about the ring of events, which is long enough for a client that reconnects to catch up.
import type { EventType } from '@quarterdeck/core';
import { type Database, type Event, statement, type Tx } from '@quarterdeck/core/db';
import type { Columns } from '@quarterdeck/core/sql';
import { exclusiveLock } from '@quarterdeck/core/sql';

/** Row of the ring. `data` is JSON text, as it is sent. */
export interface StoredEvent extends Columns<Event, 'id' | 'data'> {
  readonly type: EventType;
}

// Publishing and reading are hot: reports of agents and batches of log lines publish, and every commit that did makes
// every server read. Both are prepared (decision 031).
//
// PostgreSQL gives out ids before the commit. The lock makes commits follow the order of the ids, so a reader that has
// seen an id never meets a smaller one later.
const LOCK = exclusiveLock('events');
const INSERT = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, ?)');
// A round trip for each event would hold the lock for as long.
const INSERT_MANY = statement({
  sqlite: `INSERT INTO event (type, data, time_ms)
           SELECT value->>0, value->>1, ? FROM json_each(?) ORDER BY key`,
  postgresql: `INSERT INTO event (type, data, time_ms)
               SELECT pair->>0, pair->>1, CAST($1 AS bigint)
               FROM json_array_elements(CAST($2 AS json)) WITH ORDINALITY AS list(pair, n) ORDER BY n`,
});
const AFTER = statement('SELECT id, type, data FROM event WHERE id > ? ORDER BY id LIMIT ?');
const BOUNDS = statement('SELECT coalesce(min(id), 0) AS oldest, coalesce(max(id), 0) AS newest FROM event');

/** Stores events inside a write. Subscribers receive them after its commit. */
export async function insertEvents(
  tx: Tx,
  events: readonly { readonly type: EventType; readonly data: unknown }[],
  nowMs: number,
): Promise<void> {
  if (events.length === 0) return;
  await tx.sql.all(LOCK);
  const pairs = events.map(({ type, data }) => [type, JSON.stringify(data)] as const);
  const [first] = pairs;
  if (pairs.length === 1 && first !== undefined) await tx.sql.run(INSERT, ...first, nowMs);
  else await tx.sql.run(INSERT_MANY, nowMs, JSON.stringify(pairs));
  tx.signal();
}

/** Reads the events after an id, oldest first. */
export const eventsAfter = (db: Database, id: number, limit: number): Promise<StoredEvent[]> =>
  db.read.sql.all<StoredEvent>(AFTER, id, limit);

/** Reads the ids of the oldest and the newest event; 0 where there is none. */
export async function eventBounds(db: Database): Promise<{ oldest: number; newest: number }> {
  return (await db.read.sql.get<{ oldest: number; newest: number }>(BOUNDS)) ?? { oldest: 0, newest: 0 };
}

/** Events that are kept for a channel that has not looked at them. */
const UNSEEN_MAX = 100_000n;

/**
 * Deletes up to `limit` events that are older than a time or beyond the size of the ring; returns how many. Those that
 * an enabled channel has not looked at stay, up to a number.
 */
export async function trimEvents(tx: Tx, beforeMs: number, keep: number, limit: number): Promise<number> {
  const newest = await tx.prisma.event.findFirst({ select: { id: true }, orderBy: { id: 'desc' } });
  if (newest === null) return 0;
  const isFed = { enabled: true, types: { not: '' } };
  const { _min: seen } = await tx.prisma.webhook.aggregate({ where: isFed, _min: { eventId: true } });
  const where = {
    OR: [{ timeMs: { lt: beforeMs } }, { id: { lte: newest.id - BigInt(keep) } }],
    AND: { OR: [{ id: { lte: seen.eventId ?? newest.id } }, { id: { lte: newest.id - UNSEEN_MAX } }] },
  };
  return (await tx.prisma.event.deleteMany({ where, limit })).count;
}
