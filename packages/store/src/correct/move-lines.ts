// Moves stored lines from the groups of some errors to those of another one, segment by segment.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import { compileExpression } from '@quarterdeck/core/filter';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import { EventLoopYield } from '@quarterdeck/core/threads';
import { newestTexts } from '../packing/newest-texts.ts';
import { runTask } from '../packing/packing-task.ts';
import { PackingThread } from '../packing/packing-thread.ts';
import { replaceSegments, segmentAfter, stretchOf } from '../packing/segment-table.ts';
import { DamagedPart } from '../segments/damage.ts';
import { idsOfGroups, SegmentReader } from '../segments/segment-reader.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { minutesOfGroup } from '../tables/group-minutes.ts';
import { readMoved } from '../tables/moved-groups.ts';
import { lastLineId, type StoredSegment } from '../tables/segment-rows.ts';
import {
  Correction,
  type GroupRow,
  insertRow,
  type Minutes,
  nextId,
  readRows,
  removeRow,
  replaceRow,
  rowsOfError,
  takeMinutes,
} from './group-rows.ts';
import { addHistory, type By, redirect, type SavedGroup, type StepHooks } from './merge-groups.ts';
import { isSame, placesOf, sumOf, type Taken, take } from './taken-lines.ts';

/** Lines that belong to another error than that of their groups. */
export interface LineMove {
  readonly level: number;
  readonly appId: number;
  readonly service: string;
  /** Errors of the groups that the lines are in. */
  readonly from: readonly string[];
  /** The error that they belong to. */
  readonly target: string;
  /** Expression that they match; empty: their text has the fingerprint `target`. */
  readonly expression: string;
  /** The alias whose merged groups come back as they were. */
  readonly formerOf: number | undefined;
}

/** Parts that only a change needs. */
interface Change {
  readonly by: By;
  readonly hooks: StepHooks;
}

/** The groups that lines are taken from: each with the ids that its lines are stored under. */
interface Givers {
  readonly groups: ReadonlyMap<number, GroupRow>;
  /** Stored id -> group. Lines that were stored under a group that comes back are not moved. */
  readonly ofStored: ReadonlyMap<number, number>;
}

/** A segment that was packed before the write, for the groups that were known then. */
interface Prepared {
  readonly takers: ReadonlyMap<number, number>;
  readonly packed: readonly StoredSegment[];
}

const NO_GIVERS: Givers = { groups: new Map(), ofStored: new Map() };

const FORMER = statement(
  'SELECT former_id, errlog_id, saved, moved_ms FROM errlog_moved WHERE alias_id = ? ORDER BY former_id',
);
const REMOVE_MOVED = statement('DELETE FROM errlog_moved WHERE former_id = ?');
const LAST_TEXT = statement(
  "SELECT log FROM errlog_history WHERE other_id = ? AND action = 'merge' ORDER BY id DESC LIMIT 1",
);

interface Former {
  readonly former_id: number;
  readonly errlog_id: number;
  readonly saved: string;
  readonly moved_ms: number;
}

/** Stands for no alias: the group does not come back. */
const NO_ALIAS = 0;
const LINES_AT_ONCE = 1_000;
/** Segments that the last step takes at most: no line is stored meanwhile. */
const LAST_SEGMENTS = 20;
/** Sources whose groups give lines at most. */
const SOURCES_MAX = 100_000;

/** Moves the lines of one correction. */
export class LineMover {
  readonly #db: Database;
  readonly #move: LineMove;
  readonly #change: Change | undefined;
  readonly #isMoved: (log: string) => boolean;
  readonly #eventLoop = new EventLoopYield();

  constructor(db: Database, move: LineMove, change?: Change) {
    this.#db = db;
    this.#move = move;
    this.#change = change;
    const { expression, target, service } = move;
    this.#isMoved =
      expression === ''
        ? (log) => fingerprint(log, service) === target
        : compileExpression({ source: expression, flags: '' });
  }

  /** Counts the lines, as occurrences, that would be moved: those that come back with their group, too. */
  async count(): Promise<number> {
    const givers = await this.#givers(this.#db.read);
    let count = 0;
    for (const { saved } of await this.#formers(this.#db.read)) count += (JSON.parse(saved) as SavedGroup).count;
    for (let after = 0; ; ) {
      const segment = await segmentAfter(this.#db.read.sql, after);
      if (segment === undefined) return count;
      after = segment.last_id;
      for (const taken of (await this.#taken(segment, givers)).values()) count += taken.count;
    }
  }

  /**
   * Moves all lines; returns their number. `settle` is called in the last write and returns false where another server
   * has settled the correction.
   */
  async run(settle: (tx: Tx) => Promise<boolean>): Promise<number> {
    const thread = new PackingThread();
    let moved = 0;
    try {
      for (let after = 0; ; ) {
        const walked = await this.#walk(after, thread);
        moved += walked.moved;
        after = walked.after;
        const last = await this.#finish(after, settle);
        moved += last.moved;
        if (last.isSettled) return moved;
      }
    } finally {
      await thread.end();
    }
  }

  /** Moves the lines of all segments behind a line. */
  async #walk(from: number, thread: PackingThread): Promise<{ readonly moved: number; readonly after: number }> {
    let [after, moved] = [from, 0];
    let [givers, knownTo] = [NO_GIVERS, 0];
    for (;;) {
      const segment = await segmentAfter(this.#db.read.sql, after);
      if (segment === undefined) return { moved, after };
      if (segment.last_id > knownTo) {
        knownTo = await lastLineId(this.#db.read.sql);
        givers = await this.#givers(this.#db.read);
      }
      const taken = await this.#taken(segment, givers);
      if (taken.size > 0) {
        const takers = await this.#takers(this.#db.read, taken);
        // The thread takes the bytes of the segment.
        const read = { ...segment, groups: Buffer.from(segment.groups) };
        const packed = takers && (await thread.run({ kind: 'move', segments: [segment], to: placesOf(taken, takers) }));
        const prepared = takers && packed && { takers, packed };
        const done = await this.#db.write(
          async (tx) => {
            await lockGroups(tx, this.#db.dialect);
            return await this.#apply(tx, read, taken, prepared);
          },
          { bulk: true },
        );
        // Another server has replaced the segment, or moved its lines.
        if (!done) continue;
        moved += sumOf(taken);
      }
      after = segment.last_id;
    }
  }

  /** Moves what arrived since, and settles unless too much did. */
  #finish(from: number, settle: (tx: Tx) => Promise<boolean>): Promise<{ moved: number; isSettled: boolean }> {
    const { dialect } = this.#db;
    return this.#db.write(
      async (tx) => {
        await lockGroups(tx, dialect);
        let moved = 0;
        let after = from;
        for (let n = 0; ; n += 1) {
          const segment = await segmentAfter(tx.sql, after);
          if (segment === undefined) break;
          if (n === LAST_SEGMENTS) return { moved, isSettled: false };
          const taken = await this.#taken(segment, await this.#givers(tx));
          if (taken.size > 0) {
            if (!(await this.#apply(tx, segment, taken, undefined)))
              throw new Error('a segment changed under the lock');
            moved += sumOf(taken);
          }
          after = segment.last_id;
        }
        const correction = await this.#begin(tx);
        for (const former of await this.#formers(tx)) await this.#bringBack(correction, former);
        await correction.end();
        const givers = await this.#givers(tx);
        if (await settle(tx)) await this.#renewTexts(tx, [...givers.groups.values()]);
        const takers = await rowsOfError(tx, this.#target, -1, SOURCES_MAX);
        await this.#change?.hooks.onStep(tx, [...givers.groups.keys(), ...takers.map(({ id }) => id)]);
        return { moved, isSettled: true };
      },
      { bulk: true },
    );
  }

  get #target() {
    const { target, level, appId, service } = this.#move;
    return { fingerprint: target, level, appId, service };
  }

  #begin(tx: Tx): Promise<Correction> {
    const { from, level, appId, service } = this.#move;
    const givers = from.map((print) => ({ fingerprint: print, level, appId, service }));
    return Correction.begin(tx, this.#db.dialect, [...givers, this.#target]);
  }

  /** The groups that lines are taken from as they are now. */
  async #givers(tx: Pick<Tx, 'sql'>): Promise<Givers> {
    const { from, level, appId } = this.#move;
    const groups = new Map<number, GroupRow>();
    for (const print of from) {
      for (const row of await rowsOfError(tx, { fingerprint: print, level, appId }, -1, SOURCES_MAX))
        groups.set(row.id, row);
    }
    const formers = new Set((await this.#formers(tx)).map(({ former_id: id }) => id));
    const ofStored = new Map([...groups.keys()].map((id) => [id, id]));
    for (const [id, into] of await readMoved(tx.sql)) if (groups.has(into) && !formers.has(id)) ofStored.set(id, into);
    return { groups, ofStored };
  }

  #formers({ sql }: Pick<Tx, 'sql'>): Promise<Former[]> {
    const { formerOf } = this.#move;
    return formerOf === undefined ? Promise.resolve([]) : sql.all<Former>(FORMER, formerOf);
  }

  /** The lines of a segment to be moved, by their present group. A damaged segment has none. */
  async #taken(segment: StoredSegment, { ofStored }: Givers): Promise<Map<number, Taken>> {
    const taken = new Map<number, Taken>();
    try {
      if (!idsOfGroups(segment).some((id) => ofStored.has(id))) return taken;
      const reader = new SegmentReader(segment);
      const { time, count, group: groupOf } = reader.numbers;
      for (let place = 0; place < segment.n; place += 1) {
        if (place % LINES_AT_ONCE === 0) await this.#eventLoop.pause();
        const giver = ofStored.get(reader.groupList.ids[groupOf[place] as number] as number);
        if (giver === undefined) continue;
        const log = reader.log(place);
        if (this.#isMoved(log)) take(taken, giver, { place, log, time: time[place] ?? 0, count: count[place] ?? 1 });
      }
      return taken;
    } catch (error) {
      if (error instanceof DamagedPart) return new Map();
      throw error;
    }
  }

  /** The groups that take the lines of each giver; undefined unless there are all of them. */
  async #takers(tx: Pick<Tx, 'sql'>, taken: ReadonlyMap<number, Taken>): Promise<Map<number, number> | undefined> {
    const bySrc = new Map((await rowsOfError(tx, this.#target, -1, SOURCES_MAX)).map(({ src, id }) => [src, id]));
    const takers = new Map<number, number>();
    for (const { id, src } of await readRows(tx, this.#db.dialect, [...taken.keys()])) {
      const taker = bySrc.get(src);
      if (taker === undefined) return undefined;
      takers.set(id, taker);
    }
    return takers;
  }

  /** Moves the lines of a segment and their numbers, under the lock. False where the segment was replaced. */
  async #apply(
    tx: Tx,
    segment: StoredSegment,
    taken: ReadonlyMap<number, Taken>,
    prepared: Prepared | undefined,
  ): Promise<boolean> {
    const givers = await readRows(tx, this.#db.dialect, [...taken.keys()]);
    const current = await segmentAfter(tx.sql, segment.id - 1);
    if (givers.length < taken.size || current === undefined || !isSame(current, segment)) return false;
    const correction = await this.#begin(tx);
    const takers = new Map<number, number>();
    for (const row of givers) takers.set(row.id, await this.#takerFor(correction, row));
    const isPrepared = prepared !== undefined && [...takers].every(([id, to]) => prepared.takers.get(id) === to);
    const by = isPrepared
      ? prepared.packed
      : runTask({ kind: 'move', segments: [current], to: placesOf(taken, takers) });
    if (!(await replaceSegments(tx, this.#db.dialect, stretchOf([segment]), by)))
      throw new Error('a segment changed under the lock');
    for (const [id, one] of taken) await this.#moveNumbers(correction, id, takers.get(id) as number, one);
    await correction.end();
    return true;
  }

  /** Id of the group that takes lines from another one, which is made or brought back for it. */
  async #takerFor(correction: Correction, giver: GroupRow): Promise<number> {
    const { tx } = correction;
    const [known] = (await rowsOfError(tx, this.#target, giver.src - 1, 1)).filter(({ src }) => src === giver.src);
    if (known !== undefined) return known.id;
    const former = (await this.#formers(tx)).find(({ errlog_id: id }) => id === giver.id);
    if (former !== undefined) return await this.#bringBack(correction, former);
    const id = await nextId(tx);
    const row = { ...giver, id, fingerprint: this.#move.target, count: 0, note: '', until_count: 0, log: '' };
    await insertRow(correction, { ...row, log_time: 0, first_seen: Number.MAX_SAFE_INTEGER });
    return id;
  }

  /** Makes a merged group what it was. A state that people gave the merged group since holds for it too. */
  async #bringBack(correction: Correction, { former_id: id, errlog_id: from, saved, moved_ms: movedMs }: Former) {
    const { tx } = correction;
    const [giver] = await readRows(tx, this.#db.dialect, [from]);
    const group = JSON.parse(saved) as SavedGroup;
    const log = (await tx.sql.get<{ log: string }>(LAST_TEXT, id))?.log ?? '';
    await tx.sql.run(REMOVE_MOVED, id);
    if (giver === undefined) return id;
    const isStated = giver.state_since * 1000 > movedMs;
    const { state, state_since, until, until_time } = isStated ? giver : group;
    const status = { state, state_since, until, until_time, until_count: isStated ? 0 : group.until_count };
    await insertRow(correction, { ...group, ...status, fingerprint: this.#move.target, log });
    const minutes = await minutesOfGroup(tx.sql, id);
    await takeMinutes(tx, from, undefined, minutes);
    await replaceRow(correction, giver, lessened(giver, group.count));
    await this.#note(tx, giver, { id, log });
    return id;
  }

  async #moveNumbers(correction: Correction, from: number, to: number, taken: Taken): Promise<void> {
    const { tx, dialect } = correction;
    const rows = new Map((await readRows(tx, dialect, [from, to])).map((row) => [row.id, row]));
    const [giver, taker] = [rows.get(from), rows.get(to)];
    if (giver === undefined || taker === undefined) throw new Error('a group vanished under the lock');
    await takeMinutes(tx, from, to, taken.minutes satisfies Minutes);
    const left = lessened(giver, taken.count);
    await replaceRow(correction, giver, left);
    const isNewer = taken.last >= taker.log_time;
    const grown = {
      ...taker,
      count: taker.count + taken.count,
      first_seen: Math.min(taker.first_seen, taken.first),
      log_time: Math.max(taker.log_time, taken.last),
      log: isNewer ? taken.log : taker.log,
    };
    await replaceRow(correction, taker, grown);
    if (taker.count === 0) await this.#note(tx, giver, { id: to, log: taken.log });
    if (left.count === 0) await this.#removeEmptied(correction, left, grown);
  }

  async #note(tx: Tx, giver: GroupRow, other: Pick<GroupRow, 'id' | 'log'>): Promise<void> {
    if (this.#change !== undefined) await addHistory(tx, giver.id, 'split', other, this.#change.by);
  }

  /** Removes a group that gave all of its lines; its links and its note go on with the group that has them. */
  async #removeEmptied(correction: Correction, giver: GroupRow, taker: GroupRow): Promise<void> {
    const { tx } = correction;
    await replaceRow(correction, taker, { ...taker, note: taker.note || giver.note });
    await removeRow(correction, giver);
    await redirect(tx, giver, taker.id, NO_ALIAS, this.#change?.by.nowMs ?? 0);
  }

  /** Gives groups whose newest line was moved the text and the time of the one before. */
  async #renewTexts(tx: Tx, groups: readonly GroupRow[]): Promise<void> {
    const stale = groups.filter(({ log }) => this.#isMoved(log));
    const newest = await newestTexts(tx.sql, new Set(stale.map(({ id }) => id)), await readMoved(tx.sql));
    const correction = await this.#begin(tx);
    for (const group of stale) {
      const text = newest.get(group.id);
      if (text !== undefined) await replaceRow(correction, group, { ...group, log: text.log, log_time: text.time });
    }
    await correction.end();
  }
}

/** A group with fewer occurrences. A mute by count still ends after as many further ones. */
const lessened = (group: GroupRow, n: number): GroupRow => ({
  ...group,
  count: Math.max(0, group.count - n),
  until_count: group.until_count > 0 ? Math.max(1, group.until_count - n) : 0,
});
