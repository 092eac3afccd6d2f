/** Largest integer of a column of both databases, and so of ids, times in seconds and counts on the wire. */
export const INT_MAX = 2 ** 31 - 1;
