// The history of an agent, as it is read.
import type { AgentEvent, AgentEventKind, Page, Slice } from '@quarterdeck/core';
import type { Sql } from '@quarterdeck/core/db';
import { cached } from '../../sql/cached.ts';
import { Where } from '../../sql/where.ts';

const SELECT_HISTORY = 'SELECT id, time_ms, kind, field, before, after, actor FROM agent_change';

interface ChangeRow extends Omit<AgentEvent, 'time' | 'from' | 'to'> {
  readonly time_ms: number;
  readonly before: string;
  readonly after: string;
}

/** A page of the history of an agent, newest first. */
export async function listHistory(
  sql: Sql,
  { agentId, kind, slice }: { agentId: number; kind: AgentEventKind | undefined; slice: Slice },
): Promise<Page<AgentEvent>> {
  const where = new Where().andIf('agent_id = ?', agentId).andIf('kind = ?', kind);
  const count =
    (await sql.get<{ n: number }>(cached(`SELECT count(*) AS n FROM agent_change${where.text}`), ...where.values))?.n ??
    0;
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const text = `${SELECT_HISTORY}${where.text} ORDER BY id DESC LIMIT ? OFFSET ?`;
  const rows = await sql.all<ChangeRow>(cached(text), ...where.values, slice.limit, slice.offset);
  const data = rows.map(({ time_ms, before, after, ...row }) => ({
    ...row,
    time: time_ms / 1000,
    from: before,
    to: after,
  }));
  return { data, meta: { count } };
}
