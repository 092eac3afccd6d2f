// Repairs damaged segments: rewrites each without what cannot be read, and counts the lost lines in the ledger.
import type { Database } from '@quarterdeck/core/db';
import { readSegments, replaceSegments, stretchOf } from '../packing/segment-table.ts';
import { DamagedPart } from '../segments/damage.ts';
import type { DamagedSegment } from '../segments/damage-log.ts';
import { encodeSegment, type GroupLines, type SegmentLine } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import type { TextBlock } from '../segments/text-block.ts';
import { findDamage } from '../tables/check-stored.ts';
import { lockGroups } from '../tables/group-lock.ts';
import { LedgerEntries } from '../tables/ledger.ts';
import type { StoredSegment } from '../tables/segment-rows.ts';
import { forgetDamage } from './damage-record.ts';

/** Lines of a source that are lost. Times are Unix seconds. */
export interface LostLines {
  /** Id of the source; 0 where it is not known any more. */
  readonly src: number;
  readonly lines: number;
  readonly from: number;
  readonly to: number;
}

/** A segment that was repaired. */
export interface Repaired extends DamagedSegment {
  /** Lines that it has now. */
  readonly kept: number;
  readonly lost: readonly LostLines[];
}

/** Repairs all damaged segments and yields each. `nowS` is in Unix seconds. No server may run on the data. */
export async function* repairSegments(db: Database, nowS: number): AsyncGenerator<Repaired> {
  const { sql } = db.read;
  for await (const damaged of findDamage(db.read)) {
    const [segment] = await readSegments(sql, { from: damaged.id, to: damaged.id });
    if (segment !== undefined) yield await repair(db, segment, damaged, nowS);
  }
  await db.write(forgetDamage);
}

async function repair(db: Database, segment: StoredSegment, damaged: DamagedSegment, nowS: number): Promise<Repaired> {
  const { content, lost } = salvage(segment);
  const { day, packed } = segment;
  const kept = content.reduce((sum, { lines }) => sum + lines.length, 0);
  const by = kept === 0 ? [] : [{ ...encodeSegment(content, packed === 1 ? 'packed' : 'fresh'), day, packed }];
  await db.write(async (tx) => {
    await lockGroups(tx, db.dialect);
    if (!(await replaceSegments(tx, db.dialect, stretchOf([segment]), by)))
      throw new Error('a server is running on the data');
    const ledger = new LedgerEntries(nowS);
    for (const { src, lines, from, to } of lost) ledger.loseStored(src, lines, from, to);
    await ledger.apply(tx);
  });
  return { ...damaged, kept, lost };
}

/** Returns what can be read of a segment, and what is lost. */
function salvage(segment: StoredSegment): { readonly content: GroupLines[]; readonly lost: LostLines[] } {
  const lost = new Map<number, { src: number; lines: number; from: number; to: number }>();
  const lose = (src: number, lines: number, from: number, to: number) => {
    const known = lost.get(src) ?? { src, lines: 0, from, to };
    const sum = { src, lines: known.lines + lines, from: Math.min(known.from, from), to: Math.max(known.to, to) };
    lost.set(src, sum);
  };
  // Lines are kept without the fields that are lost.
  const reader = new SegmentReader(segment, () => {});
  const damagedBlocks = new Set<TextBlock>();
  const readLine = (place: number): SegmentLine | undefined => {
    const block = reader.blockAt(place);
    if (damagedBlocks.has(block)) return undefined;
    try {
      return reader.line(place);
    } catch (error) {
      if (!(error instanceof DamagedPart)) throw error;
      damagedBlocks.add(block);
      return undefined;
    }
  };
  const content: GroupLines[] = [];
  try {
    const { groups, numbers, blocks } = reader;
    if (blocks.length > 0) {
      let place = 0;
      for (const group of groups) {
        const lines: SegmentLine[] = [];
        for (const end = place + group.n; place < end; place += 1) {
          const line = readLine(place);
          const [time = 0, count = 1] = [numbers.time[place], numbers.count[place]];
          if (line === undefined) lose(group.src, count, time, time);
          else lines.push(line);
        }
        if (lines.length > 0) content.push({ group, lines });
      }
    }
  } catch (error) {
    if (!(error instanceof DamagedPart)) throw error;
    loseAll(segment, lose);
  }
  return { content, lost: [...lost.values()] };
}

/** Counts all lines as lost: by source where the groups can be read. */
function loseAll(segment: StoredSegment, lose: (src: number, lines: number, from: number, to: number) => void): void {
  try {
    for (const { src, count, from, to } of new SegmentReader(segment).groups) lose(src, count, from, to);
  } catch (error) {
    if (!(error instanceof DamagedPart)) throw error;
    lose(0, segment.n, segment.from_time, segment.to_time);
  }
}
