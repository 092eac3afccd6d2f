// Queries about outages. An agent belongs to one (`agent.outage_id`) from when it goes silent until it is back or the
// outage is over, so that whoever is back need not touch the row that all of them share.
import type { Outage, Slice } from '@quarterdeck/core';
import { type Database, type SqlValue, statement, type Tx } from '@quarterdeck/core/db';

/** Agents that are named as examples of those still away. */
const SAMPLE = 10;

/** A row of the table. */
export interface OutageRow {
  readonly id: number;
  readonly started_ms: number;
  readonly ended_ms: number;
  readonly lost: number;
  readonly returned: number;
}

const COLUMNS = 'id, started_ms, ended_ms, lost, returned';
const STILL_AWAY = "outage_id > 0 AND state = 'offline' AND NOT is_deleted";

const COUNT = statement('SELECT count(*) AS n FROM outage');
const LIST = statement(`SELECT ${COLUMNS} FROM outage ORDER BY started_ms DESC, id DESC LIMIT ? OFFSET ?`);
const GET = statement(`SELECT ${COLUMNS} FROM outage WHERE id = ?`);
const OPEN = statement(`SELECT ${COLUMNS} FROM outage WHERE ended_ms = 0 ORDER BY id`);
const AWAY_SAMPLE = statement(
  `SELECT id, hostname FROM agent WHERE outage_id = ? AND ${STILL_AWAY} ORDER BY id LIMIT ${SAMPLE}`,
);
const MEMBERS = statement(
  `SELECT count(*) AS members, coalesce(sum(CASE WHEN ${STILL_AWAY} THEN 1 ELSE 0 END), 0) AS away,
     coalesce(max(state_since_ms), 0) AS grown_ms FROM agent WHERE outage_id = ? AND outage_id > 0`,
);
const CREATE = statement('INSERT INTO outage (started_ms, lost) VALUES (?, 0) RETURNING id');
const ADD_LOST = statement('UPDATE outage SET lost = lost + ? WHERE id = ?');
const SET_RETURNED = statement('UPDATE outage SET returned = ?, ended_ms = ? WHERE id = ? AND ended_ms = 0');
const RELEASE = statement('UPDATE agent SET outage_id = 0 WHERE outage_id = ? AND outage_id > 0');

async function toOutage(door: Tx, row: OutageRow): Promise<Outage> {
  return {
    id: row.id,
    started: Math.floor(row.started_ms / 1000),
    ended: row.ended_ms === 0 ? null : Math.floor(row.ended_ms / 1000),
    lost: row.lost,
    returned: row.returned,
    sample: row.ended_ms === 0 ? await door.sql.all<{ id: number; hostname: string }>(AWAY_SAMPLE, row.id) : [],
  };
}

/** Outages, newest first, and how many there are. */
export async function listOutages({ read }: Database, { offset, limit }: Slice) {
  const count = (await read.sql.get<{ n: number }>(COUNT))?.n ?? 0;
  const rows = limit === 0 ? [] : await read.sql.all<OutageRow>(LIST, limit, offset);
  return { data: await Promise.all(rows.map((row) => toOutage(read, row))), meta: { count } };
}

/** One outage as the wire has it; undefined where there is none. */
export async function findOutage(door: Tx, id: number): Promise<Outage | undefined> {
  const row = await door.sql.get<OutageRow>(GET, id);
  return row === undefined ? undefined : await toOutage(door, row);
}

/** Outages that are not over. */
export const openOutages = (door: Tx): Promise<OutageRow[]> => door.sql.all<OutageRow>(OPEN);

/** Of an outage: agents that are not back, those of them that are still offline, and when the last one joined. */
export async function membersOf(door: Tx, id: number) {
  const row = await door.sql.get<{ members: number; away: number; grown_ms: number }>(MEMBERS, id);
  return row ?? { members: 0, away: 0, grown_ms: 0 };
}

/** Adds an outage of nobody yet; returns its id. */
export async function createOutage(tx: Tx, startedMs: number): Promise<number> {
  const row = await tx.sql.get<{ id: number }>(CREATE, startedMs);
  if (row === undefined) throw new Error('the database returned no id');
  return row.id;
}

export const addLost = (tx: Tx, id: number, count: number) => tx.sql.run(ADD_LOST, count, id);

/** Stores how many are back; `endedMs` is 0 while it is going on. */
export async function setReturned(tx: Tx, id: number, returned: number, endedMs: number): Promise<void> {
  await tx.sql.run(SET_RETURNED, ...([returned, endedMs, id] satisfies SqlValue[]));
  // Whoever is still away now comes back by themselves.
  if (endedMs > 0) await tx.sql.run(RELEASE, id);
}
