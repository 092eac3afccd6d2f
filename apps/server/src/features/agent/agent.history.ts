// What happened to agents, line by line.
import type { AgentEventKind } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';

/** One line of an agent's history, before it has a number. */
export interface HistoryEntry {
  readonly agentId: number;
  readonly kind: AgentEventKind;
  readonly field?: string;
  readonly before?: string;
  readonly after?: string;
  /** Who did it; absent is the agent itself or the server. */
  readonly actor?: string;
}

// As JSON, so that the lines of hundreds of agents are one statement.
const INSERT = statement({
  sqlite: `INSERT INTO agent_change (agent_id, time_ms, kind, field, before, after, actor)
     SELECT value ->> 'agentId', ?, value ->> 'kind', value ->> 'field', value ->> 'before', value ->> 'after',
       value ->> 'actor' FROM json_each(?) ORDER BY key`,
  postgresql: `INSERT INTO agent_change (agent_id, time_ms, kind, field, before, after, actor)
     SELECT agent_id, $1, kind, field, before, after, actor FROM ROWS FROM (json_to_recordset(CAST($2 AS json))
       AS ("agentId" integer, kind text, field text, before text, after text, actor text)) WITH ORDINALITY
       AS given(agent_id, kind, field, before, after, actor, place) ORDER BY place`,
});

/** Adds lines to the history, inside the write that makes them true. */
export async function recordHistory(tx: Tx, happenings: readonly HistoryEntry[], nowMs: number): Promise<void> {
  if (happenings.length === 0) return;
  const rows = happenings.map((row) => ({ field: '', before: '', after: '', actor: '', ...row }));
  await tx.sql.run(INSERT, nowMs, JSON.stringify(rows));
}
