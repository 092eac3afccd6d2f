// HTML from text.

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** Escapes text, and shows its parts in backquotes as code. */
export const prose = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** A row of a table: its first cell is the heading. */
export const row = (heading: string, ...cells: readonly string[]): string => rowWithId(undefined, heading, ...cells);

/** A row that links can point to. */
export const rowWithId = (id: string | undefined, heading: string, ...cells: readonly string[]): string =>
  `<tr${id === undefined ? '' : ` id="${id}"`}><th scope="row">${heading}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

/** A table with a title; nothing without rows. */
export const titledTable = (title: string, rows: readonly string[]): string =>
  rows.length === 0 ? '' : `<h4>${title}</h4>${table(rows)}`;

/** Joins rows, which are escaped HTML already, into a table. */
export const table = (rows: readonly string[]): string => `<table>${rows.join('')}</table>`;
