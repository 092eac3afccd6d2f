// The ledger of a source in words: lines by stage, and the spans in which lines were lost. Pure.
import { DAMAGED_STAGE, type LedgerPage, type LedgerRow, LOSS_STAGES, STORED_STAGES } from '@quarterdeck/core';
import { gapText, stageWords } from '@quarterdeck/views/reads';
import type { SourceRead } from '@quarterdeck/views/sources';
import { count, grouped, momentText, plural, span } from '@quarterdeck/views/text';
import { sparkline } from '../../components/charts/sparkline.ts';
import { type Fact, factLines, heading, paragraph } from '../../components/list/detail-lines.ts';
import type { Glyphs } from '../../theme/glyphs.ts';
import type { Line } from '../../theme/lines.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
/** Width of the note beside the chart, columns. */
const NOTE_WIDTH = 20;
/** Most gaps that are listed. */
const GAPS_MAX = 20;

const STORED: Readonly<Record<(typeof STORED_STAGES)[number], string>> = {
  flood: 'stored in the group for too many new errors',
  cut: 'stored without the end of their text',
};

const sumOf = (rows: readonly LedgerRow[], of: (row: LedgerRow) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0);

/** The sum of a column that only agents count; null where no row has it. */
function agentSum(rows: readonly LedgerRow[], of: (row: LedgerRow) => number | null): number | null {
  const known = rows.flatMap((row) => of(row) ?? []);
  return known.length === 0 ? null : known.reduce((sum, n) => sum + n, 0);
}

const numberText = (n: number | null): string => (n === null ? 'not counted by the sender' : grouped(n));

function stageFacts(rows: readonly LedgerRow[]): Fact[] {
  const of = (stage: keyof LedgerRow['dropped']): number => sumOf(rows, ({ dropped }) => dropped[stage] ?? 0);
  const lost = ([...LOSS_STAGES, DAMAGED_STAGE] as const)
    .filter((stage) => of(stage) > 0)
    .map((stage): Fact => ({ label: 'Lost', value: `${grouped(of(stage))}: ${stageWords(stage)}`, tone: 'warning' }));
  const stored = STORED_STAGES.filter((stage) => of(stage) > 0).map(
    (stage): Fact => ({ label: 'Of these', value: `${grouped(of(stage))}: ${STORED[stage]}` }),
  );
  return [...stored, ...lost, ...omittedFacts(rows)];
}

/** Lines whose form does not tell their time or level, so that its owner sees it. */
function unknownFacts(rows: readonly LedgerRow[]): Fact[] {
  const facts = [
    {
      n: sumOf(rows, (row) => row.lines_without_time ?? 0),
      words: 'without a known time, which is that of the arrival',
    },
    { n: sumOf(rows, (row) => row.lines_without_level ?? 0), words: 'without a known level' },
  ];
  return facts
    .filter(({ n }) => n > 0)
    .map(({ n, words }) => ({ label: 'Of these', value: `${grouped(n)}: ${words}`, tone: 'warning' }));
}

/** Items of Sentry that are no lines, the most frequent types first. */
function omittedFacts(rows: readonly LedgerRow[]): Fact[] {
  const types = new Map<string, number>();
  for (const { dropped } of rows) {
    for (const [stage, n] of Object.entries(dropped)) {
      const type = /^sentry_(.+)$/.exec(stage)?.[1];
      if (type !== undefined) types.set(type, (types.get(type) ?? 0) + (n ?? 0));
    }
  }
  return [...types]
    .sort(([, a], [, b]) => b - a)
    .map(([type, n]) => ({ label: 'Not stored', value: `${grouped(n)}: items of Sentry, ${type}` }));
}

/** Received lines in equal steps of whole minutes, oldest first. */
interface Steps {
  readonly minutes: number;
  readonly counts: readonly number[];
}

/** Spreads the rows over at most so many steps, from the start of the span or from the oldest row. */
export function stepsOf({ data }: LedgerPage, startS: number, endS: number, most: number): Steps {
  const oldest = data.reduce((least, { minute }) => Math.min(least, minute), endS);
  const first = Math.floor(Math.max(startS, Math.min(oldest, endS - HOUR_S)) / MINUTE_S);
  const all = Math.max(1, Math.floor(endS / MINUTE_S) - first + 1);
  const minutes = Math.ceil(all / most);
  const counts = new Array<number>(Math.ceil(all / minutes)).fill(0);
  for (const { minute, received } of data) {
    const at = Math.floor((minute / MINUTE_S - first) / minutes);
    if (counts[at] !== undefined) counts[at] += received;
  }
  return { minutes, counts };
}

/** Completeness of the ledger in words, with the gaps. */
export function completeLines({ meta }: LedgerPage, startS: number, nowMs: number, width: number): Line[] {
  const { complete, gaps, more } = meta;
  const cut =
    more === true ? paragraph('There is more than one answer holds: choose a shorter range.', width, 'muted') : [];
  if (complete) return [[{ text: '✓ complete: no line was lost', tone: 'good' }], ...cut];
  if (gaps.length === 0) {
    const text = `▲ incomplete: the ledger does not reach back to ${momentText(startS, nowMs)}`;
    return [...paragraph(text, width, 'warning'), ...cut];
  }
  return [
    [{ text: `▲ incomplete: ${plural(gaps.length, 'gap')}`, tone: 'warning' }],
    ...gaps.slice(0, GAPS_MAX).flatMap((gap) => paragraph(`  ${gapText(gap, nowMs)}`, width)),
    ...(gaps.length > GAPS_MAX
      ? [[{ text: `  and ${grouped(gaps.length - GAPS_MAX)} more`, tone: 'muted' as const }]]
      : []),
    ...cut,
  ];
}

/** The ledger of a source as rows. */
export function ledgerLines(
  { ledger, startS, endS }: SourceRead,
  glyphs: Glyphs,
  nowMs: number,
  width: number,
): Line[] {
  const { data: rows } = ledger;
  const { minutes, counts } = stepsOf(ledger, startS, endS, Math.max(4, width - NOTE_WIDTH));
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  return [
    heading(`Ledger, ${momentText(startS, nowMs)} to ${momentText(endS, nowMs)}`),
    ...completeLines(ledger, startS, nowMs, width),
    [
      { text: sparkline(counts, counts.length, glyphs.spark), tone: 'accent' },
      { text: `  up to ${count(most)} in ${span(minutes * MINUTE_S * 1000)}`, tone: 'muted' },
    ],
    ...factLines(
      [
        { label: 'Read', value: numberText(agentSum(rows, ({ read }) => read)) },
        { label: 'Sent', value: numberText(agentSum(rows, ({ sent }) => sent)) },
        { label: 'Received', value: grouped(sumOf(rows, ({ received }) => received)) },
        { label: 'Stored', value: grouped(sumOf(rows, ({ stored }) => stored)) },
        { label: 'Grouped', value: grouped(sumOf(rows, ({ grouped: n }) => n)) },
        ...unknownFacts(rows),
        ...stageFacts(rows),
      ],
      width,
    ),
  ];
}
