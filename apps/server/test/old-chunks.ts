// Packs occurrences as version 0.1 did, for tests of the upgrade.
import type { Occurrence, Packed } from '../src/errlog-store/tables/occurrence-chunk.ts';

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
