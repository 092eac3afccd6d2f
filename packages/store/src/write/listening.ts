// Losses of the syslog listeners, and the time until which a server has listened.
import { type Dialect, type SqlTx, statement } from '@quarterdeck/core/db';
import { LedgerEntries } from '../tables/ledger.ts';

/** Lines that a listener has lost since a time, Unix seconds. */
export interface ListenerLoss {
  readonly stage: 'udp' | 'refused';
  readonly lines: number;
  readonly fromS: number;
}

/** Seconds between two marks of the time at most. */
export const MARK_EVERY_S = 60;
/** Source 0: this server. */
const THIS_SERVER = 0;

const NAME = 'ledger_listening';
const MARKED = statement('SELECT CAST(value AS int8) AS time FROM setting WHERE name = ?');
const MARK = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);

/** Adds losses to the ledger, and marks that a server listens. `nowS` is in Unix seconds. */
export async function recordListening(tx: SqlTx, losses: readonly ListenerLoss[], nowS: number): Promise<void> {
  const ledger = new LedgerEntries(nowS);
  for (const { stage, lines, fromS } of losses) ledger.lose(THIS_SERVER, stage, lines, fromS);
  await ledger.apply(tx);
  await tx.sql.run(MARK, NAME, String(nowS));
}

/**
 * Adds the gap since the last mark, in which no server may have listened, and marks that one does. A kill loses counts
 * of losses that are younger than the mark, and this gap covers them. On PostgreSQL another server may have made the
 * mark, so a fresh one is no gap.
 */
export async function recordStart(tx: SqlTx, dialect: Dialect, nowS: number): Promise<void> {
  const last = (await tx.sql.get<{ time: number }>(MARKED, NAME))?.time;
  if (last !== undefined && (dialect === 'sqlite' || nowS - last > 2 * MARK_EVERY_S)) {
    const ledger = new LedgerEntries(nowS);
    ledger.addGap(THIS_SERVER, 'down', last);
    await ledger.apply(tx);
  }
  await tx.sql.run(MARK, NAME, String(nowS));
}
