// Export of all groups of a filter: NDJSON for programs, CSV for spreadsheets.
import type { ErrlogEntry, ErrlogFilter } from '@quarterdeck/core';
import type { ErrlogLists } from '../../errlog-store/errlog-store.ts';

/** Formats of an export. */
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const COLUMNS = [
  ...([
    'id',
    'level',
    'count',
    'src',
    'source',
    'host',
    'node_type',
    'node_id',
    'app_id',
    'service',
    'state',
    'until',
    'note',
  ] as const),
  ...(['first_seen', 'log_time', 'fingerprint', 'log'] as const),
];

/**
 * Returns the groups of a filter with an id below `beforeId` as pieces of text. They come by falling id, so that no
 * group is missed or repeated. Resolves when the first piece can be read.
 *
 * @throws AppError `conflict` if a search of lines did not see all of them
 */
export async function exportErrlog(
  lists: Pick<ErrlogLists, 'allGroups'>,
  filter: ErrlogFilter,
  format: ExportFormat,
  beforeId?: number,
): Promise<AsyncGenerator<string>> {
  return piecesOf(await lists.allGroups(filter, beforeId), format);
}

async function* piecesOf(runs: AsyncGenerator<ErrlogEntry[]>, format: ExportFormat): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS);
  for await (const run of runs) {
    yield run.map((group) => (format === 'csv' ? csvRow(group) : `${JSON.stringify(group)}\n`)).join('');
  }
}

const csvRow = (row: ErrlogEntry) => csvLine(COLUMNS.map((column) => row[column]));

const csvLine = (cells: readonly (string | number | null | undefined)[]) => `${cells.map(csvCell).join(',')}\r\n`;

/**
 * Beginnings of text that a spreadsheet runs as a formula, also after a tab or a line break (OWASP, CSV injection).
 */
const FORMULA = /^[=+\-@\t\r\n]/;

/** Formats a cell (RFC 4180). An apostrophe keeps a spreadsheet from running it. */
function csvCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
