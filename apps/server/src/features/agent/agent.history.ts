// What happened to agents, line by line.
import type { AgentEventKind } from '@quarterdeck/core';
import { type Door, statement } from '@quarterdeck/core/db';

/** One line of an agent's history, before it has a number. */
export interface AgentHappening {
  readonly agentId: number;
  readonly kind: AgentEventKind;
  readonly field?: string;
  readonly before?: string;
  readonly after?: string;
  /** Who did it; absent is the agent itself or the server. */
  readonly actor?: string;
}

const INSERT = statement(
  'INSERT INTO agent_change (agent_id, time_ms, kind, field, before, after, actor) VALUES (?, ?, ?, ?, ?, ?, ?)',
);

/** Adds lines to the history, inside the write that makes them true. */
export async function recordHappenings(tx: Door, happenings: readonly AgentHappening[], nowMs: number): Promise<void> {
  for (const { agentId, kind, field = '', before = '', after = '', actor = '' } of happenings) {
    await tx.sql.run(INSERT, agentId, nowMs, kind, field, before, after, actor);
  }
}
