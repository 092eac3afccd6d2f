// A piece of text to look for, taken literally, in any case of ASCII letters: as a condition that decides, and as the
// trigrams that find what may fit.
import type { Dialect } from '@quarterdeck/core/db';

/**
 * The condition that decides, with {@link likePattern} as its value. The same on both databases, whatever the locale:
 * SQLite knows the case of ASCII letters only, and so does the collation `C`. `matchesErrlog` of core does the same.
 */
export const likeText = (dialect: Dialect, column: string) =>
  dialect === 'sqlite'
    ? `${column} LIKE ? ESCAPE '\\'`
    : `lower(${column} COLLATE "C") LIKE lower(? COLLATE "C") ESCAPE '\\'`;

/** `q` as a pattern in which nothing is special. */
export const likePattern = (q: string) => `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** More trigrams than this find no fewer groups. */
const TRIGRAMS_MAX = 24;

/**
 * `q` for FTS5 with the trigram tokenizer: pieces of three characters, side by side, that cover all of it, each in
 * quotes; undefined where it has none. Overlapping ones would find little less, and each costs a walk through all groups
 * that have it.
 */
export function trigramQuery(q: string): string | undefined {
  const characters = [...q];
  if (characters.length < 3) return undefined;
  const trigrams = new Set<string>();
  for (let at = 0; at < characters.length && trigrams.size < TRIGRAMS_MAX; at += 3) {
    const from = Math.min(at, characters.length - 3);
    trigrams.add(characters.slice(from, from + 3).join(''));
  }
  return [...trigrams].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
}
