// Rows of CSV (RFC 4180) that a spreadsheet reads and does not run.

/** Value of a cell; null and undefined are empty. */
export type Cell = string | number | null | undefined;

/** Formats a row. */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/**
 * Beginnings of text that a spreadsheet runs as a formula, also after a tab or a line break (OWASP, CSV injection).
 */
const FORMULA = /^[=+\-@\t\r\n]/;

/** Formats a cell. An apostrophe keeps a spreadsheet from running it. */
function csvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
