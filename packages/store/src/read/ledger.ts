// Reads the ledger: rows by source and minute, and the spans in which lines were lost.
import type { LedgerGap, LedgerPage, LedgerRow } from '@quarterdeck/core';
import { type Dialect, type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { INT_MAX } from '@quarterdeck/core/plain';
import { cached, inJson, Where } from '@quarterdeck/core/sql';
import { minuteOf } from '../tables/minutes.ts';

/** Part of the ledger; both ends of the span are included, Unix seconds. */
export interface LedgerQuery {
  readonly src?: number | undefined;
  readonly startS?: number | undefined;
  readonly endS?: number | undefined;
}

interface StageRow {
  readonly src: number;
  readonly minute: number;
  readonly stage: string;
  readonly n: number;
}

type GapRow = Pick<StageRow, 'src' | 'n'> & { readonly stage: LedgerGap['stage']; from_time: number; to_time: number };

/** Most stages and most gaps of one answer. */
const ROWS_MAX = 20_000;
const GAPS_MAX = 1_000;

const minuteColumn = (timeS: number | undefined) => timeS && Math.min(minuteOf(timeS), INT_MAX);

/**
 * Returns the rows and gaps of a part of the ledger: of some sources, or of all. The ledger does not know services, so
 * a source is shown as a whole or not at all.
 */
export async function readLedger(
  sql: Sql,
  dialect: Dialect,
  query: LedgerQuery,
  sources: ReadonlySet<number> | undefined,
): Promise<LedgerPage> {
  const ofSources = (column: string) =>
    sources === undefined ? new Where() : new Where().and(inJson(dialect, column), JSON.stringify([...sources]));
  const { rows, more } = await readRows(sql, query, ofSources('src'));
  const gaps = await readGaps(sql, query, ofSources('g.src'));
  const keptFromS = await ledgerFrom(sql);
  const isKept = query.startS === undefined || query.startS >= keptFromS;
  const isMore = more || gaps.length > GAPS_MAX;
  return {
    data: rows,
    meta: {
      complete: gaps.length === 0 && isKept,
      gaps: joined(gaps.slice(0, GAPS_MAX)),
      ...(isMore && { more: true as const }),
    },
  };
}

async function readRows(
  sql: Sql,
  { src, startS, endS }: LedgerQuery,
  ofSources: Where,
): Promise<{ rows: LedgerRow[]; more: boolean }> {
  const where = new Where()
    .andIf('src = ?', src)
    .andIf('minute >= ?', minuteColumn(startS))
    .andIf('minute <= ?', minuteColumn(endS))
    .merge(ofSources);
  const text = `SELECT src, minute, stage, n FROM ledger${where.text} ORDER BY minute DESC, src, stage LIMIT ?`;
  const found = await sql.all<StageRow>(cached(text), ...where.values, ROWS_MAX + 1);
  const rows: LedgerRow[] = [];
  let stages: StageRow[] = [];
  for (const row of found) {
    const [first] = stages;
    if (first !== undefined && (first.src !== row.src || first.minute !== row.minute)) {
      rows.push(rowOf(first, stages));
      stages = [];
    }
    stages.push(row);
  }
  const more = found.length > ROWS_MAX;
  // Stages of the last row may be missing.
  if (stages[0] !== undefined && !more) rows.push(rowOf(stages[0], stages));
  return { rows, more };
}

/** Lines that the transaction stored are grouped or flood; with the refused ones they are all that it received. */
function rowOf({ src, minute }: StageRow, stages: readonly StageRow[]): LedgerRow {
  const {
    grouped = 0,
    read = null,
    sent = null,
    lines_without_time,
    lines_without_level,
    ...dropped
  } = Object.fromEntries(stages.map(({ stage, n }) => [stage, n])) as Record<string, number>;
  const stored = grouped + (dropped['flood'] ?? 0);
  const received = stored + (dropped['refused'] ?? 0);
  const unknown = {
    ...(lines_without_time ? { lines_without_time } : {}),
    ...(lines_without_level ? { lines_without_level } : {}),
  };
  return { src, minute: minute * 60, read, sent, received, stored, grouped, ...unknown, dropped };
}

/** Selects gaps of a source. Lines of any sender but an agent may be among those that a listener has lost. */
const OF_SOURCE = `(g.src = ? OR g.stage IN ('udp', 'down') AND EXISTS (SELECT 1 FROM source s WHERE s.id = ? AND s.agent_id = 0))`;

async function readGaps(sql: Sql, { src, startS, endS }: LedgerQuery, ofSources: Where): Promise<GapRow[]> {
  const where = new Where()
    .andIf('g.minute >= ?', minuteColumn(startS))
    .andIf('g.to_time >= ?', startS)
    .andIf('g.from_time <= ?', endS)
    .merge(ofSources);
  if (src !== undefined) where.and(OF_SOURCE, src, src);
  const text = `SELECT g.src, g.stage, g.from_time, g.to_time, coalesce(l.n, 0) AS n FROM ledger_gap g
    LEFT JOIN ledger l ON l.src = g.src AND l.minute = g.minute AND l.stage = g.stage${where.text}
    ORDER BY g.from_time, g.to_time, g.src, g.stage LIMIT ?`;
  return sql.all<GapRow>(cached(text), ...where.values, GAPS_MAX + 1);
}

/** Joins gaps of a source and a stage that touch. */
function joined(rows: readonly GapRow[]): LedgerGap[] {
  const gaps: LedgerGap[] = [];
  const last = new Map<string, LedgerGap>();
  for (const { src, stage, from_time: start, to_time: end, n } of rows) {
    const key = `${src},${stage}`;
    const before = last.get(key);
    if (before !== undefined && start <= before.end_time + 1) {
      before.end_time = Math.max(before.end_time, end);
      if (before.lines !== null) before.lines += n;
      continue;
    }
    const gap = { src, stage, start_time: start, end_time: end, lines: stage === 'down' ? null : n };
    gaps.push(gap);
    last.set(key, gap);
  }
  return gaps;
}

/** Setting with the time, Unix seconds, from which on the ledger is kept. Migration `ledger` creates it. */
const FROM = statement("SELECT CAST(value AS int8) AS time FROM setting WHERE name = 'ledger_from'");

const ledgerFrom = async (sql: Sql): Promise<number> => (await sql.get<{ time: number }>(FROM))?.time ?? 0;

const RAISE_FROM = statement(
  `UPDATE setting SET value = ? WHERE name = 'ledger_from' AND CAST(value AS int8) < CAST(? AS int8)`,
);
const REMOVE_ROWS = statement('DELETE FROM ledger WHERE minute < ?');
const REMOVE_GAPS = statement('DELETE FROM ledger_gap WHERE minute < ?');
const REMOVE_BATCHES = statement('DELETE FROM ledger_batch WHERE time < ?');

/** Removes the ledger from before a time, Unix seconds. */
export async function removeLedger({ sql }: Tx, beforeS: number): Promise<void> {
  const minute = minuteOf(beforeS);
  await sql.run(REMOVE_ROWS, minute);
  await sql.run(REMOVE_GAPS, minute);
  await sql.run(REMOVE_BATCHES, beforeS);
  await sql.run(RAISE_FROM, String(minute * 60), String(minute * 60));
}
