// Entries within a time range: count, time and message are those in the range, beside those of all times. Pure.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import type { FeedEvent } from '../live/feed.ts';
import type { RangeBounds } from '../times/range.ts';

type Ever = Pick<ErrlogEntry, 'count' | 'log_time' | 'log'>;

/** An entry whose count, time and message are those in a range; `ever` has those of all times. */
type RangedEntry = ErrlogEntry & { readonly ever?: Ever };

const everIn = ({ count, log_time, log }: ErrlogEntry): Ever => ({ count, log_time, log });

/** Count, time and message of all times; undefined for an entry that was read without a range. */
export const everOf = (entry: RangedEntry): Ever | undefined => entry.ever;

/** Shows an answer of the server as it is in its range. */
export function withRange(entry: ErrlogEntry): RangedEntry {
  const { log_time, log, count_in_range: inRange } = entry;
  if (inRange === undefined) return entry;
  const { log_time_in_range: last = log_time, log_in_range: text = log } = entry;
  return { ...entry, count: inRange, log_time: last, log: text, ever: everIn(entry) };
}

/** The entry as the server sent it. */
export function withoutRange({ ever, ...entry }: RangedEntry): ErrlogEntry {
  return ever === undefined ? entry : { ...entry, ...ever };
}

/** An entry with new values of all times, and the count, time and message in the range that are known. */
export function keepRange(entry: ErrlogEntry, known: RangedEntry | undefined): RangedEntry {
  return known?.ever === undefined ? entry : { ...entry, ...everIn(known), ever: everIn(entry) };
}

/** Adds the occurrences of an event to an entry. */
function addEvent(known: RangedEntry, entry: ErrlogEntry): RangedEntry {
  if (known.ever === undefined) return entry;
  const fresh = Math.max(0, entry.count - known.ever.count);
  return { ...entry, count: known.count + fresh, ever: everIn(entry) };
}

/** The part of a list's state that a range concerns. */
interface RangedRows {
  readonly rows: ReadonlyMap<number, ErrlogEntry>;
  readonly waiting: ReadonlyMap<number, ErrlogEntry>;
  readonly bounds: RangeBounds;
  readonly paused: boolean;
  readonly missed: boolean;
}

type EntryEvent = Extract<FeedEvent, { type: `errlog.${string}` }>;
const isEntryEvent = (event: FeedEvent): event is EntryEvent => event.type.startsWith('errlog.');

/**
 * Returns the events in the range with its counts, and the state before them. An occurrence outside of the range
 * neither adds nor moves a row, but changes other fields in place, such as the state.
 */
export function eventsInRange<S extends RangedRows>(
  state: S,
  events: readonly FeedEvent[],
): [state: S, events: readonly FeedEvent[]] {
  const { start_time: start, end_time: end = Number.POSITIVE_INFINITY } = state.bounds;
  if (start === undefined) return [state, events];
  const counted = new Map<number, ErrlogEntry>();
  const rows = new Map(state.rows);
  const shown: FeedEvent[] = [];
  let { missed } = state;
  for (const event of events) {
    if (!isEntryEvent(event)) {
      shown.push(event);
      continue;
    }
    const { data } = event;
    const row = rows.get(data.id);
    const known = counted.get(data.id) ?? state.waiting.get(data.id) ?? row;
    if (data.log_time < start || data.log_time > end) {
      if (row !== undefined && !state.paused) rows.set(data.id, keepRange({ ...row, ...data }, row));
    } else if (known === undefined && (data.first_seen ?? 0) < start) {
      // Only the server knows the count of a group that happened before the range too.
      missed = true;
    } else {
      const entry = known === undefined ? data : addEvent(known, data);
      counted.set(data.id, entry);
      shown.push({ ...event, data: entry });
    }
  }
  return [{ ...state, rows, missed }, shown];
}
