// Search for a piece of text, taken literally, in any case of ASCII letters.
import type { Dialect } from '@quarterdeck/core/db';

/**
 * Condition that a column contains a text, with {@link likePattern} as its value. Both databases agree, whatever the
 * locale: SQLite folds ASCII letters only, and so does the collation `C`. `matchesErrlog` of core does the same.
 */
export const likeText = (dialect: Dialect, column: string) =>
  dialect === 'sqlite'
    ? `${column} LIKE ? ESCAPE '\\'`
    : `lower(${column} COLLATE "C") LIKE lower(? COLLATE "C") ESCAPE '\\'`;

/** `q` as a pattern without wildcards. */
export const likePattern = (q: string) => `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`;
