import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeSegments } from '../segments/merge-segments.ts';
import type { SegmentRow } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import type { Sender } from '../tables/sources.ts';
import { encodeLines } from './append-lines.ts';
import { newGroupOf } from './batch.ts';
import { groupLines } from './group-lines.ts';
import { type LineColumns, linesOf, type SentLine, toColumns } from './line-columns.ts';

const senders = ['gw1', 'gw2'].map((name): Sender => ({ nodeType: 1, nodeId: 7, name, address: '192.0.2.1' }));
const ids = new Map(senders.map((sender, i) => [sender, i + 1]));
const value = fc.constantFrom('1', 'a\nb', 'é', '', '10.0.0.1');
const line = fc.record(
  {
    level: fc.constantFrom(4, 5),
    log: fc.constantFrom('a', 'a', 'é', 'b\n', 'c'),
    logTime: fc.constantFrom(7, 7, 7, 8, 1),
    appId: fc.constantFrom(0, 0, 1),
    reqId: fc.constantFrom('', '', '', 'r1', 'r\n2'),
    count: fc.constantFrom(1, 1, 3, 2 ** 32 - 2),
    fields: fc.dictionary(
      fc.constantFrom('pid', 'x', '__proto__', 'y'),
      value.filter((one) => one !== ''),
      { minKeys: 1 },
    ),
  },
  { requiredKeys: ['level', 'log', 'logTime', 'appId', 'reqId', 'count'] },
);
const batches = fc.array(
  fc
    .array(fc.record({ line, sender: fc.constantFrom(...senders) }), { maxLength: 60 })
    .map((lines) => toColumns(lines, ({ log }) => log)),
  { minLength: 1, maxLength: 4 },
);

/** Stores batches in segments; returns those, and the group of each id. */
function store(columns: readonly LineColumns[]) {
  const { groups, lines } = groupLines(columns, ids, undefined);
  const content = groups.map((group, i) => newGroupOf(groups.length - i, group));
  return { groups, segments: encodeLines(lines, content).segments };
}

interface Kept {
  readonly group: string;
  readonly time: number;
  readonly log: string;
  readonly reqId: string;
  readonly fields: ReadonlyMap<string, string>;
  count: number;
}

/** The lines in the order of arrival. A line without values that follows an equal one is counted there. */
function model(columns: readonly LineColumns[]): Kept[] {
  const kept: Kept[] = [];
  const last = new Map<string, Kept>();
  for (const { line: one, sender } of columns.flatMap(linesOf)) {
    const group = `${ids.get(sender)} ${one.level} ${one.appId} ${one.log}`;
    const fields = new Map(Object.entries(one.fields ?? {}));
    const before = last.get(group);
    const isPlain = (of: Kept) => of.fields.size === 0 && of.reqId === '';
    const next = { group, time: one.logTime, log: one.log, reqId: one.reqId, fields, count: one.count };
    const isRepeat = before !== undefined && before.time === next.time && isPlain(before) && isPlain(next);
    if (isRepeat && before.count + next.count < 2 ** 32) before.count += next.count;
    else {
      kept.push(next);
      last.set(group, next);
    }
  }
  return kept;
}

/** The lines of segments in the order of arrival. */
const linesIn = (segments: readonly SegmentRow[]): Kept[] =>
  segments
    .flatMap((row) => new SegmentReader(row).content())
    .flatMap(({ group, lines }) => lines.map((one) => ({ ...one, group })))
    .sort((a, b) => a.id - b.id)
    .map(({ group: { src, level, appId }, time, log, reqId, count, fields = {} }) => ({
      group: `${src} ${level} ${appId} ${log}`,
      ...{ time, log, reqId, count, fields: new Map(Object.entries(fields)) },
    }));

describe('new lines in a segment', () => {
  it('are those that arrived, fresh and packed', () => {
    fc.assert(
      fc.property(batches, (columns) => {
        const { groups, segments } = store(columns);
        const wanted = model(columns);
        expect(linesIn(segments)).toEqual(wanted);
        expect(linesIn(segments.length === 0 ? [] : [mergeSegments(segments)])).toEqual(wanted);
        const sum = (list: readonly { readonly count: number }[]) => list.reduce((all, { count }) => all + count, 0);
        expect(sum(groups)).toBe(sum(wanted));
        for (const { log, logTime, lines } of groups) {
          const own = lines.map((number) => wanted[number] as Kept);
          expect(logTime).toBe(Math.max(...own.map(({ time }) => time)));
          expect(log).toBe(own.findLast(({ time }) => time === logTime)?.log);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are in several segments where one cannot hold them', () => {
    const sender = senders[0] as Sender;
    const given = Array.from({ length: 70_000 }, (_, i): SentLine => {
      const values = { reqId: i % 2 === 0 ? '' : `r${i}`, fields: i % 1_000 === 0 ? { rare: `${i}` } : { n: `${i}` } };
      return { line: { level: 4, log: `x ${i}`, logTime: i, appId: 0, count: 1, ...values }, sender };
    });
    const columns = [toColumns(given, (_, i) => `f${i % 3}`)];
    const { segments } = store(columns);
    expect(segments.map(({ n }) => n)).toEqual([65_536, 70_000 - 65_536]);
    expect(linesIn(segments)).toEqual(model(columns));
  });
});
