// Reads lines that were lost before they could be stored, from the ledger.
import { type LossStage, unixSeconds } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';

/** Lines of a source that were lost at a stage, in a span that includes both ends, Unix milliseconds. */
export interface LostLines {
  readonly stage: LossStage;
  readonly src: number;
  /** Name of the source; empty for the listeners of this server. */
  readonly source: string;
  readonly lines: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Words for the stages that are alarms. A sender learns of lines that are not readable: those are none. */
export const LOSS_WORDS: Readonly<Record<Exclude<LossStage, 'refused'>, string>> = {
  rotation: 'files were rotated before an agent had read them',
  spool_full: 'the spool of an agent was full',
  skipped: 'an agent could not read its journal',
  missing: 'batches of an agent never arrived',
  udp: 'more datagrams came than this server could take',
  quota: 'a source sent more than its quota',
};

/** Rows at most: losses of a source within a minute. */
const ROWS_MAX = 5_000;

const LOSSES = statement(
  `SELECT g.stage, g.src, coalesce(s.name, '') AS source, l.n AS lines, g.from_time AS "fromTime", g.to_time AS "toTime"
   FROM ledger_gap g JOIN ledger l ON l.src = g.src AND l.minute = g.minute AND l.stage = g.stage
   LEFT JOIN source s ON s.id = g.src AND s.id > 0
   WHERE g.minute >= ? AND g.stage NOT IN ('down', 'refused', 'damaged') ORDER BY g.minute, g.src, g.stage LIMIT ?`,
);

interface Row extends Omit<LostLines, 'fromMs' | 'untilMs'> {
  readonly fromTime: number;
  readonly toTime: number;
}

/** Reads the losses that were noted since a time, oldest first. */
export async function readLostLines({ sql }: Tx, sinceMs: number): Promise<LostLines[]> {
  const rows = await sql.all<Row>(LOSSES, Math.floor(unixSeconds(sinceMs) / 60), ROWS_MAX);
  return rows.map(({ fromTime, toTime, ...row }) => ({ ...row, fromMs: fromTime * 1000, untilMs: toTime * 1000 }));
}
