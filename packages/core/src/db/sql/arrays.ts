// Lists as parameters of statements on PostgreSQL: literals of arrays, which it reads in a third of the time of JSON.

/** An array of numbers, for `?::int[]` and the like. */
export const numberArray = (list: Iterable<number>): string => `{${Array.from(list).join(',')}}`;

/** An array of texts, for `?::text[]`. */
export const textArray = (list: readonly string[]): string => `{${list.map(quoted).join(',')}}`;

const quoted = (text: string) => `"${SPECIAL.test(text) ? text.replace(ALL_SPECIAL, '\\$&') : text}"`;

const SPECIAL = /["\\]/;
const ALL_SPECIAL = /["\\]/g;
