// Values of a field with their numbers.
import { canonicalFieldName, fieldOfLine } from '@quarterdeck/core/filter';
import { LEVELS } from '@quarterdeck/core/plain';
import type { Values } from '../segments/field-column.ts';
import type { GroupSummary } from '../segments/segment.ts';
import type { LineNumbers } from '../segments/segment-reader.ts';
import { allFields } from '../tables/occurrence-fields.ts';
import { countBlock } from './context-values.ts';
import { tally } from './count-lines.ts';
import type { LineValues } from './line-reads.ts';
import { type LineSources, statesOf } from './line-sources.ts';
import { ContextReader, hasContextName } from './nginx-values.ts';
import type { OpenSegment } from './open-segment.ts';
import type { ScanOptions } from './segment-scan.ts';
import { ValueCounts } from './value-counts.ts';

/** Counts the values of a field of all matching lines. `top` are returned. */
export async function countValues(options: ScanOptions, field: string, top: number): Promise<LineValues> {
  const name = canonicalFieldName(field);
  const counts = new ValueCounts();
  const ownName = fieldOfLine(name);
  const isWhole =
    ownName === undefined && name !== 'req'
      ? await countGroups(options, name, counts)
      : await countLines(options, ownName, counts);
  const found = counts.top(top);
  return { ...found, complete: isWhole && found.complete };
}

/** Counts a field that is the same for all lines of a group. */
function countGroups(options: ScanOptions, name: string, counts: ValueCounts): Promise<boolean> {
  const isOfSource = name === 'host' || name === 'source';
  let segment: OpenSegment | undefined;
  let sources: LineSources | undefined;
  let states: ReadonlyMap<number, string> | undefined;
  const readValue = (group: GroupSummary, line: number | undefined): string => {
    switch (name) {
      case 'level':
        return LEVELS[group.level]?.toLowerCase() ?? '';
      case 'service':
        return group.service;
      case 'src':
        return String(group.src);
      case 'app':
        return group.appId === 0 ? '' : String(group.appId);
      case 'group':
        return String(group.id);
      case 'state':
        return states?.get(group.id) ?? '';
      default:
        return sources?.get(group.src, line)?.host ?? '';
    }
  };
  return tally(options, {
    async addSegment(open, scan) {
      const { groups } = open;
      segment = open;
      sources = scan.sources;
      if (isOfSource) await sources.load(groups.map(({ src }) => src));
      if (name === 'state')
        states = await statesOf(
          options.sql,
          groups.map(({ id }) => id),
        );
    },
    addGroup(group) {
      if (isOfSource && segment?.sourceOf(group)?.host === undefined) return false;
      counts.add(readValue(group, segment?.head.id), group.count);
      return true;
    },
    addLine(group, place, { reader }) {
      counts.add(readValue(group, reader.numbers.id[place]), reader.numbers.count[place] as number);
    },
  });
}

/** Counts request ids, or a field of the lines by its name: first which lines of a segment match, then their values. */
function countLines(options: ScanOptions, name: string | undefined, counts: ValueCounts): Promise<boolean> {
  /** By place: how often a line happened; 0 where it does not match. */
  let times = new Float64Array(0);
  let firstPlaces: ReadonlyMap<GroupSummary, number> | undefined;
  let numbers: LineNumbers | undefined;
  return tally(options, {
    async addSegment(open) {
      await open.loadNumbers();
      if (name !== undefined) await open.loadTexts();
      numbers = open.reader.numbers;
      times = new Float64Array(open.head.n);
      firstPlaces = undefined;
    },
    addAll() {
      times.set(numbers?.count ?? []);
    },
    addGroup(group, open) {
      firstPlaces ??= placesOf(open.groups);
      const from = firstPlaces.get(group) ?? 0;
      times.set(numbers?.count.subarray(from, from + group.n) ?? [], from);
      return true;
    },
    addLine(_, place) {
      times[place] = numbers?.count[place] as number;
    },
    endSegment(open) {
      if (name === undefined) countStored(open.reader.extras.requests(), times, counts);
      else countField(open, name, times, counts);
    },
  });
}

/** The first place of each group: places are by group. */
function placesOf(groups: readonly GroupSummary[]): Map<GroupSummary, number> {
  let next = 0;
  return new Map(
    groups.map((group) => {
      const first = next;
      next += group.n;
      return [group, first];
    }),
  );
}

/** Counts stored values, and takes the times of their lines. */
function countStored(values: Values | undefined, times: Float64Array, counts: ValueCounts): void {
  for (const [place, value] of values?.entries() ?? []) {
    const n = times[place] as number;
    if (n === 0 || value === 0) continue;
    counts.add(value, n);
    times[place] = 0;
  }
}

/** Counts one field of lines as `allFields` has it, without reading all others. */
function countField(open: OpenSegment, name: string, times: Float64Array, counts: ValueCounts): void {
  const { reader } = open;
  countStored(reader.extras.values(name), times, counts);
  if (!hasContextName(name)) return;
  const context = new ContextReader(name);
  for (const block of reader.blocks) {
    if (!block.places.some((place) => (times[place] as number) > 0)) continue;
    open.tryBlock(block, () => {
      for (const place of countBlock(block, context, times, counts)) {
        counts.add(ownValue(allFields(undefined, reader.log(place)), name), times[place] as number);
      }
    });
  }
}

const ownValue = (fields: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(fields, name) ? (fields[name] ?? '') : '';
