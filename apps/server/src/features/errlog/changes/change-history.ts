// Reads the agents' history in spans of time, as much of it as there is room for.
import { setImmediate } from 'node:timers/promises';
import { type Database, statement } from '@quarterdeck/core/db';
import type { ChangeRow } from './change-rank.ts';
import { type AgentSpan, type MergedSpan, withinAny } from './spans.ts';

/** Rows of one statement: what comes after it has its turn in between. */
const SLICE = 2_000;

interface Row extends ChangeRow {
  readonly id: number;
}

// A note changes nothing on a host, nor does a mark on its kernel; that an agent is inactive or deleted is said of it long
// after it has gone.
const OF_INTEREST = "kind NOT IN ('note', 'inactive', 'deleted') AND field <> 'bad_kernel'";
const COLUMNS = 'id, agent_id, time_ms, kind, field, before, after';
const ORDER = 'ORDER BY time_ms DESC, agent_id DESC, id DESC LIMIT ?';
const LATEST = statement(
  `SELECT ${COLUMNS} FROM agent_change WHERE time_ms >= ? AND time_ms < ? AND ${OF_INTEREST} ${ORDER}`,
);
const NEXT = statement(
  `SELECT ${COLUMNS} FROM agent_change WHERE time_ms >= ? AND (time_ms, agent_id, id) < (?, ?, ?) AND ${OF_INTEREST} ${ORDER}`,
);

/** What was read, and of which spans that was all there is to be read. */
export interface HistoryRead {
  readonly rows: readonly ChangeRow[];
  covers(span: AgentSpan): boolean;
  readonly complete: boolean;
}

/**
 * The changes of all agents in some spans. Where there is not room for all of it the spans with the most affected agents
 * come first, and what is nearest to the error.
 */
export async function readHistory(db: Database, spans: readonly MergedSpan[], rowsMax: number): Promise<HistoryRead> {
  const rows: ChangeRow[] = [];
  const inOrder = [...spans].sort((a, b) => b.agents - a.agents || b.toMs - a.toMs);
  for (const [i, span] of inOrder.entries()) {
    if (!(await readSpan(db, span, rows, rowsMax))) {
      // What is left of the first of them is better than nothing.
      const isRead = withinAny(inOrder.slice(0, Math.max(1, i)));
      return { rows, covers: ({ fromMs }) => isRead(fromMs), complete: false };
    }
    if (i % 50 === 49) await setImmediate();
  }
  return { rows, covers: () => true, complete: true };
}

/** Adds the rows of a span, latest first; false where there was no room for all of them. */
async function readSpan(
  db: Database,
  { fromMs, toMs }: MergedSpan,
  rows: ChangeRow[],
  rowsMax: number,
): Promise<boolean> {
  let last: Row | undefined;
  for (;;) {
    const size = Math.min(SLICE, rowsMax - rows.length);
    const slice: Row[] =
      last === undefined
        ? await db.read.sql.all<Row>(LATEST, fromMs, toMs, size)
        : await db.read.sql.all<Row>(NEXT, fromMs, last.time_ms, last.agent_id, last.id, size);
    for (const row of slice) rows.push(row);
    if (slice.length < SLICE) return slice.length < size;
    last = slice.at(-1);
    await setImmediate();
  }
}
