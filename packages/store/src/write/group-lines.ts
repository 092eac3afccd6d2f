// Groups lines by source and error in memory, before anything is written.
import type { LogLine } from '@quarterdeck/core/lines';
import type { SegmentLine } from '../segments/segment.ts';
import type { Corrections } from '../tables/corrections.ts';
import { unreadableFields } from '../tables/occurrence-fields.ts';
import type { Sender } from '../tables/sources.ts';
import type { GroupBatch } from './batch.ts';

/** A line and its sender. */
export interface SentLine {
  readonly line: LogLine;
  readonly sender: Sender;
}

/** Lines, and the fingerprint of each. */
export interface FingerprintedLines {
  readonly lines: readonly SentLine[];
  readonly fingerprints: readonly string[];
}

/**
 * Groups lines of equal errors of one source. `ids` has the source of each sender, `corrections` the errors of lines
 * that people have corrected.
 */
export function groupLines(
  batches: readonly FingerprintedLines[],
  ids: ReadonlyMap<Sender, number>,
  corrections: Corrections | undefined,
): GroupBatch[] {
  const groups: GroupBatch[] = [];
  let size = 0;
  const bySource = new Map<number, Map<number, Map<string, GroupBatch>>>();
  for (const { lines, fingerprints } of batches) {
    for (let i = 0; i < lines.length; i += 1) {
      const { line, sender } = lines[i] as SentLine;
      const src = ids.get(sender) ?? 0;
      const own = fingerprints[i] ?? '';
      const print = corrections === undefined ? own : corrections.printOf(line, sender.name, src, own);
      // Nested maps: making and hashing one text as the key would cost more than all steps here.
      const alike = within(within(bySource, src), line.appId * LEVELS_MAX + line.level);
      const known = alike.get(print);
      if (known !== undefined) {
        if (addLine(known, line, size)) size += 1;
        continue;
      }
      const group = newGroup(occurrenceOf(line, size), line, {
        src,
        sender,
        fingerprint: print,
        isIgnored: corrections?.isIgnored(print),
      });
      size += 1;
      groups.push(group);
      alike.set(print, group);
    }
  }
  return groups;
}

/** More than there are levels. */
const LEVELS_MAX = 16;

/** Returns the map at a key, created on first use. */
function within<K, V>(maps: Map<number, Map<K, V>>, key: number): Map<K, V> {
  let found = maps.get(key);
  if (found === undefined) {
    found = new Map();
    maps.set(key, found);
  }
  return found;
}

/** The values that lines are grouped by. */
interface Key {
  readonly src: number;
  readonly sender: Sender;
  readonly fingerprint: string;
  readonly isIgnored: boolean | undefined;
}

const newGroup = (
  occurrence: SegmentLine,
  line: LogLine,
  { src, sender, fingerprint, isIgnored }: Key,
): GroupBatch => ({
  src,
  nodeType: sender.nodeType,
  appId: line.appId,
  level: line.level,
  fingerprint,
  service: line.service ?? '',
  sender: sender.credential ?? sender.address,
  isIgnored,
  count: line.count,
  firstSeen: line.logTime,
  logTime: line.logTime,
  log: line.log,
  occurrences: [occurrence],
});

const occurrenceOf = (line: LogLine, id: number): SegmentLine => ({
  id,
  time: line.logTime,
  reqId: line.reqId,
  count: line.count,
  log: line.log,
  fields: unreadableFields(line),
});

/** Greatest count of a stored line, which has 32 bits. */
const COUNT_MAX = 2 ** 32 - 1;

/** Tells whether a line equals the occurrence before, which then counts it. */
const isSame = (last: SegmentLine | undefined, line: LogLine): last is SegmentLine =>
  last !== undefined &&
  last.log === line.log &&
  last.time === line.logTime &&
  last.reqId === line.reqId &&
  last.fields === undefined &&
  line.fields === undefined &&
  last.count + line.count <= COUNT_MAX;

/** Adds a line to its group; returns whether it became an occurrence of its own. */
function addLine(group: GroupBatch, line: LogLine, id: number): boolean {
  group.count += line.count;
  if (line.logTime < group.firstSeen) group.firstSeen = line.logTime;
  if (line.logTime >= group.logTime) {
    group.logTime = line.logTime;
    group.log = line.log;
  }
  const last = group.occurrences.at(-1);
  if (isSame(last, line)) {
    group.occurrences[group.occurrences.length - 1] = { ...last, count: last.count + line.count };
    return false;
  }
  group.occurrences.push(occurrenceOf(line, id));
  return true;
}
