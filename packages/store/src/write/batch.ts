// A batch of lines as groups, and the record of what it changes.

import type { ErrlogState } from '@quarterdeck/core';
import { statement } from '@quarterdeck/core/db';
import type { GroupKey } from '../tables/group-key.ts';
import { type GroupStatus, stateAfter } from '../tables/group-state.ts';
import type { LedgerEntries } from '../tables/ledger.ts';
import { minuteOf } from '../tables/minutes.ts';
import type { Counters } from './counters.ts';
import type { NewGroup } from './fresh-segment.ts';
import { isSurplus } from './new-group-limit.ts';
import type { NewLines } from './new-lines.ts';

/** The lines of a batch that belong to one group. */
export interface GroupBatch extends GroupKey {
  readonly nodeType: number;
  /** Program that wrote the lines; empty is none. */
  readonly service: string;
  /** Credential or address that answers for the lines. */
  readonly sender: string;
  /** A rule ignores the lines: a new group is muted. */
  readonly isIgnored?: boolean | undefined;
  /** Sum of the occurrences. */
  count: number;
  /** Unix seconds of the earliest and of the latest occurrence. */
  firstSeen: number;
  logTime: number;
  /** Text of the latest occurrence. */
  readonly log: string;
  /** Numbers of its lines, which rise. */
  readonly lines: number[];
}

/** Lines by group. */
export interface GroupedLines {
  readonly groups: readonly GroupBatch[];
  /** All lines of the groups, and no others. */
  readonly lines: NewLines;
}

/** Returns the lines of a group for the segment. */
export const newGroupOf = (id: number, { level, src, appId, service, lines }: GroupBatch): NewGroup => ({
  group: { id, level, src, appId, service },
  lines,
});

/** Ids of the groups that a batch created, repeated, or changed the state of. */
export interface StoredBatch {
  readonly created: number[];
  readonly repeated: number[];
  readonly regressed: number[];
  readonly unmuted: number[];
}

/** A group before a batch. */
export interface Known extends GroupStatus {
  readonly id: number;
  readonly first_seen: number;
  readonly log_time: number;
  readonly count: number;
  /** 0 or 1. */
  readonly text_stale: number;
}

/** A group seen again, and its state afterwards. */
export interface Repeat {
  readonly group: GroupBatch;
  readonly known: Known;
  readonly state: ErrlogState;
}

/** The columns of {@link Known}, of `errlog e`. */
export const KNOWN =
  'e.id, e.first_seen, e.log_time, e.count, e.text_stale, e.state, e.state_since, e.until, e.until_time, e.until_count';

/** Records the changes of one batch. */
export class Recorder {
  readonly #batch: StoredBatch;
  readonly #counters: Counters;
  readonly #ledger: LedgerEntries;
  readonly lines: NewLines;

  constructor(batch: StoredBatch, counters: Counters, ledger: LedgerEntries, lines: NewLines) {
    this.#batch = batch;
    this.#counters = counters;
    this.#ledger = ledger;
    this.lines = lines;
  }

  /** The server's clock, Unix seconds. */
  get nowS(): number {
    return this.#ledger.nowS;
  }

  /** Records a new group. */
  created(id: number, group: GroupBatch): void {
    if (group.isIgnored !== true) this.#batch.created.push(id);
    this.#counters.groups(group, firstState(group).state, 1);
    this.#countOccurrences(id, group);
  }

  /** Records that no other source has the error of a new group. */
  first(group: GroupBatch): void {
    this.#counters.distinctErrors(group, 1);
  }

  /** Records a group seen again. `rateOver`: its rate ends a mute. */
  repeated(known: Known, group: GroupBatch, rateOver: boolean): Repeat {
    const { id } = known;
    this.#batch.repeated.push(id);
    this.#countOccurrences(id, group);
    let state = stateAfter(known, group.logTime, known.count + group.count);
    if (state === 'muted' && rateOver) state = 'ongoing';
    if (state !== known.state) {
      this.#counters.groups(group, known.state, -1);
      this.#counters.groups(group, state, 1);
      (state === 'regressed' ? this.#batch.regressed : this.#batch.unmuted).push(id);
    }
    return { known, group, state };
  }

  #countOccurrences(id: number, group: GroupBatch): void {
    this.#ledger.add(group.src, isSurplus(group) ? 'flood' : 'grouped', group.count);
    const last = minuteOf(group.logTime);
    if (minuteOf(group.firstSeen) === last) this.#counters.occurrences(id, group, last, group.count);
    else this.#countByMinute(id, group);
  }

  /** Counts the occurrences of a group by minute. Its lines are nearly in the order of their times. */
  #countByMinute(id: number, group: GroupBatch): void {
    const { times, counts } = this.lines;
    let [minute, n] = [0, 0];
    for (const number of group.lines) {
      const next = minuteOf(times[number] as number);
      if (next !== minute && n > 0) {
        this.#counters.occurrences(id, group, minute, n);
        n = 0;
      }
      minute = next;
      n += counts[number] as number;
    }
    if (n > 0) this.#counters.occurrences(id, group, minute, n);
  }
}

/** The state of a new group. */
export const firstState = ({ isIgnored = false }: Pick<GroupBatch, 'isIgnored'>) =>
  isIgnored ? ({ state: 'muted', until: 'forever' } as const) : ({ state: 'new', until: '' } as const);

/** Sets the state of a group seen again and clears the end of its mute. */
export const SET_STATE = statement(
  "UPDATE errlog SET state = ?, state_since = ?, until = '', until_time = 0, until_count = 0 WHERE id = ?",
);
