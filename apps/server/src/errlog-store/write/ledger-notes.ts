// Notes for the ledger about batches: what is counted beside their stored lines.
import type { BatchNumbers, LossStage } from '@quarterdeck/core';
import { type SqlTx, statement } from '@quarterdeck/core/db';
import { isCut } from '@quarterdeck/core/lines';
import { LedgerEntries } from '../tables/ledger.ts';
import type { Sender } from '../tables/sources.ts';
import type { FingerprintedLines } from './group-lines.ts';

/** Note about a batch, for the source of its sender. */
export interface BatchNote {
  readonly sender: Sender;
  /** Lines that could not be read. */
  readonly refused: number;
  /** Lines that came: of a numbered batch only, since all of them are counted otherwise. */
  readonly lines: number;
  /** Numbers that an agent gave. */
  readonly numbers: BatchNumbers | undefined;
}

/** Lines that were turned away. */
export interface Loss {
  readonly sender: Sender;
  readonly stage: LossStage;
  readonly lines: number;
}

/** Notes of one transaction. */
export interface LedgerNotes {
  readonly batches: readonly BatchNote[];
  readonly losses: readonly Loss[];
}

/** Notes of a transaction without any. */
export const NO_NOTES: LedgerNotes = { batches: [], losses: [] };

/** Adds notes and cut lines to the ledger. `idOf` finds a source. The caller holds the lock of the groups. */
export async function addNotes(
  tx: SqlTx,
  { batches, losses }: LedgerNotes,
  stored: readonly FingerprintedLines[],
  idOf: (sender: Sender) => Promise<number>,
  nowS: number,
): Promise<void> {
  const ledger = new LedgerEntries(nowS);
  for (const note of batches) {
    const src = await idOf(note.sender);
    const isNew = note.numbers === undefined || (await countNumbers(tx, ledger, src, note, note.numbers));
    if (isNew) ledger.lose(src, 'refused', note.refused, ledger.nowS);
  }
  for (const { sender, stage, lines } of losses) ledger.lose(await idOf(sender), stage, lines, ledger.nowS);
  for (const { lines } of stored) {
    for (const { line, sender } of lines) if (isCut(line.log)) ledger.add(await idOf(sender), 'cut', line.count);
  }
  await ledger.apply(tx);
}

const LAST = statement('SELECT spool, number, read, dropped, time FROM ledger_batch WHERE agent_id = ?');
const SET_LAST = statement(
  `INSERT INTO ledger_batch (agent_id, spool, number, read, dropped, time) VALUES (?, ?, ?, ?, ?, ?)
   ON CONFLICT (agent_id) DO UPDATE SET spool = excluded.spool, number = excluded.number, read = excluded.read,
     dropped = excluded.dropped, time = excluded.time`,
);

interface LastBatch {
  readonly spool: string;
  readonly number: number;
  readonly read: number;
  readonly dropped: string;
  readonly time: number;
}

/** Counts a numbered batch; returns false if it was counted before. */
async function countNumbers(
  tx: SqlTx,
  ledger: LedgerEntries,
  src: number,
  { sender: { agentId = 0 }, lines }: BatchNote,
  numbers: BatchNumbers,
): Promise<boolean> {
  const { spool, number, read, dropped } = numbers;
  const last = await tx.sql.get<LastBatch>(LAST, agentId);
  // Nothing is known of the batches before the first one that this server sees of a spool, so none of them is missing.
  const known = last?.spool === spool ? last : undefined;
  if (known !== undefined && number <= known.number) return false;
  // A batch of an earlier version has not all stages.
  const lost: Partial<BatchNumbers['dropped']> =
    known === undefined ? { ...(number === 1 ? NONE : dropped) } : JSON.parse(known.dropped);
  const missing = known === undefined ? 0 : Math.max(0, read - known.read - lines);
  const sinceS = known?.time ?? ledger.nowS;
  ledger.add(src, 'sent', lines);
  ledger.add(src, 'read', lines + missing);
  ledger.lose(src, 'missing', missing, sinceS);
  for (const stage of ['rotation', 'spool_full', 'skipped'] as const) {
    ledger.lose(src, stage, Math.max(0, dropped[stage] - (lost[stage] ?? 0)), sinceS);
  }
  await tx.sql.run(SET_LAST, agentId, spool, number, read, JSON.stringify(dropped), ledger.nowS);
  return true;
}

const NONE: BatchNumbers['dropped'] = { rotation: 0, spool_full: 0, skipped: 0 };
