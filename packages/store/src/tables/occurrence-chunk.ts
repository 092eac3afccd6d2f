// Occurrences of one group as version 0.1 stored them (decision 008): each as what it does not share with the first.
//
// The form is JSON: `[text of the first, occurrence, ...]`. An occurrence is
// `[seconds after the chunk's first, shared at the front, shared at the back, text between, count, req_id, fields]`.
// Empty values at its end are omitted. Lengths are in UTF-16 units.

/** One occurrence, or several equal ones of the same second. */
export interface Occurrence {
  /** Unix seconds. */
  readonly time: number;
  readonly reqId: string;
  readonly count: number;
  readonly log: string;
  /** Parts that cannot be read from the text. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** An occurrence in a chunk. */
export type Packed = [
  after: number,
  front?: number,
  back?: number,
  middle?: string,
  count?: number,
  reqId?: string,
  fields?: Readonly<Record<string, string>>,
];

/** Returns the occurrences of a chunk in the order of arrival. */
export function unpackOccurrences(data: string, fromTime: number): Occurrence[] {
  const [base, ...packed] = JSON.parse(data) as [string, ...Packed[]];
  return packed.map(([after, front = base.length, back = 0, middle = '', count = 1, reqId = '', fields]) => ({
    time: fromTime + after,
    reqId,
    count,
    log: base.slice(0, front) + middle + base.slice(base.length - back),
    fields,
  }));
}
