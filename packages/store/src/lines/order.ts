// Orders in which lines are read.

/** Position of a line in an order: a smaller one comes first. */
export interface Rank {
  readonly major: number;
  readonly minor: number;
}

/** Order of lines: by time and then arrival, or by arrival alone. */
export type LineOrder = 'newest' | 'oldest' | 'last arrived' | 'first arrived';

/** Start of a search, and the order in which it goes on. */
export interface LinePlace {
  readonly order: LineOrder;
  /** Only lines behind this one by time, in the direction of the order; `time` is in Unix seconds. */
  readonly bound?: { readonly time: number; readonly id: number };
  /** Only lines behind this id by arrival, in the direction of the order. */
  readonly arrived?: number;
}

export const isBefore = (a: Rank, b: Rank): boolean => a.major < b.major || (a.major === b.major && a.minor < b.minor);

export const isByTime = (order: LineOrder): boolean => order === 'newest' || order === 'oldest';

/** Reports whether the order is the reverse of the one in which places of a segment are kept. */
export const isReverse = (order: LineOrder): boolean => order === 'newest' || order === 'last arrived';

/** Rank of a line. `time` is in Unix seconds. */
export function rankOf(order: LineOrder, time: number, id: number): Rank {
  const sign = isReverse(order) ? -1 : 1;
  return isByTime(order) ? { major: sign * time, minor: sign * id } : { major: sign * id, minor: 0 };
}

/** A span of times and of ids. */
export interface LineSpan {
  readonly from: number;
  readonly to: number;
  readonly firstId: number;
  readonly lastId: number;
}

/** The earliest rank that a line of a span can have. */
export const firstRank = (order: LineOrder, { from, to, firstId, lastId }: LineSpan): Rank =>
  isReverse(order) ? rankOf(order, to, lastId) : rankOf(order, from, firstId);
