// Erases lines for good: a leaked secret, or the data of a person. Their ids are not used again; the counts of their
// groups stay.
import { type Database, type Sql, statement } from '@quarterdeck/core/db';
import { EventLoopYield } from '../../event-loop-yield.ts';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import { readGroups, type SegmentGroup, type SegmentLine } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { removeText } from '../tables/search-index.ts';
import type { StoredSegment } from '../tables/segment-rows.ts';
import type { Packer } from './packer.ts';
import { PackingThread } from './packing-thread.ts';
import { readHeads, readSegments, replaceSegments, stretchOf } from './segment-table.ts';

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
  /** Names of files in the data folder that may still hold the lines. */
  readonly copies: readonly string[];
}

const SEGMENTS_AT_ONCE = 100;
/** Lines between two looks at the time. */
const LINES_AT_ONCE = 1_000;
const GROUPS_AT_ONCE = 500;
/** Attempts at lines that arrive, or that another server packs, meanwhile. */
const PASSES_MAX = 10;

const GROUPS = statement(
  `SELECT id, level, src, app_id, coalesce(service, '') AS service, log, log_time, count FROM errlog
   WHERE id > ? ORDER BY id LIMIT ?`,
);
const NEWEST = statement('SELECT id, from_time, "groups" FROM errlog_segment WHERE id < ? ORDER BY id DESC LIMIT ?');
const SET_TEXT = statement('UPDATE errlog SET log = ?, text_stale = TRUE WHERE id = ? AND log = ?');
const EVENTS = statement("SELECT id, data FROM event WHERE type LIKE 'errlog.%'");
const SET_EVENT = statement('UPDATE event SET data = ? WHERE id = ?');

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

/** Erases lines; only counts them in a dry run. */
export async function eraseLines(
  db: Database,
  packer: Packer,
  query: EraseQuery,
  dryRun: boolean,
): Promise<EraseReport> {
  await packer.convertChunks(() => false);
  const erasure = new Erasure(db, query, dryRun);
  await packer.alone(() => erasure.run());
  return { lines: erasure.lines, groups: erasure.groups, copies: db.space?.copies() ?? [] };
}

class Erasure {
  lines = 0;
  groups = 0;
  readonly #db: Database;
  readonly #query: EraseQuery;
  readonly #dryRun: boolean;
  readonly #thread = new PackingThread();
  readonly #eventLoop = new EventLoopYield();
  /** Groups that had such lines, and their newest texts. */
  readonly #touched = new Map<number, string>();
  /** Groups whose newest text is erased. */
  readonly #erased = new Map<number, string>();

  constructor(db: Database, query: EraseQuery, dryRun: boolean) {
    this.#db = db;
    this.#query = query;
    this.#dryRun = dryRun;
  }

  async run(): Promise<void> {
    try {
      await this.#eraseLines();
      await this.#findTexts();
      this.groups = this.#erased.size;
      if (this.#dryRun) return;
      await this.#replaceTexts();
      await this.#replaceEvents();
      await this.#db.space?.rewrite();
    } finally {
      await this.#thread.end();
    }
  }

  async #eraseLines(): Promise<void> {
    for (let pass = 0; pass < PASSES_MAX; pass += 1) {
      let again = false;
      for await (const segment of segmentsOf(this.#db.read.sql)) {
        if (this.#query.mayHold?.(segment) === false) continue;
        const places = await this.#placesIn(segment);
        if (places.size === 0) continue;
        if (this.#dryRun || (await this.#rewrite(segment, places))) this.lines += places.size;
        again = true;
      }
      if (this.#dryRun || !again) return;
    }
  }

  /** Places of the lines to be erased. */
  async #placesIn(segment: StoredSegment): Promise<Set<number>> {
    const reader = new SegmentReader(segment);
    const places = new Set<number>();
    const texts = new Map<number, Set<string>>();
    for (let place = 0; place < segment.n; place += 1) {
      if (place % LINES_AT_ONCE === 0) await this.#eventLoop.pause();
      const group = reader.groups[reader.numbers.group[place] ?? 0];
      const line = reader.line(place);
      if (group === undefined || !this.#query.matches(line, group)) continue;
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
        return await replaceSegments(tx, stretch, rest);
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

  async #replaceTexts(): Promise<void> {
    const newest = await newestTexts(this.#db.read.sql, new Set(this.#erased.keys()));
    const groups = [...this.#erased];
    for (let from = 0; from < groups.length; from += GROUPS_AT_ONCE) {
      await this.#db.write(async (tx) => {
        await lockGroups(tx, this.#db.dialect);
        for (const [id, log] of groups.slice(from, from + GROUPS_AT_ONCE)) {
          const { changes } = await tx.sql.run(SET_TEXT, newest.get(id) ?? ERASED, id, log);
          // A line that arrived meanwhile has another text.
          if (changes > 0) await removeText(tx, id);
        }
      });
    }
  }

  /** Replaces the texts in events about the groups. */
  async #replaceEvents(): Promise<void> {
    await this.#db.write(async (tx) => {
      for (const { id, data } of await tx.sql.all<{ id: number; data: string }>(EVENTS)) {
        const entry = JSON.parse(data) as { readonly id?: number; readonly log?: string };
        const isTouched = entry.id !== undefined && (this.#touched.has(entry.id) || this.#erased.has(entry.id));
        if (!isTouched || entry.log === undefined) continue;
        await tx.sql.run(SET_EVENT, JSON.stringify({ ...entry, log: ERASED }), id);
      }
    });
  }
}

/** Yields all segments, the oldest first. */
async function* segmentsOf(sql: Sql): AsyncGenerator<StoredSegment> {
  for (let from = 0; ; ) {
    const heads = await readHeads(sql, from, SEGMENTS_AT_ONCE);
    for (const { id } of heads) yield* await readSegments(sql, { from: id, to: id });
    const last = heads.at(-1);
    if (last === undefined || heads.length < SEGMENTS_AT_ONCE) return;
    from = last.id + 1;
  }
}

/** Returns the text of the last line of each group that has one. */
async function newestTexts(sql: Sql, groups: Set<number>): Promise<Map<number, string>> {
  const texts = new Map<number, string>();
  for (let before = Number.MAX_SAFE_INTEGER; groups.size > 0; ) {
    const heads = await sql.all<Pick<StoredSegment, 'id' | 'from_time' | 'groups'>>(NEWEST, before, SEGMENTS_AT_ONCE);
    for (const head of heads) {
      if (!readGroups(head).some(({ id }) => groups.has(id))) continue;
      for (const segment of await readSegments(sql, { from: head.id, to: head.id })) takeTexts(segment, groups, texts);
    }
    const last = heads.at(-1);
    if (last === undefined) break;
    before = last.id;
  }
  return texts;
}

function takeTexts(segment: StoredSegment, groups: Set<number>, texts: Map<number, string>): void {
  const reader = new SegmentReader(segment);
  let place = -1;
  for (const { id, n } of reader.groups) {
    place += n;
    if (groups.delete(id)) texts.set(id, reader.log(place));
  }
}
