// Values of a field with their numbers.
import { canonicalFieldName, fieldOfLine } from '@quarterdeck/core/filter';
import { LEVELS } from '@quarterdeck/core/plain';
import type { GroupSummary } from '../segments/segment.ts';
import type { TextBlock } from '../segments/text-block.ts';
import { allFields } from '../tables/occurrence-fields.ts';
import { COUNT_NONE, type CountRow, rowCounter } from './context-values.ts';
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

/** Counts request ids, or a field of the lines by its name. */
function countLines(options: ScanOptions, name: string | undefined, counts: ValueCounts): Promise<boolean> {
  let addValue: (place: number, count: number) => void = () => {};
  return tally(options, {
    async addSegment(open) {
      await open.loadNumbers();
      const { reader } = open;
      if (name === undefined) addValue = (place, count) => counts.add(reader.reqId(place), count);
      else {
        await open.loadTexts();
        addValue = fieldCounter(open, name, counts);
      }
    },
    addGroup: () => false,
    addLine(_, place, { reader }) {
      addValue(place, reader.numbers.count[place] as number);
    },
  });
}

/** Counts one field of lines as `allFields` has it, without reading all others. */
function fieldCounter(open: OpenSegment, name: string, counts: ValueCounts): (place: number, n: number) => void {
  const { reader } = open;
  const column = reader.extras.values(name);
  const context = hasContextName(name) ? new ContextReader(name) : undefined;
  const counters = new Map<TextBlock, CountRow>();
  return (place, n) => {
    const stored = column?.[place];
    if (stored !== undefined && stored !== 0) {
      counts.add(stored, n);
      return;
    }
    if (context === undefined) return;
    const block = open.blockAt(place);
    if (block === undefined) return;
    let countRow = counters.get(block);
    if (countRow === undefined) {
      countRow = COUNT_NONE;
      open.tryBlock(block, () => {
        countRow = rowCounter(block, context, counts);
      });
      counters.set(block, countRow);
    }
    if (countRow(reader.rowAt(place), n)) return;
    open.tryBlock(block, () => counts.add(ownValue(allFields(undefined, reader.log(place)), name), n));
  };
}

const ownValue = (fields: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(fields, name) ? (fields[name] ?? '') : '';
