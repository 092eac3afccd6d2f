// Reads of the agents that made a change, and of all others.
import type { Change } from '@quarterdeck/core';
import { type Database, statement } from '@quarterdeck/core/db';

const MADE = statement('SELECT DISTINCT agent_id FROM agent_change WHERE change_id = ? AND change_id > 0');
// A rollout may be reported host by host: hosts that followed meanwhile are no others.
const FOLLOWED = statement(
  `SELECT DISTINCT h.agent_id FROM change c JOIN agent_change h ON h.change_id = c.id AND h.change_id > 0
   WHERE c.id <> ? AND c.kind = ? AND c.name = ? AND c.after = ? AND c.time_ms >= ? AND c.time_ms < ?`,
);
const AGENTS = statement(
  `SELECT id, hostname, ip, CASE WHEN is_deleted OR last_reported_ms < ? THEN 0 ELSE 1 END AS present,
     last_reported_ms AS "reportedMs", interval_s AS "intervalS"
   FROM agent WHERE id > ? ORDER BY id LIMIT ?`,
);

interface Row {
  readonly agent_id: number;
}

const idsOf = (rows: readonly Row[]) => new Set(rows.map(({ agent_id }) => agent_id));

/** Agents that made a change. */
export const agentsWith = async ({ read: { sql } }: Database, { id }: Change): Promise<ReadonlySet<number>> =>
  idsOf(await sql.all<Row>(MADE, id));

/** Agents that made the same change in a span, as another report tells. */
export async function agentsThatFollowed(
  { read: { sql } }: Database,
  { id, kind, name, after }: Change,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<ReadonlySet<number>> {
  return idsOf(await sql.all<Row>(FOLLOWED, id, kind, name, after, fromMs, toMs));
}

/** An agent. `present` is 1 if it is not deleted and has reported since a time. */
export interface AgentRow {
  readonly id: number;
  readonly hostname: string;
  readonly ip: string;
  readonly present: number;
  /** Unix milliseconds. */
  readonly reportedMs: number;
  readonly intervalS: number;
}

/** The next agents behind an id. */
export const nextAgents = ({ read: { sql } }: Database, sinceMs: number, last: number, limit: number) =>
  sql.all<AgentRow>(AGENTS, sinceMs, last, limit);
