// Search for a piece of text, taken literally, in any case of ASCII letters.
import type { Dialect } from '../open/index.ts';

/**
 * Condition that a column contains a text, with {@link likePattern} as its value. Both databases agree, whatever the
 * locale: SQLite folds ASCII letters only, and so does the collation `C`. `matchesErrlog` of core does the same.
 */
export const likeText = (dialect: Dialect, column: string) =>
  dialect === 'sqlite'
    ? `${column} LIKE ? ESCAPE '\\'`
    : `${lowerText(dialect, column)} LIKE lower(? COLLATE "C") ESCAPE '\\'`;

/** A column with its ASCII letters in lower case. */
export const lowerText = (dialect: Dialect, column: string) =>
  dialect === 'sqlite' ? `lower(${column})` : `lower(${column} COLLATE "C")`;

const withoutWildcards = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&');

/** `q` as a pattern without wildcards. */
export const likePattern = (q: string) => `%${withoutWildcards(q)}%`;

/** Pattern of the texts that begin with a prefix. */
export const likePrefix = (prefix: string) => `${withoutWildcards(prefix)}%`;
