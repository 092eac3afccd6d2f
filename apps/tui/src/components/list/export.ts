// Exports rows to a file: CSV of the columns, or JSON and NDJSON of all fields.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { plural } from '@quarterdeck/views/text';
import { type Column, cellText } from './column.ts';

/** Formats by file extension. */
const FORMATS = ['csv', 'json', 'ndjson'] as const;

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

/** A glyph in front of a word says the same as the word. */
const GLYPH = /^[●○◐◇◆◈▲△▸↺✓✖·■□▣◉] (?=\p{L})/u;

/** Returns the cell of a CSV file: times in full and in UTC, words without their glyph. */
function exportedCell<T>(column: Column<T>, row: T): string {
  const timeS = column.moment?.(row) ?? 0;
  if (timeS > 0) return new Date(timeS * 1000).toISOString();
  return cellText(column, row).trim().replace(GLYPH, '');
}

/** Renders rows as text. CSV has the columns as shown, in their order. */
export function exportText<T>(format: ExportFormat, columns: readonly Column<T>[], rows: readonly T[]): string {
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const lines = [
    columns.map(({ title }) => csvCell(title)),
    ...rows.map((row) => columns.map((column) => csvCell(exportedCell(column, row)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** The file exists and may not be replaced without a question. */
export class FileExists extends Error {}

/** Returns the path that a user typed; `~` is the home folder. */
export const fullPath = (typed: string): string => resolve(typed.trim().replace(/^~(?=$|\/)/, homedir()));

function knownFormat(path: string): ExportFormat {
  const format = formatOf(path);
  if (format === undefined) throw new Error('The file name must end in .csv, .json or .ndjson.');
  return format;
}

/**
 * Checks a path before rows are read for it.
 * @throws Error with a message for the user; {@link FileExists} for a file that exists.
 */
export function checkPath(path: string): void {
  knownFormat(path);
  if (existsSync(path)) throw new FileExists(`${path} already exists.`);
}

/**
 * Writes rows to a file that only its owner can read; replaces a file only if `overwrites`.
 * @returns a message.
 * @throws Error with a message for the user.
 */
export async function exportRows<T>(
  path: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
  overwrites = false,
): Promise<string> {
  const format = knownFormat(path);
  try {
    await writeFile(path, exportText(format, columns, rows), { flag: overwrites ? 'w' : 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST'
      ? new FileExists('File already exists; nothing was written.')
      : new Error(`Cannot write ${path} (${code}).`);
  }
  return `Wrote ${plural(rows.length, 'row')} to ${path}.`;
}
