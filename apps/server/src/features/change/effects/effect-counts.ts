// Occurrences of each error before and after a change, on the hosts that made it and on the others.
import type { Database } from '@quarterdeck/core/db';
import type { EventLoopYield } from '@quarterdeck/core/threads';
import { errlogStore, errorKey, type GroupCounts } from '@quarterdeck/store';
import type { EffectSides, Host } from './effect-sides.ts';
import { type EffectSpan, minutesBefore } from './effect-span.ts';

/** Groups of one read. The event loop is free between two of them. */
const SLICE = 200;
/** Most groups that are compared. */
const GROUPS_MAX = 100_000;

/** Occurrences on one side. */
export interface SideCounts {
  before: number;
  after: number;
  /** Rise of occurrences in a minute, by host. */
  readonly rises: Map<Host, number>;
  readonly groups: number[];
}

/** Occurrences of an error. */
export interface ErrorCounts {
  readonly level: number;
  /** The group with the most occurrences on hosts that made the change, and that number. */
  group: number;
  most: number;
  readonly own: SideCounts;
  readonly others: SideCounts;
}

const noCounts = (): SideCounts => ({ before: 0, after: 0, rises: new Map(), groups: [] });

/** Adds up the occurrences of all errors that happened in a span. `complete`: of all groups. */
export async function countErrors(
  db: Database,
  span: EffectSpan,
  sides: EffectSides,
  eventLoop: EventLoopYield,
): Promise<{ errors: ErrorCounts[]; complete: boolean }> {
  const store = errlogStore(db);
  const errors = new Map<string, ErrorCounts>();
  let last: GroupCounts | undefined;
  for (let read = 0; read < GROUPS_MAX; ) {
    await eventLoop.pause();
    const slice = await store.countsAround(span, last, SLICE);
    for (const group of slice) add(errors, group, sides, span);
    if (slice.length < SLICE) return { errors: [...errors.values()], complete: true };
    read += slice.length;
    last = slice.at(-1);
  }
  return { errors: [...errors.values()], complete: false };
}

function add(errors: Map<string, ErrorCounts>, group: GroupCounts, sides: EffectSides, span: EffectSpan): void {
  const { id, level, before, after } = group;
  if (before + after === 0) return;
  const found = sides.hostOf(group);
  if (found === undefined) return;
  const key = errorKey(group);
  let error = errors.get(key);
  if (error === undefined) {
    error = { level, group: id, most: 0, own: noCounts(), others: noCounts() };
    errors.set(key, error);
  }
  if (found.isOwn && before + after > error.most) {
    error.group = id;
    error.most = before + after;
  }
  const side = found.isOwn ? error.own : error.others;
  const rise = after / span.passed - before / minutesBefore(span);
  side.before += before;
  side.after += after;
  side.rises.set(found.host, (side.rises.get(found.host) ?? 0) + rise);
  side.groups.push(id);
}
