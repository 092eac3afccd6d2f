// Occurrences of one group, packed. Their texts differ in a client's address or a number, so each is stored as what it
// does not share with the first: a fifth of the space, and one row for all that arrived together (decision 008).
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

type Packed = [
  after: number,
  front?: number,
  back?: number,
  middle?: string,
  count?: number,
  reqId?: string,
  fields?: Readonly<Record<string, string>>,
];

/** Packs occurrences. `fromTime` is the earliest of their times. */
export function packOccurrences(occurrences: readonly Occurrence[], fromTime: number): string {
  const base = occurrences[0]?.log ?? '';
  const packed = occurrences.map((occurrence) => pack(base, occurrence, fromTime));
  return JSON.stringify([base, ...packed]);
}

function pack(base: string, { time, reqId, count, log, fields }: Occurrence, fromTime: number): Packed {
  const after = time - fromTime;
  const plain = count === 1 && reqId === '' && fields === undefined;
  if (log === base) {
    if (plain) return [after];
    return fields === undefined
      ? [after, base.length, 0, '', count, reqId]
      : [after, base.length, 0, '', count, reqId, fields];
  }
  const front = sharedFront(base, log);
  const back = sharedBack(base, log, front);
  const middle = log.slice(front, log.length - back);
  if (plain) return [after, front, back, middle];
  return fields === undefined
    ? [after, front, back, middle, count, reqId]
    : [after, front, back, middle, count, reqId, fields];
}

function sharedFront(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < max && a.charCodeAt(shared) === b.charCodeAt(shared)) shared += 1;
  // Half a character is not well-formed Unicode, which PostgreSQL refuses.
  return shared > 0 && isHighSurrogate(a.charCodeAt(shared - 1)) ? shared - 1 : shared;
}

function sharedBack(a: string, b: string, front: number): number {
  const max = Math.min(a.length, b.length) - front;
  let shared = 0;
  while (shared < max && a.charCodeAt(a.length - 1 - shared) === b.charCodeAt(b.length - 1 - shared)) shared += 1;
  return shared > 0 && isLowSurrogate(a.charCodeAt(a.length - shared)) ? shared - 1 : shared;
}

const isHighSurrogate = (unit: number) => (unit & 0xfc00) === 0xd800;
const isLowSurrogate = (unit: number) => (unit & 0xfc00) === 0xdc00;

/** Reverses {@link packOccurrences}; in the order in which they were packed. */
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
