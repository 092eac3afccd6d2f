// Erases the copies of lines: events, alerts, and messages to channels, also those that wait to be sent.
import type { Database } from '@quarterdeck/core/db';
import { addErasure } from '@quarterdeck/core/sql';
import { ERASED } from '@quarterdeck/store';
import { ALERTS, type CopyRow, type CopyTable, DELIVERIES, EVENTS } from './erased-copies.repo.ts';
import { type ErasedLines, withoutTexts } from './erased-copy.ts';
import type { LineNeeds } from './needs.ts';

const ROWS_AT_ONCE = 200;

/** Numbers of the copies whose texts are erased, beside events. */
export interface ErasedCopies {
  readonly alerts: number;
  /** Messages to channels. */
  readonly messages: number;
  /** Of these, the ones that a receiver may have got. */
  readonly sent: number;
}

/** Erases the copies of erased lines; only counts them in a dry run. */
export async function eraseCopies(
  { db, attempts }: Pick<LineNeeds, 'db' | 'attempts'>,
  erased: ErasedLines,
  dryRun: boolean,
): Promise<ErasedCopies> {
  // From here on no write stores a text that was read before.
  if (!dryRun) await db.write(addErasure);
  const run = (table: CopyTable, clear: Clear) => eraseIn(db, table, (row) => clear(row, erased), dryRun);
  await run(EVENTS, clearEvent);
  const alerts = await run(ALERTS, clearAlert);
  const messages = await run(DELIVERIES, clearMessage);
  if (!dryRun) attempts.recall(new Set(messages.map(({ webhookId }) => webhookId)));
  const sent = messages.filter(({ attemptMs }) => attemptMs > 0).length;
  return { alerts: alerts.length, messages: messages.length, sent };
}

/** Texts of a row without those of erased lines; undefined where they may stay. */
type Cleared = { readonly data: string; readonly title: string } | undefined;
type Clear = (row: CopyRow, erased: ErasedLines) => Cleared;

/** Replaces the texts of a table; returns the rows as they were. */
async function eraseIn(
  db: Database,
  table: CopyTable,
  clear: (row: CopyRow) => Cleared,
  dryRun: boolean,
): Promise<CopyRow[]> {
  const changed: CopyRow[] = [];
  for (let after = 0; ; ) {
    const rows = await table.read(db.read, after, ROWS_AT_ONCE);
    const found = rows.flatMap((row) => {
      const cleared = clear(row);
      return cleared === undefined ? [] : [{ row, ...cleared }];
    });
    if (found.length > 0 && !dryRun) {
      await db.write(async (tx) => {
        for (const { row, data, title } of found) await table.replace(tx, row, data, title);
      });
    }
    changed.push(...found.map(({ row }) => row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return changed;
    after = last.id;
  }
}

const isOfGroup = (type: string) => type.startsWith('errlog.');

function clearEvent({ type, data }: CopyRow, erased: ErasedLines): Cleared {
  const cleared = withoutTexts(JSON.parse(data), isOfGroup(type), erased);
  return cleared === undefined ? undefined : { data: JSON.stringify(cleared), title: '' };
}

function clearAlert({ type: cause, data, title }: CopyRow, erased: ErasedLines): Cleared {
  const cleared = withoutTexts({ cause, title, detail: JSON.parse(data) }, false, erased) as
    | { readonly title: string; readonly detail: unknown }
    | undefined;
  return cleared && { data: JSON.stringify(cleared.detail), title: cleared.title };
}

function clearMessage({ type, data: body }: CopyRow, erased: ErasedLines): Cleared {
  const message = JSON.parse(body) as { readonly data: unknown };
  const data = withoutTexts(message.data, isOfGroup(type), erased);
  return data === undefined ? undefined : { data: JSON.stringify({ ...message, data }), title: ERASED };
}
