// Values of a field with their numbers.
import { canonicalFieldName, fieldOfLine } from '@quarterdeck/core/filter';
import { LEVELS } from '@quarterdeck/core/plain';
import type { GroupSummary } from '../segments/segment.ts';
import { allFields } from '../tables/occurrence-fields.ts';
import { tally } from './count-lines.ts';
import type { LineValues } from './line-reads.ts';
import { type LineSources, statesOf } from './line-sources.ts';
import { contextValues, hasContextName } from './nginx-values.ts';
import type { OpenSegment } from './open-segment.ts';
import type { ScanOptions } from './segment-scan.ts';

/** Most different values, and characters of them, that a search keeps. Further ones count as `other`. */
const VALUES_MAX = 200_000;
const CHARACTERS_MAX = 16_000_000;

/** Counts the values of a field of all matching lines. `top` are returned. */
export async function countValues(options: ScanOptions, field: string, top: number): Promise<LineValues> {
  const name = canonicalFieldName(field);
  const counts = new ValueCounts();
  const ownName = fieldOfLine(name);
  const complete =
    ownName === undefined && name !== 'req'
      ? await countGroups(options, name, counts)
      : await countLines(options, ownName, counts);
  return { ...counts.top(top), complete };
}

/** Counts a field that is the same for all lines of a group. */
function countGroups(options: ScanOptions, name: string, counts: ValueCounts): Promise<boolean> {
  let sources: LineSources | undefined;
  let states: ReadonlyMap<number, string> | undefined;
  const readValue = (group: GroupSummary): string => {
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
        return sources?.get(group.src)?.name ?? '';
    }
  };
  return tally(options, {
    async addSegment({ groups }, scan) {
      sources = scan.sources;
      if (name === 'host' || name === 'source') await sources.load(groups.map(({ src }) => src));
      if (name === 'state')
        states = await statesOf(
          options.sql,
          groups.map(({ id }) => id),
        );
    },
    addGroup(group) {
      counts.add(readValue(group), group.count);
      return true;
    },
    addLine(group, place, { reader }) {
      counts.add(readValue(group), reader.numbers.count[place] as number);
    },
  });
}

/** Counts request ids, or a field of the lines by its name. */
function countLines(options: ScanOptions, name: string | undefined, counts: ValueCounts): Promise<boolean> {
  let readValue: (place: number) => string = () => '';
  return tally(options, {
    async addSegment(open) {
      await open.loadNumbers();
      if (name !== undefined) await open.loadTexts();
      readValue = name === undefined ? (place) => open.reader.reqId(place) : fieldReader(open, name);
    },
    addGroup: () => false,
    addLine(_, place, { reader }) {
      counts.add(readValue(place), reader.numbers.count[place] as number);
    },
  });
}

/** Reads one field of lines as `allFields` has it, without reading all others. */
function fieldReader({ reader }: OpenSegment, name: string): (place: number) => string {
  const column = reader.fieldValues(name);
  let block: { readonly from: number; readonly to: number } = { from: 0, to: 0 };
  let values: readonly (string | undefined)[] = [];
  return (place) => {
    const stored = column?.[place];
    if (stored !== undefined && stored !== 0) return stored;
    if (!hasContextName(name)) return '';
    if (place < block.from || place >= block.to) {
      const open = reader.openAt(place);
      [block, values] = [open, contextValues(open, name)];
    }
    return values[place - block.from] ?? ownValue(allFields(undefined, reader.log(place)), name);
  };
}

const ownValue = (fields: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(fields, name) ? (fields[name] ?? '') : '';

/** Numbers of values within bounds. */
class ValueCounts {
  readonly #counts = new Map<string, number>();
  #characters = 0;
  #rest = 0;

  /** Counts a value; `''` is none. */
  add(value: string, count: number): void {
    if (value === '') return;
    const known = this.#counts.get(value);
    if (known !== undefined) this.#counts.set(value, known + count);
    else if (this.#counts.size >= VALUES_MAX || this.#characters + value.length > CHARACTERS_MAX) this.#rest += count;
    else {
      this.#characters += value.length;
      // A copy: a part of a text would keep all of it in memory.
      this.#counts.set(Buffer.from(value).toString(), count);
    }
  }

  top(max: number): Omit<LineValues, 'complete'> {
    const sorted = [...this.#counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const values = sorted.slice(0, max).map(([value, count]) => ({ value, count }));
    const other = sorted.slice(max).reduce((sum, [, count]) => sum + count, this.#rest);
    return { values, other, distinct: sorted.length };
  }
}
