// Exports rows to a file: CSV of the columns, or JSON and NDJSON of all fields.
import { writeFile } from 'node:fs/promises';
import { type Column, cellText } from '../components/list/column.ts';
import { plural } from '../text/format.ts';

/** Formats by file extension. */
const FORMATS = ['csv', 'json', 'ndjson'] as const;

/** Format of a file. */
export type ExportFormat = (typeof FORMATS)[number];

/** Returns the format of a file name; undefined if its extension is unknown. */
export const formatOf = (path: string): ExportFormat | undefined =>
  FORMATS.find((format) => path.endsWith(`.${format}`));

// Beginnings that a spreadsheet would run as a formula.
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Renders rows as text. CSV has the columns as shown, in their order. */
export function exportText<T>(format: ExportFormat, columns: readonly Column<T>[], rows: readonly T[]): string {
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const lines = [
    columns.map(({ title }) => csvCell(title)),
    ...rows.map((row) => columns.map((column) => csvCell(cellText(column, row).trim()))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/**
 * Writes a new file that only its owner can read.
 * @returns a message.
 * @throws Error with a message for the user.
 */
export async function exportRows<T>(path: string, columns: readonly Column<T>[], rows: readonly T[]): Promise<string> {
  const format = formatOf(path);
  if (format === undefined) throw new Error('The file name must end in .csv, .json or .ndjson.');
  try {
    await writeFile(path, exportText(format, columns, rows), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'EEXIST' ? 'File already exists; nothing was written.' : `Cannot write the file (${code}).`,
    );
  }
  return `Wrote ${plural(rows.length, 'row')}.`;
}
