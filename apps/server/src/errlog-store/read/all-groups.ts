// All groups of a filter, in steps between which the event loop is free.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ErrlogEntry, ErrlogFilter } from '@quarterdeck/core';
import type { SqlValue } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import { Where } from '../../sql/where.ts';
import { DETAIL_COLUMNS, toDetail } from '../tables/columns.ts';
import { filterWhere, withoutTime } from '../tables/filter.ts';
import { findAllIds, needsSearch } from './find-groups.ts';
import type { GroupReader } from './line-search.ts';
import { type Selection, selectGroups } from './selection.ts';

/** Groups that one step reads. */
const STEP = 5_000;

/**
 * Returns the groups of a filter by falling id, in runs. An id never changes, so no group is missed or returned twice
 * when it is seen again meanwhile. Resolves when the runs can be read.
 *
 * `columns` are those of `errlog e` and its `source s`. Only ids below `beforeId` are returned.
 *
 * @throws AppError `conflict` if a search of lines did not see all of them
 */
export async function walkGroups<Row extends { id: number }>(
  reader: GroupReader,
  filter: ErrlogFilter,
  columns: string,
  beforeId: number = Number.MAX_SAFE_INTEGER,
): Promise<AsyncGenerator<Row[]>> {
  return walkSelection(reader, await selectGroups(reader.db, filter, reader.nowS), columns, { beforeId });
}

/** Like {@link walkGroups}; with `among`, which falls, only groups that it has. */
export async function walkSelection<Row extends { id: number }>(
  reader: GroupReader,
  selection: Selection,
  columns: string,
  { beforeId, among }: { readonly beforeId: number; readonly among?: readonly number[] | undefined },
): Promise<AsyncGenerator<Row[]>> {
  if (!needsSearch(selection) && among === undefined) return walkAll(reader, selection, columns, beforeId);
  const found = needsSearch(selection) ? new Set(await findAllIds(reader, selection)) : undefined;
  const ids = among ?? [...(found ?? [])];
  const wanted = ids.filter((id) => id < beforeId && found?.has(id) !== false);
  return walkSome(reader, selection, columns, wanted);
}

/** All entries of a filter, see {@link walkGroups}. */
export async function allEntries(
  reader: GroupReader,
  filter: ErrlogFilter,
  beforeId?: number,
): Promise<AsyncGenerator<ErrlogEntry[]>> {
  return detailed(await walkGroups<ErrlogEntry>(reader, filter, DETAIL_COLUMNS, beforeId));
}

async function* detailed(runs: AsyncGenerator<ErrlogEntry[]>): AsyncGenerator<ErrlogEntry[]> {
  for await (const run of runs) yield run.map(toDetail);
}

async function* walkAll<Row extends { id: number }>(
  { db: { dialect, read } }: GroupReader,
  { groups }: Selection,
  columns: string,
  beforeId: number,
): AsyncGenerator<Row[]> {
  const { sql } = read;
  const where = filterWhere(dialect, groups);
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

async function* walkSome<Row extends { id: number }>(
  { db: { dialect, read } }: GroupReader,
  { groups, isPast }: Selection,
  columns: string,
  ids: readonly number[],
): AsyncGenerator<Row[]> {
  for (let at = 0; at < ids.length; at += STEP) {
    const where = new Where()
      .and(inJson(dialect, 'e.id'), JSON.stringify(ids.slice(at, at + STEP)))
      .merge(filterWhere(dialect, isPast ? withoutTime(groups) : groups));
    const text = `SELECT ${columns} FROM errlog e JOIN source s ON s.id = e.src${where.text} ORDER BY e.id DESC`;
    const run = await read.sql.all<Row>(cached(text), ...where.values);
    if (run.length > 0) yield run;
    await yieldToEventLoop();
  }
}
