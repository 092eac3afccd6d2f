// All groups of a filter, in steps between which the event loop is free.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ErrlogFilter } from '@quarterdeck/core';
import type { Database, SqlValue } from '@quarterdeck/core/db';
import { cached } from '../../sql/cached.ts';
import { filterWithTextWhere } from '../tables/filter.ts';

/** Groups that one step reads. */
const STEP = 5_000;

/**
 * The groups of a filter by falling id, in runs. An id never changes, so no group is missed or returned twice when it
 * is seen again meanwhile.
 *
 * `columns` are those of `errlog e` and its `source s`. Only ids below `beforeId` are returned.
 */
export async function* walkGroups<Row extends { id: number }>(
  { dialect, read: { sql } }: Database,
  filter: ErrlogFilter,
  columns: string,
  beforeId: number = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Row[]> {
  const where = filterWithTextWhere(dialect, filter);
  const step = 'SELECT * FROM errlog WHERE id < ? ORDER BY id DESC LIMIT ?';
  const from = `(${step}) e JOIN source s ON s.id = e.src`;
  const rows = cached(`SELECT ${columns} FROM ${from}${where.text} ORDER BY e.id DESC`);
  const end = cached(`SELECT min(id) AS id FROM (${step}) e`);
  let before = beforeId;
  for (;;) {
    const values: SqlValue[] = [before, STEP];
    const last: number | null = (await sql.get<{ id: number | null }>(end, ...values))?.id ?? null;
    if (last === null) return;
    const run = await sql.all<Row>(rows, ...values, ...where.values);
    if (run.length > 0) yield run;
    before = last;
    // SQLite answers synchronously: without this step, other requests would wait until the end.
    await yieldToEventLoop();
  }
}
