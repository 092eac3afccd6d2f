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
 * `q` for FTS5 with the trigram tokenizer: all of its runs of three characters, each in quotes; undefined where it has
 * none. Of a long text those at its ends and some in between.
 */
export function trigramQuery(q: string): string | undefined {
  const characters = [...q];
  const all = new Set<string>();
  for (let at = 0; at + 3 <= characters.length; at += 1) all.add(characters.slice(at, at + 3).join(''));
  if (all.size === 0) return undefined;
  const step = Math.max(1, all.size / TRIGRAMS_MAX);
  const trigrams = [...all];
  const some = Array.from({ length: Math.min(all.size, TRIGRAMS_MAX) }, (_, i) => trigrams[Math.floor(i * step)] ?? '');
  return some.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
}
