// Conditions on many ids at once, in the words of each database.
import type { Dialect } from '@quarterdeck/core/db';

/**
 * A condition on a column: it is among the ids of a subquery. PostgreSQL guesses how many these are, and goes through all
 * of them for every row where it guesses few; an array it hashes.
 */
export const among = (dialect: Dialect, column: string, ids: string) =>
  dialect === 'sqlite' ? `${column} IN (${ids})` : `${column} = ANY(ARRAY(${ids}))`;

/** A condition on a column: it is in a JSON array of numbers. */
export const inJson = (dialect: Dialect, column: string) =>
  among(
    dialect,
    column,
    dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)::int8',
  );
