// The ring of events: what subscribers are told, kept long enough for one who was away to catch up.
import type { EventType } from '@quarterdeck/core';
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import { exclusiveLock } from '../../sql/locks.ts';

/** One row of the ring. `data` is JSON text, as it goes out. */
export interface StoredEvent {
  readonly id: number;
  readonly type: EventType;
  readonly data: string;
}

// On PostgreSQL ids are handed out before the commit. The lock makes commits follow each other in the order of the ids,
// so that a reader who has seen id N will never meet a smaller one later.
const LOCK = exclusiveLock('events');
const INSERT = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, ?)');
const AFTER = statement('SELECT id, type, data FROM event WHERE id > ? ORDER BY id LIMIT ?');
const BOUNDS = statement('SELECT coalesce(min(id), 0) AS oldest, coalesce(max(id), 0) AS newest FROM event');
const TRIM = statement(
  'DELETE FROM event WHERE id IN (SELECT id FROM event WHERE time_ms < ? ' +
    'OR id <= (SELECT max(id) FROM event) - CAST(? AS bigint) ORDER BY id LIMIT ?)',
);

/** Stores events inside a write. They are told to subscribers once it is committed. */
export async function insertEvents(
  tx: Tx,
  events: readonly { readonly type: EventType; readonly data: unknown }[],
  nowMs: number,
): Promise<void> {
  if (events.length === 0) return;
  await tx.sql.all(LOCK);
  for (const { type, data } of events) await tx.sql.run(INSERT, type, JSON.stringify(data), nowMs);
  tx.signal();
}

/** Events after an id, oldest first. */
export const eventsAfter = (db: Database, id: number, limit: number): Promise<StoredEvent[]> =>
  db.read.sql.all<StoredEvent>(AFTER, id, limit);

/** Ids of the oldest and newest event kept; 0 where there is none. */
export async function eventBounds(db: Database): Promise<{ oldest: number; newest: number }> {
  return (await db.read.sql.get<{ oldest: number; newest: number }>(BOUNDS)) ?? { oldest: 0, newest: 0 };
}

/** Deletes up to `limit` events that are older than a time or beyond the size of the ring; returns how many. */
export const trimEvents = async (tx: Tx, beforeMs: number, keep: number, limit: number): Promise<number> =>
  (await tx.sql.run(TRIM, beforeMs, keep, limit)).changes;
