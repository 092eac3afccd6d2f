// The newest stored text of some groups, for work that takes lines from them.
import { type Sql, statement } from '@quarterdeck/core/db';
import { DamagedPart } from '../segments/damage.ts';
import { idsOfGroups, SegmentReader } from '../segments/segment-reader.ts';
import type { MovedGroups } from '../tables/moved-groups.ts';
import type { StoredSegment } from '../tables/segment-rows.ts';
import { readSegments } from './segment-table.ts';

const SEGMENTS_AT_ONCE = 100;
const NEWEST = statement('SELECT id, from_time, "groups" FROM errlog_segment WHERE id < ? ORDER BY id DESC LIMIT ?');

/** A stored text, and its time in Unix seconds. */
export interface NewestText {
  readonly log: string;
  readonly time: number;
}

/** Returns the text of the last line of each group that has one. */
export async function newestTexts(
  sql: Sql,
  groups: ReadonlySet<number>,
  moved: MovedGroups,
): Promise<Map<number, NewestText>> {
  const texts = new Map<number, NewestText>();
  const isOpen = (id: number) => groups.has(moved.get(id) ?? id) && !texts.has(moved.get(id) ?? id);
  for (let before = Number.MAX_SAFE_INTEGER; texts.size < groups.size; ) {
    const heads = await sql.all<Pick<StoredSegment, 'id' | 'from_time' | 'groups'>>(NEWEST, before, SEGMENTS_AT_ONCE);
    for (const head of heads) {
      try {
        if (!idsOfGroups(head).some(isOpen)) continue;
        const [segment] = await readSegments(sql, { from: head.id, to: head.id });
        if (segment !== undefined) takeTexts(segment, isOpen, moved, texts);
      } catch (error) {
        // An older line has the text then.
        if (!(error instanceof DamagedPart)) throw error;
      }
    }
    const last = heads.at(-1);
    if (last === undefined) break;
    before = last.id;
  }
  return texts;
}

function takeTexts(
  segment: StoredSegment,
  isOpen: (id: number) => boolean,
  moved: MovedGroups,
  texts: Map<number, NewestText>,
): void {
  const reader = new SegmentReader(segment);
  const last = new Map<number, number>();
  let place = -1;
  for (const { id, n } of reader.groups) {
    place += n;
    if (!isOpen(id)) continue;
    const group = moved.get(id) ?? id;
    const known = last.get(group);
    const { id: arrival } = reader.numbers;
    if (known === undefined || (arrival[known] ?? 0) < (arrival[place] ?? 0)) last.set(group, place);
  }
  for (const [group, at] of last) texts.set(group, { log: reader.log(at), time: reader.numbers.time[at] ?? 0 });
}
