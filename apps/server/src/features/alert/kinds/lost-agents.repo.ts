// Reads agents that are lost: they went silent and have not reported since.
import { type SqlValue, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import type { EventLoopYield } from '@quarterdeck/core/threads';
import { INACTIVE_AFTER_MS } from '../../agent/records/agent.status.ts';
import { countLate } from '../../agent/records/agent-status.repo.ts';
import type { ListeningWindow } from '../../agent/records/listening-window.ts';
import type { Round } from './kind.ts';

/** An agent that went silent. */
export interface LostAgent {
  readonly id: number;
  /** Time at which it was declared lost, Unix milliseconds. */
  readonly sinceMs: number;
  readonly lastReportedMs: number;
  readonly maintenance: number;
  /** Outage in which it went silent; 0 is none. */
  readonly outageId: number;
}

/** Offline agents in one portion: some milliseconds. */
const PORTION = 1_000;

interface Row extends LostAgent {
  readonly isLost: number;
}

const SELECT = `SELECT id, last_reported_ms AS "lastReportedMs", maintenance, outage_id AS "outageId",
  CASE WHEN state = 'inactive' THEN state_since_ms - ${INACTIVE_AFTER_MS} ELSE state_since_ms END AS "sinceMs",
  CASE WHEN reason = 'lost' AND NOT is_deleted THEN 1 ELSE 0 END AS "isLost" FROM agent`;
// In the order of the index on state and last report.
const OFFLINE = statement(
  `${SELECT} WHERE state = 'offline' AND (last_reported_ms, id) < (CAST(? AS bigint), CAST(? AS bigint))
   ORDER BY last_reported_ms DESC, id DESC LIMIT ?`,
);
const BY_IDS = statement((dialect) => `${SELECT} WHERE state IN ('offline', 'inactive') AND ${inJson(dialect, 'id')}`);

/** Reads the agents that were lost since a time, those that reported last first. */
export async function readLost({ sql }: Tx, sinceMs: number, eventLoop: EventLoopYield): Promise<LostAgent[]> {
  const lost: LostAgent[] = [];
  let cursor: SqlValue[] = [Number.MAX_SAFE_INTEGER, 0];
  for (;;) {
    const rows = await sql.all<Row>(OFFLINE, ...cursor, PORTION);
    for (const row of rows) if (row.isLost === 1 && row.sinceMs >= sinceMs) lost.push(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PORTION) return lost;
    cursor = [last.lastReportedMs, last.id];
    await eventLoop.pause();
  }
}

/** Counts the agents that are late but not lost yet, as most agents of an outage are when it is found. */
export const countLateAgents = ({ read, once }: Round, listeningWindow: ListeningWindow): Promise<number> =>
  once('agents-late', async () => {
    const { lost, late } = await countLate(read, listeningWindow.moment());
    return lost + late;
  });

/** Reads those of some agents that are lost, however long ago. */
export async function readLostAmong({ sql }: Tx, ids: readonly number[]): Promise<LostAgent[]> {
  if (ids.length === 0) return [];
  const rows = await sql.all<Row>(BY_IDS, JSON.stringify(ids));
  return rows.filter(({ isLost }) => isLost === 1);
}
