// All groups of a filter, in steps between which the event loop is free.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ErrlogEntry, ErrlogFilter } from '@quarterdeck/core';
import type { SqlValue } from '@quarterdeck/core/db';
import { cached, inJson, Where } from '@quarterdeck/core/sql';
import { DETAIL_COLUMNS, toDetail } from '../tables/columns.ts';
import { filterWhere, withoutTime } from '../tables/filter.ts';
import { findAllIds, needsSearch } from './find-groups.ts';
import type { GroupReader } from './line-search.ts';
import { type Selection, selectGroups } from './selection.ts';

/** Chooses the number of groups that the next step reads. */
interface Steps {
  readonly next: number;
  /** Notes what the last step has found. */
  note(run: readonly object[]): void;
}

/** Steps over rows of a few numbers. */
const WIDE: Steps = { next: 5_000, note: () => {} };

/** Groups of the first step over entries, and the bounds of the others. */
const ENTRIES = { first: 100, min: 20, max: 1_000 } as const;
/** Characters of entries that a step aims at: an export holds them until its client reads on. */
const TEXT_AIM = 128 * 1024;
/** Characters of an entry beside its text and note. */
const ENTRY_REST = 400;

/** Steps over entries, whose texts have up to 16 KiB, by the size of those before. */
class EntrySteps implements Steps {
  #next: number = ENTRIES.first;

  get next(): number {
    return this.#next;
  }

  note(run: readonly ErrlogEntry[]): void {
    const size = run.reduce((sum, { log, note = '' }) => sum + log.length + note.length + ENTRY_REST, 1);
    const aimed = Math.floor(this.#next * Math.min(4, TEXT_AIM / size));
    this.#next = Math.max(ENTRIES.min, Math.min(ENTRIES.max, aimed));
  }
}

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
  steps = WIDE,
): Promise<AsyncGenerator<Row[]>> {
  return walkSelection(reader, await selectGroups(reader, filter), columns, { beforeId, steps });
}

/** Like {@link walkGroups}; with `among`, which falls, only groups that it has. */
export async function walkSelection<Row extends { id: number }>(
  reader: GroupReader,
  selection: Selection,
  columns: string,
  {
    beforeId,
    among,
    steps = WIDE,
  }: { readonly beforeId: number; readonly among?: readonly number[] | undefined; readonly steps?: Steps },
): Promise<AsyncGenerator<Row[]>> {
  if (!needsSearch(selection) && among === undefined) return walkAll(reader, selection, columns, { beforeId, steps });
  const found = needsSearch(selection) ? new Set(await findAllIds(reader, selection)) : undefined;
  const ids = among ?? [...(found ?? [])];
  const wanted = ids.filter((id) => id < beforeId && found?.has(id) !== false);
  return walkSome(reader, selection, columns, { ids: wanted, steps });
}

/** All entries of a filter, see {@link walkGroups}. */
export async function allEntries(
  reader: GroupReader,
  filter: ErrlogFilter,
  beforeId?: number,
): Promise<AsyncGenerator<ErrlogEntry[]>> {
  return detailed(await walkGroups<ErrlogEntry>(reader, filter, DETAIL_COLUMNS, beforeId, new EntrySteps()));
}

async function* detailed(runs: AsyncGenerator<ErrlogEntry[]>): AsyncGenerator<ErrlogEntry[]> {
  for await (const run of runs) yield run.map(toDetail);
}

async function* walkAll<Row extends { id: number }>(
  { db: { dialect, read } }: GroupReader,
  { groups }: Selection,
  columns: string,
  { beforeId, steps }: { readonly beforeId: number; readonly steps: Steps },
): AsyncGenerator<Row[]> {
  const { sql } = read;
  const where = filterWhere(dialect, groups);
  const step = 'SELECT * FROM errlog WHERE id < ? ORDER BY id DESC LIMIT ?';
  const from = `(${step}) e JOIN source s ON s.id = e.src`;
  const rows = cached(`SELECT ${columns} FROM ${from}${where.text} ORDER BY e.id DESC`);
  const end = cached(`SELECT min(id) AS id FROM (${step}) e`);
  let before = beforeId;
  for (;;) {
    const values: SqlValue[] = [before, steps.next];
    const last: number | null = (await sql.get<{ id: number | null }>(end, ...values))?.id ?? null;
    if (last === null) return;
    const run = await sql.all<Row>(rows, ...values, ...where.values);
    steps.note(run);
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
  { ids, steps }: { readonly ids: readonly number[]; readonly steps: Steps },
): AsyncGenerator<Row[]> {
  for (let at = 0; at < ids.length; ) {
    const step = ids.slice(at, at + steps.next);
    at += step.length;
    const where = new Where()
      .and(inJson(dialect, 'e.id'), JSON.stringify(step))
      .merge(filterWhere(dialect, isPast ? withoutTime(groups) : groups));
    const text = `SELECT ${columns} FROM errlog e JOIN source s ON s.id = e.src${where.text} ORDER BY e.id DESC`;
    const run = await read.sql.all<Row>(cached(text), ...where.values);
    steps.note(run);
    if (run.length > 0) yield run;
    await yieldToEventLoop();
  }
}
