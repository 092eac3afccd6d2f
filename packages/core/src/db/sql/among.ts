// Conditions on many ids, in the dialect of each database.
import type { Dialect } from '../open/index.ts';

/**
 * Condition: a column is among the ids of a subquery. PostgreSQL estimates their number, and scans them for every row
 * where it estimates few; it hashes an array.
 */
export const among = (dialect: Dialect, column: string, ids: string) =>
  dialect === 'sqlite' ? `${column} IN (${ids})` : `${column} = ANY(ARRAY(${ids}))`;

/** Condition: a column is in a JSON array of numbers. */
export const inJson = (dialect: Dialect, column: string) =>
  among(
    dialect,
    column,
    dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)::int8',
  );

/** Condition: a column is in a JSON array of texts. */
export const inJsonTexts = (dialect: Dialect, column: string) =>
  among(
    dialect,
    column,
    dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)',
  );
