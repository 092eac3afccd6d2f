// Reads the agents' history in spans of time, up to a number of lines.
import { type Database, statement } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import type { EventLoopYield } from '@quarterdeck/core/threads';
import { HistoryLines, type HistoryRow } from './history-lines.ts';
import { type AgentSpan, type MergedSpan, withinAny } from './spans.ts';

/** Rows of one statement: a few milliseconds. */
const SLICE = 2_000;

const WHAT = '(kind, field, name, before, after, change_id, has_diff)';
const COLUMNS = {
  sqlite: `id, agent_id, time_ms, json_array${WHAT} AS what`,
  postgresql: `id, agent_id, time_ms, json_build_array${WHAT}::text AS what`,
};
const ORDER = 'ORDER BY time_ms DESC, agent_id DESC, id DESC LIMIT ?';
const latestWhere = (where: string) =>
  statement((dialect) => `SELECT ${COLUMNS[dialect]} FROM agent_change WHERE ${where} ${ORDER}`);
const LATEST = latestWhere('time_ms >= ? AND time_ms < ?');
const NEXT = latestWhere('time_ms >= ? AND (time_ms, agent_id, id) < (?, ?, ?)');

/** The history read, and the spans that it covers completely. */
export interface HistoryRead {
  readonly lines: HistoryLines;
  covers(span: AgentSpan): boolean;
  readonly complete: boolean;
}

/**
 * Reads the changes of all agents in some spans. If there are too many, the spans with the most affected agents come
 * first, and within them the changes nearest to the error.
 */
export async function readHistory(
  db: Database,
  spans: readonly MergedSpan[],
  linesMax: number,
  eventLoop: EventLoopYield,
): Promise<HistoryRead> {
  const lines = new HistoryLines();
  const inOrder = [...spans].sort((a, b) => b.agents - a.agents || b.toMs - a.toMs);
  for (const [i, span] of inOrder.entries()) {
    if (!(await readSpan(db, span, { lines, linesMax, eventLoop }))) {
      // A part of the first span is better than nothing.
      const isRead = withinAny(inOrder.slice(0, Math.max(1, i)));
      return { lines, covers: ({ fromMs }) => isRead(fromMs), complete: false };
    }
  }
  return { lines, covers: () => true, complete: true };
}

interface Reading {
  readonly lines: HistoryLines;
  readonly linesMax: number;
  readonly eventLoop: EventLoopYield;
}

/** Adds the lines of a span, latest first. Returns false if there is no room for another one. */
async function readSpan(db: Database, { fromMs, toMs }: MergedSpan, { lines, linesMax, eventLoop }: Reading) {
  let last: HistoryRow | undefined;
  for (;;) {
    await eventLoop.pause();
    const slice: HistoryRow[] =
      last === undefined
        ? await db.read.sql.all<HistoryRow>(LATEST, fromMs, toMs, SLICE)
        : await db.read.sql.all<HistoryRow>(NEXT, fromMs, last.time_ms, last.agent_id, last.id, SLICE);
    for (const row of slice) {
      if (lines.size >= linesMax) return false;
      lines.add(row);
    }
    if (slice.length < SLICE) return lines.size < linesMax;
    last = slice.at(-1);
  }
}

const DIFFS = statement(
  (dialect) => `SELECT change_id AS id, diff FROM agent_change_diff WHERE ${inJson(dialect, 'change_id')}`,
);

/** Reads the changed lines of some lines of history, by their ids. */
export async function diffsOf(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.read.sql.all<{ id: number; diff: string }>(DIFFS, JSON.stringify(ids));
  return new Map(rows.map(({ id, diff }) => [id, diff]));
}

const URLS = statement((dialect) => `SELECT id, url FROM change WHERE ${inJson(dialect, 'id')}`);

/** Returns the addresses of some changes by their ids; 0 is none. */
export async function changeUrls(db: Database, ids: readonly number[]): Promise<Map<number, string>> {
  const known = [...new Set(ids)].filter((id) => id > 0);
  if (known.length === 0) return new Map();
  const rows = await db.read.sql.all<{ id: number; url: string }>(URLS, JSON.stringify(known));
  return new Map(rows.map(({ id, url }) => [id, url]));
}
