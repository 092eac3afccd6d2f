// Reads the agents' history in spans of time, as much of it as there is room for.
import { setImmediate } from 'node:timers/promises';
import { type Database, statement } from '@quarterdeck/core/db';
import type { ChangeRow } from './change-rank.ts';
import type { MergedSpan } from './spans.ts';

/** Rows of one statement: what comes after it has its turn in between. */
const SLICE = 2_000;

/** Rows that one request reads, in all of its windows. */
export class RowBudget {
  left: number;

  constructor(rows: number) {
    this.left = rows;
  }
}

interface Row extends ChangeRow {
  readonly id: number;
}

// A note changes nothing on a host; that an agent is inactive or deleted is said of it long after it has gone.
const OF_INTEREST = "kind NOT IN ('note', 'inactive', 'deleted')";
const COLUMNS = 'id, agent_id, time_ms, kind, field, before, after';
const ORDER = 'ORDER BY time_ms DESC, agent_id DESC, id DESC LIMIT ?';
const LATEST = statement(
  `SELECT ${COLUMNS} FROM agent_change WHERE time_ms >= ? AND time_ms < ? AND ${OF_INTEREST} ${ORDER}`,
);
const NEXT = statement(
  `SELECT ${COLUMNS} FROM agent_change WHERE time_ms >= ? AND (time_ms, agent_id, id) < (?, ?, ?) AND ${OF_INTEREST} ${ORDER}`,
);

/** What was read, and of which agents that was all there is to be read. */
export interface HistoryRead {
  readonly rows: readonly ChangeRow[];
  readonly agents: ReadonlySet<number>;
  readonly complete: boolean;
}

/**
 * The changes of all agents in some spans. Where there is not room for all of it the spans with the most affected agents
 * come first, and what is nearest to the error.
 */
export async function readHistory(db: Database, spans: readonly MergedSpan[], budget: RowBudget): Promise<HistoryRead> {
  const rows: ChangeRow[] = [];
  const agents = new Set<number>();
  const inOrder = [...spans].sort((a, b) => b.agents.length - a.agents.length || b.toMs - a.toMs);
  for (const [i, span] of inOrder.entries()) {
    if (budget.left <= 0 && i > 0) return { rows, agents, complete: false };
    for (const agent of span.agents) agents.add(agent);
    if (!(await readSpan(db, span, budget, rows))) return { rows, agents, complete: false };
    if (i % 50 === 49) await setImmediate();
  }
  return { rows, agents, complete: true };
}

/** Adds the rows of a span, latest first; false where there was no room for all of them. */
async function readSpan(
  db: Database,
  { fromMs, toMs }: MergedSpan,
  budget: RowBudget,
  rows: ChangeRow[],
): Promise<boolean> {
  let last: Row | undefined;
  for (;;) {
    const size = Math.max(0, Math.min(SLICE, budget.left));
    const slice: Row[] =
      last === undefined
        ? await db.read.sql.all<Row>(LATEST, fromMs, toMs, size)
        : await db.read.sql.all<Row>(NEXT, fromMs, last.time_ms, last.agent_id, last.id, size);
    for (const row of slice) rows.push(row);
    budget.left -= slice.length;
    if (slice.length < SLICE) return slice.length < size;
    last = slice.at(-1);
    await setImmediate();
  }
}

const FIRST_ROWS = {
  sqlite: statement(
    `SELECT a.value AS id, (SELECT c.time_ms FROM agent_change c WHERE c.agent_id = a.value ORDER BY c.id LIMIT 1) AS time_ms
     FROM json_each(?) a`,
  ),
  postgresql: statement(
    `SELECT a.value::int AS id, (SELECT c.time_ms FROM agent_change c WHERE c.agent_id = a.value::int ORDER BY c.id LIMIT 1)
       AS time_ms FROM jsonb_array_elements_text(?::jsonb) a`,
  ),
};
const AT_ONCE = 1_000;

/** When the history of each agent begins, Unix milliseconds; agents without one are missing. */
export async function historyStarts(db: Database, ids: readonly number[]): Promise<Map<number, number>> {
  const starts = new Map<number, number>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    if (at > 0) await setImmediate();
    const json = JSON.stringify(ids.slice(at, at + AT_ONCE));
    const rows = await db.read.sql.all<{ id: number; time_ms: number | null }>(FIRST_ROWS[db.dialect], json);
    for (const { id, time_ms } of rows) if (time_ms !== null) starts.set(id, time_ms);
  }
  return starts;
}
