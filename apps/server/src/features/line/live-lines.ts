// Sends lines to subscribers soon after they are stored, by this server or another one on the same database. All
// subscribers share one read of the new lines.
import { setImmediate } from 'node:timers/promises';
import { AppError, type ErrlogEntry, type Line, type LinesMissed } from '@quarterdeck/core';
import type { ErrlogReads, LineReads } from '@quarterdeck/store';
import type { Logger } from 'pino';
import type { LiveFilter } from './live-filter.ts';

/** Milliseconds between two looks for new lines. */
const POLL_MS = 250;
const READ_BATCH = 1_000;
/** Reads of one look. Lines beyond them are missed by everybody, so that a flood does not occupy the server. */
const READS_MAX = 4;
/** Lines offered before the event loop handles others, which also lets their connections take them. */
const PART = 32;
/** Lines that one subscriber gets of one look, which makes 1,000 in a second. */
const SENT_MAX = 250;
/** Lines that a subscriber who was away gets afterwards. */
const CAUGHT_UP_MAX = 10_000;

export interface LineSubscriber {
  readonly filter: LiveFilter;
  /** Called for each line in the order of arrival. `json` is its text on the wire. */
  readonly onLine: (id: number, json: string) => void;
  /** Called where lines up to an id were left out. */
  readonly onMissed: (id: number, missed: LinesMissed) => void;
  /** True where the subscriber is too slow: it misses lines until it has caught up. */
  readonly isBehind: () => boolean;
  /** Awaited before each line that was missed while away; false where the client has gone. */
  readonly ready: () => Promise<boolean>;
}

export interface LineSubscription {
  /** Id up to which the subscriber has all lines, or knows that it missed some. */
  position(): number;
  stop(): void;
}

/** Live lines of this process. */
export interface LiveLines {
  /** Id of the last line that subscribers have seen. */
  position(): Promise<number>;
  /** Subscribes to the lines after an id. Resolves when the subscriber has those stored so far. */
  subscribe(subscriber: LineSubscriber, after: number): Promise<LineSubscription>;
  close(): void;
}

interface LiveLinesDeps {
  readonly lines: Pick<LineReads, 'newerThan' | 'lastId'>;
  readonly groups: Pick<ErrlogReads, 'groupsById'>;
  readonly log: Logger;
}

type Groups = ReadonlyMap<number, ErrlogEntry>;
const NO_GROUPS: Groups = new Map();

/** Creates the live lines of a process. It reads nothing while there is no subscriber. */
export function createLiveLines({ lines, groups, log }: LiveLinesDeps): LiveLines {
  const live = new Set<Receiver>();
  let position = 0;
  let isPolling = false;
  let timer: NodeJS.Timeout | undefined;

  async function groupsOf(arrived: readonly Line[], receivers: readonly Receiver[]): Promise<Groups> {
    if (arrived.length === 0 || !receivers.some(({ needsGroup }) => needsGroup)) return NO_GROUPS;
    const entries = await groups.groupsById([...new Set(arrived.map(({ group }) => group))]);
    return new Map(entries.map((entry) => [entry.id, entry]));
  }

  /** Reads what the tests of some lines need. What a subscriber may see is at least as new as the lines. */
  async function prepared(arrived: readonly Line[], receivers: readonly Receiver[]): Promise<Groups> {
    if (arrived.length > 0) await Promise.all(receivers.map((receiver) => receiver.prepare()));
    return groupsOf(arrived, receivers);
  }

  async function readNew(): Promise<void> {
    // Most looks find nothing, and this costs less than a search.
    if (Number(await lines.lastId()) <= position) return;
    for (let reads = 0; reads < READS_MAX; reads += 1) {
      const { data, last, atEnd } = await lines.newerThan(String(position), READ_BATCH);
      const receivers = [...live];
      const from = position;
      // A later subscriber reads these lines itself.
      position = Number(last);
      const found = await prepared(data, receivers).catch((error: unknown) => {
        position = from;
        throw error;
      });
      for (let at = 0; at < data.length; at += PART) {
        offer(receivers, data.slice(at, at + PART), found);
        await setImmediate();
      }
      for (const receiver of receivers) receiver.advance(position);
      if (atEnd) return;
    }
    position = Number(await lines.lastId());
    for (const receiver of live) receiver.skipTo(position);
  }

  function offer(receivers: readonly Receiver[], part: readonly Line[], found: Groups): void {
    for (const line of part) {
      const json = lazily(() => JSON.stringify(line));
      for (const receiver of receivers) receiver.offer(line, found.get(line.group), json);
    }
  }

  async function poll(): Promise<void> {
    isPolling = true;
    try {
      await readNew();
      for (const receiver of live) receiver.endLook();
    } catch (error) {
      // The next look reads from the same line on, so none is skipped.
      if (!(error instanceof AppError)) log.warn({ err: error }, 'new lines could not be read');
    } finally {
      isPolling = false;
      schedule();
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = live.size === 0 || isPolling ? undefined : setTimeout(() => void poll(), POLL_MS);
  }

  /** Reads what is stored until the receiver can go on with the others, unless its client leaves. */
  async function catchUp(receiver: Receiver): Promise<void> {
    let looked = 0;
    for (;;) {
      // Stored lines are searched for those of the sources that are known now.
      await receiver.prepare();
      const { data, last, atEnd } = await lines.newerThan(String(receiver.seen), READ_BATCH, receiver.query);
      const found = await prepared(data, [receiver]);
      for (const line of data) {
        if (!(await receiver.ready())) return;
        receiver.send(line, found.get(line.group));
      }
      receiver.advance(Number(last));
      looked += data.length;
      const isAlone = live.size === 0 && !isPolling;
      if (isAlone ? atEnd : receiver.seen >= position) {
        if (isAlone) position = receiver.seen;
        // Looks begin at `position` and skip what this receiver has seen, so there is no gap.
        live.add(receiver);
        return;
      }
      if (looked < CAUGHT_UP_MAX) continue;
      receiver.skipTo(Number(await lines.lastId()));
      receiver.endLook();
    }
  }

  return {
    position: async () => (live.size > 0 ? position : Number(await lines.lastId())),
    async subscribe(subscriber, after) {
      const receiver = new Receiver(subscriber, after);
      await catchUp(receiver);
      if (timer === undefined) schedule();
      const stop = () => {
        live.delete(receiver);
        if (live.size === 0) schedule();
      };
      return { position: () => receiver.delivered, stop };
    },
    close() {
      live.clear();
      schedule();
    },
  };
}

/** A subscriber with its place in the lines. */
class Receiver {
  readonly #subscriber: LineSubscriber;
  /** Id of the last line that was compared with the filter, or skipped. */
  seen: number;
  /** Id up to which the subscriber knows everything. */
  delivered: number;
  #sent = 0;
  #missed = 0;
  #isExact = true;

  constructor(subscriber: LineSubscriber, after: number) {
    this.#subscriber = subscriber;
    this.seen = after;
    this.delivered = after;
  }

  get needsGroup(): boolean {
    return this.#subscriber.filter.needsGroup;
  }

  get query() {
    return this.#subscriber.filter.query;
  }

  async prepare(): Promise<void> {
    await this.#subscriber.filter.prepare?.();
  }

  ready(): Promise<boolean> {
    return this.#subscriber.ready();
  }

  /** Sends a new line if it matches and there is room; counts it otherwise. */
  offer(line: Line, group: ErrlogEntry | undefined, json: () => string): void {
    const id = Number(line.id);
    if (id <= this.seen) return;
    const { filter, isBehind, onLine } = this.#subscriber;
    const isMatch = filter.matchesLine(line, group);
    // After the first missed line all are missed until the subscriber learns of it, so that the lines have one gap.
    const isMissed = isMatch && (this.#missed > 0 || this.#sent === SENT_MAX || isBehind());
    if (isMissed) this.#missed += 1;
    this.advance(id);
    if (!isMatch || isMissed) return;
    this.#sent += 1;
    onLine(id, json());
  }

  /** Sends a stored line if it matches. */
  send(line: Line, group: ErrlogEntry | undefined): void {
    this.advance(Number(line.id));
    const { filter, onLine } = this.#subscriber;
    if (filter.matchesLine(line, group)) onLine(this.seen, JSON.stringify(line));
  }

  /** Notes that all lines up to an id were looked at. */
  advance(id: number): void {
    this.seen = Math.max(this.seen, id);
    if (this.#missed === 0) this.delivered = this.seen;
  }

  /** Skips the lines up to an id. Ids have holes, so their number is an upper bound. */
  skipTo(id: number): void {
    if (id <= this.seen) return;
    // The number of all lines is nothing for a subscriber who sees a part of them.
    this.#missed += this.#subscriber.filter.seesPart ? 1 : id - this.seen;
    this.#isExact = false;
    this.seen = id;
  }

  /** Ends a look for new lines: tells the subscriber what it missed, as soon as it reads again. */
  endLook(): void {
    this.#sent = 0;
    const { isBehind, onMissed } = this.#subscriber;
    if (this.#missed === 0 || isBehind()) return;
    const missed = { count: this.#missed, exact: this.#isExact };
    this.#missed = 0;
    this.#isExact = true;
    this.delivered = this.seen;
    onMissed(this.seen, missed);
  }
}

/** Computes a value when it is first needed. */
function lazily<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}
