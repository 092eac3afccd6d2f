// Erases lines for good: a leaked secret, or the data of a person. Their ids are not used again; the counts of their
// groups stay.
import { type Database, DatabaseError, statement } from '@quarterdeck/core/db';
import { cached, inJson } from '@quarterdeck/core/sql';
import { EventLoopYield } from '@quarterdeck/core/threads';
import { type DamagedSpan, DamageLog } from '../segments/damage-log.ts';
import type { SegmentGroup, SegmentLine } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { type MovedGroups, NONE_MOVED, readMoved } from '../tables/moved-groups.ts';
import { removeText } from '../tables/search-index.ts';
import type { StoredSegment } from '../tables/segment-rows.ts';
import { newestTexts } from './newest-texts.ts';
import type { Packer } from './packer.ts';
import { PackingThread } from './packing-thread.ts';
import { replaceSegments, segmentAfter, stretchOf } from './segment-table.ts';

/** Text in the place of an erased one. */
export const ERASED = '[erased]';

/** Lines to be erased. */
export interface EraseQuery {
  /** Tells whether a line is to be erased. The newest text of a group is a line with the id 0. */
  matches(line: SegmentLine, group: SegmentGroup): boolean;
  /** Tells whether a segment may hold such lines; all may without it. */
  mayHold?(segment: StoredSegment): boolean;
}

/** Result of an erasure, or of its rehearsal. */
export interface EraseReport {
  /** Number of lines, and of groups whose newest text is another one now. */
  readonly lines: number;
  readonly groups: number;
  /** Groups that had such lines: copies of their texts, such as messages, may hold an erased one. */
  readonly touched: ReadonlySet<number>;
  /** Times of segments that are damaged and stay as they are: their lines could not be compared. */
  readonly damaged: readonly DamagedSpan[];
}

/** Lines between two looks at the time. */
const LINES_AT_ONCE = 1_000;
const GROUPS_AT_ONCE = 500;
/** Passes for lines that arrive meanwhile. */
const PASSES_MAX = 10;
/** Attempts at a segment that another server packs meanwhile. */
const TRIES_MAX = 100;

const GROUPS = statement(
  `SELECT id, level, src, app_id, coalesce(service, '') AS service, log, log_time, count FROM errlog
   WHERE id > ? ORDER BY id LIMIT ?`,
);
const SET_TEXT = statement('UPDATE errlog SET log = ? WHERE id = ? AND log = ?');
const SET_STALE = statement('UPDATE errlog SET text_stale = TRUE WHERE id = ?');

/** Texts in corrections of a group: its history, and the lines that name its errors after new rules of fingerprints. */
const CORRECTIONS = [
  [statement('UPDATE errlog_history SET log = ? WHERE errlog_id = ? OR other_id = ?'), ERASED],
  [
    statement(`UPDATE errlog_alias SET sample = ? WHERE id IN (SELECT alias_id FROM errlog_moved WHERE errlog_id = ?)
      OR target = (SELECT fingerprint FROM errlog WHERE id = ?)`),
    '',
  ],
] as const;

interface GroupRow {
  readonly id: number;
  readonly level: number;
  readonly src: number;
  readonly app_id: number;
  readonly service: string;
  readonly log: string;
  readonly log_time: number;
  readonly count: number;
}

/** Erases lines and the texts of their groups; only counts them in a dry run. Copies of the texts stay. */
export async function eraseLines(
  db: Database,
  packer: Packer,
  query: EraseQuery,
  dryRun: boolean,
): Promise<EraseReport> {
  const erasure = new Erasure(db, query, dryRun);
  await packer.alone(() => erasure.run());
  return { lines: erasure.lines, groups: erasure.groups, touched: erasure.touched, damaged: erasure.damage.spans };
}

class Erasure {
  lines = 0;
  groups = 0;
  readonly damage = new DamageLog();
  readonly #db: Database;
  readonly #query: EraseQuery;
  readonly #dryRun: boolean;
  readonly #thread = new PackingThread();
  readonly #eventLoop = new EventLoopYield();
  /** Groups that had such lines, and their newest texts. */
  readonly #touched = new Map<number, string>();
  /** Groups that were merged into others. */
  #moved: MovedGroups = NONE_MOVED;
  /** Groups whose newest text is erased. */
  readonly #erased = new Map<number, string>();

  constructor(db: Database, query: EraseQuery, dryRun: boolean) {
    this.#db = db;
    this.#query = query;
    this.#dryRun = dryRun;
  }

  async run(): Promise<void> {
    try {
      this.#moved = await readMoved(this.#db.read.sql);
      await this.#eraseLines();
      await this.#findTexts();
      this.groups = this.#erased.size;
      if (this.#dryRun) return;
      await this.#replaceTexts();
    } finally {
      await this.#thread.end();
    }
  }

  get touched(): ReadonlySet<number> {
    return new Set([...this.#touched.keys(), ...this.#erased.keys()]);
  }

  async #eraseLines(): Promise<void> {
    for (let pass = 0; pass < PASSES_MAX; pass += 1) {
      const before = this.lines;
      await this.#erasePass();
      if (this.#dryRun || this.lines === before) return;
    }
  }

  async #erasePass(): Promise<void> {
    let tries = 0;
    for (let after = 0; ; ) {
      const segment = await segmentAfter(this.#db.read.sql, after);
      if (segment === undefined) return;
      tries += 1;
      if (await this.#eraseIn(segment, after)) {
        after = segment.last_id;
        tries = 0;
      } else if (tries === TRIES_MAX) throw new DatabaseError('busy');
    }
  }

  /** Erases the lines of a segment behind a line. False where another server has replaced the segment. */
  async #eraseIn(segment: StoredSegment, after: number): Promise<boolean> {
    try {
      const isWanted = this.#query.mayHold?.(segment) !== false;
      const places = isWanted ? await this.#placesIn(segment, after) : new Set<number>();
      const isDone = this.#dryRun || places.size === 0 || (await this.#rewrite(segment, places));
      if (isDone) this.lines += places.size;
      return isDone;
    } catch (error) {
      this.damage.note(error, { from: segment.from_time, to: segment.to_time });
      return true;
    }
  }

  /** Places of the lines to be erased behind a line. */
  async #placesIn(segment: StoredSegment, after: number): Promise<Set<number>> {
    const reader = new SegmentReader(segment);
    const places = new Set<number>();
    const texts = new Map<number, Set<string>>();
    for (let place = 0; place < segment.n; place += 1) {
      if (place % LINES_AT_ONCE === 0) await this.#eventLoop.pause();
      const stored = reader.groupList.at(reader.numbers.group[place] as number);
      const group = { ...stored, id: this.#moved.get(stored.id) ?? stored.id };
      const line = reader.line(place);
      if (line.id <= after || !this.#query.matches(line, group)) continue;
      places.add(place);
      texts.set(group.id, (texts.get(group.id) ?? new Set()).add(line.log));
    }
    await this.#noteTexts(texts);
    return places;
  }

  /** Notes the groups whose newest text is that of an erased line. */
  async #noteTexts(texts: ReadonlyMap<number, ReadonlySet<string>>): Promise<void> {
    const unknown = [...texts.keys()].filter((id) => !this.#touched.has(id));
    const find = cached(`SELECT id, log FROM errlog WHERE ${inJson(this.#db.dialect, 'id')}`);
    const rows = await this.#db.read.sql.all<{ id: number; log: string }>(find, JSON.stringify(unknown));
    for (const { id, log } of rows) this.#touched.set(id, log);
    for (const [id, erased] of texts) {
      const newest = this.#touched.get(id);
      if (newest !== undefined && erased.has(newest)) this.#erased.set(id, newest);
    }
  }

  async #rewrite(segment: StoredSegment, places: ReadonlySet<number>): Promise<boolean> {
    const stretch = stretchOf([segment]);
    const rest = await this.#thread.run({ kind: 'erase', segments: [segment], places });
    return await this.#db.write(
      async (tx) => {
        await lockGroups(tx, this.#db.dialect);
        return await replaceSegments(tx, this.#db.dialect, stretch, rest);
      },
      { bulk: true },
    );
  }

  /** Finds groups whose newest text matches although its line is gone. */
  async #findTexts(): Promise<void> {
    const { sql } = this.#db.read;
    for (let last = 0; ; ) {
      const rows = await sql.all<GroupRow>(GROUPS, last, GROUPS_AT_ONCE);
      for (const { id, level, src, app_id: appId, service, log, log_time: time, count } of rows) {
        const group = { id, level, src, appId, service };
        if (this.#query.matches({ id: 0, time, count, reqId: '', log }, group)) this.#erased.set(id, log);
      }
      await this.#eventLoop.pause();
      const end = rows.at(-1);
      if (end === undefined || rows.length < GROUPS_AT_ONCE) return;
      last = end.id;
    }
  }

  /**
   * Replaces the erased texts, and lets the search index learn the groups again: it may have learnt an erased text.
   * Both are one write: once the text is replaced, a later erasure does not find the group.
   */
  async #replaceTexts(): Promise<void> {
    const newest = await newestTexts(this.#db.read.sql, new Set(this.#erased.keys()), this.#moved);
    const ids = [...this.touched];
    for (let from = 0; from < ids.length; from += GROUPS_AT_ONCE) {
      await this.#db.write(async (tx) => {
        await lockGroups(tx, this.#db.dialect);
        for (const id of ids.slice(from, from + GROUPS_AT_ONCE)) {
          const log = this.#erased.get(id);
          // A line that arrived meanwhile has another text.
          if (log !== undefined) await tx.sql.run(SET_TEXT, newest.get(id)?.log ?? ERASED, id, log);
          await tx.sql.run(SET_STALE, id);
          await removeText(tx, id);
          for (const [erase, value] of CORRECTIONS) await tx.sql.run(erase, value, id, id);
        }
      });
    }
  }
}
