// Export of all lines of a filter: NDJSON for programs, CSV for spreadsheets.
import { setTimeout } from 'node:timers/promises';
import { AppError, type Line } from '@quarterdeck/core';
import { EventLoopYield } from '@quarterdeck/core/threads';
import type { DamagedSpan, LineQuery, LineReads } from '@quarterdeck/store';
import { csvRow } from '../csv.ts';

/** Lines of a read at least and at most: long lines come in smaller numbers than requested. */
const READ_BATCH = { min: 200, max: 2_000 } as const;
/** Wait before a read that was refused because too many searches wait, and the number of such waits. */
const BUSY_MS = 200;
const WAITS_MAX = 50;
/** Lines formatted between two pauses. */
const PART = 200;

const COLUMNS = [
  ...(['id', 'time', 'level', 'count', 'src', 'source', 'host', 'service', 'group', 'app_id', 'req_id'] as const),
  ...(['fields', 'log'] as const),
];

export interface LineExport {
  readonly query: Promise<LineQuery>;
  readonly format: 'ndjson' | 'csv';
  /** Only lines that arrived after this one. */
  readonly afterId: string | undefined;
  /** Key of the caller: each has two searches at once. */
  readonly searcher: string;
}

/**
 * Yields lines as pieces of text, in the order of arrival, up to the line that was the last when the export began. So
 * an export that goes on after the last id it has neither repeats nor misses a line. NDJSON that lacks damaged lines
 * ends with one that says so; CSV has no place for it.
 */
export async function* exportLines(
  lines: Pick<LineReads, 'newerThan' | 'lastId'>,
  { query: narrowed, format, afterId = '0', searcher }: LineExport,
): AsyncGenerator<string> {
  const query = await narrowed;
  const yields = new EventLoopYield();
  const end = Number(await lines.lastId());
  const rowOf = format === 'csv' ? toCsv : toJson;
  const damaged: DamagedSpan[] = [];
  let head = format === 'csv' ? csvRow(COLUMNS) : '';
  let limit: number = READ_BATCH.max;
  for (let last = afterId; ; ) {
    const read = () => lines.newerThan(last, limit, query, searcher);
    // An export that has not begun is refused at once; one that has begun could not say so.
    const arrived = last === afterId ? await read() : await patiently(read);
    limit = Math.max(READ_BATCH.min, Math.min(READ_BATCH.max, 2 * arrived.data.length));
    const data = arrived.data.filter(({ id }) => Number(id) <= end);
    // The head comes with the first lines: a refused search is still answered as one.
    if (head !== '') yield head;
    head = '';
    for (let at = 0; at < data.length; at += PART) {
      await yields.pause();
      yield data
        .slice(at, at + PART)
        .map(rowOf)
        .join('');
    }
    last = arrived.last;
    damaged.push(...(arrived.damaged ?? []));
    if (arrived.atEnd || Number(last) >= end) break;
  }
  if (damaged.length > 0 && format === 'ndjson') yield `${JSON.stringify({ complete: false, damaged })}\n`;
}

/** Repeats a read while too many searches wait. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'overloaded' || waits === WAITS_MAX) throw error;
    }
    await setTimeout(BUSY_MS);
  }
}

const toJson = (line: Line) => `${JSON.stringify(line)}\n`;
const toCsv = (line: Line) =>
  csvRow(COLUMNS.map((column) => (column === 'fields' ? JSON.stringify(line.fields) : line[column])));
