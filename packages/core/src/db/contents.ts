// The contents of a database in numbers, for the manifest of a backup.
import { visibleText } from '../base/visible-text.ts';

/** The contents of a database. */
export interface DatabaseContents {
  /** Applied migrations, oldest first. */
  readonly migrations: readonly string[];
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Returns the statement that counts the rows of a table. */
export const countStatement = (table: string): string => `SELECT count(*) AS n FROM "${table.replaceAll('"', '""')}"`;

/** Objects that a message names at most. */
const NAMED_MAX = 5;

/** Tells a person that a backup holds objects that are not of Quarterdeck. */
export function foreignText(what: string, objects: readonly string[]): string {
  // Their names come from the backup.
  const shown = objects.slice(0, NAMED_MAX).map((name) => visibleText(name).slice(0, 100));
  const more = objects.length - shown.length;
  const names = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `${what} holds objects that are not of Quarterdeck, which could run with its writes: ${names}. It cannot be restored.`;
}

/** A copy of a database in one file. */
export interface DatabaseCopy {
  readonly bytes: number;
  /** Digest of the file, in hexadecimal. */
  readonly sha256: string;
  readonly contents: DatabaseContents;
}
