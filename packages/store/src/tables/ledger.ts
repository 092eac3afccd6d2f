// The ledger: lines of each source by the minute of their arrival and by stage. Rows are written in the transaction
// that stores the lines, so they are as exact as the lines.
import type { LedgerGap, LossStage, SentryStage } from '@quarterdeck/core';
import { type SqlTx, statement } from '@quarterdeck/core/db';
import { minuteOf } from './minutes.ts';
import { applyTogether, type TableChanges, Tally, tallyTable } from './tally.ts';

const LEDGER = tallyTable('ledger', { src: 'int', minute: 'int', stage: 'text' });

/** Stages of lines that are not lost. Lines of the other numbers are sums of these, see `read/ledger.ts`. */
type KeptStage =
  | 'grouped'
  | 'flood'
  | 'cut'
  | 'read'
  | 'sent'
  | 'lines_without_time'
  | 'lines_without_level'
  | SentryStage;

const ADD_GAP = statement({
  sqlite: `INSERT INTO ledger_gap (src, minute, stage, from_time, to_time) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (src, minute, stage) DO UPDATE SET from_time = min(from_time, excluded.from_time),
      to_time = max(to_time, excluded.to_time)`,
  postgresql: `INSERT INTO ledger_gap (src, minute, stage, from_time, to_time) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (src, minute, stage) DO UPDATE SET from_time = least(ledger_gap.from_time, excluded.from_time),
      to_time = greatest(ledger_gap.to_time, excluded.to_time)`,
});

/** Stage of lines that were stored and are damaged now. A thread that stores loads no schemas. */
const DAMAGED = 'damaged' satisfies LedgerGap['stage'];

/** Additions of one transaction to the ledger, all in the minute of its arrival. */
export class LedgerEntries {
  readonly #minute: number;
  /** Arrival of the lines, Unix seconds. */
  readonly nowS: number;
  readonly #counts = new Tally<readonly [src: number, minute: number, stage: string]>();
  readonly #gaps: (readonly [src: number, stage: LedgerGap['stage'], fromS: number, toS: number])[] = [];

  constructor(nowS: number) {
    this.nowS = nowS;
    this.#minute = minuteOf(nowS);
  }

  /** Adds `n` lines of a source. */
  add(src: number, stage: KeptStage, n: number): void {
    this.#counts.add([src, this.#minute, stage], n);
  }

  /** Adds `n` lines that were lost between a time, Unix seconds, and now. */
  lose(src: number, stage: LossStage, n: number, fromS: number): void {
    if (n === 0) return;
    this.#counts.add([src, this.#minute, stage], n);
    this.addGap(src, stage, fromS);
  }

  /** Adds a gap between a time, Unix seconds, and now. */
  addGap(src: number, stage: LedgerGap['stage'], fromS: number): void {
    this.#gaps.push([src, stage, Math.min(fromS, this.nowS), this.nowS]);
  }

  /** Adds `n` lines that were stored and are damaged now. They are from between two times, Unix seconds. */
  loseStored(src: number, n: number, fromS: number, toS: number): void {
    this.#counts.add([src, this.#minute, DAMAGED], n);
    this.#gaps.push([src, DAMAGED, fromS, toS]);
  }

  /** Writes the additions together with changes of other tables. */
  async apply(tx: SqlTx, others: readonly TableChanges[] = []): Promise<void> {
    await Promise.all([
      applyTogether(tx, [...others, [LEDGER, this.#counts.changes()]]),
      ...this.#gaps.map(([src, stage, fromS, toS]) => tx.sql.run(ADD_GAP, src, this.#minute, stage, fromS, toS)),
    ]);
  }
}
