// Says whether answers have all errors or lines, and why not. Pure.
import type { ErrlogPageMeta, LedgerGap, LinePage } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { momentText, plural } from '../text/format.ts';

type SpanMeta = LinePage['meta'];

/** The part of an answer's `meta` that tells whether it is complete; absent parts are. */
export type Completeness = Pick<ErrlogPageMeta, 'complete' | 'capped'>;

/** True if one of some answers lacks something. */
export const isIncomplete = (answers: readonly (Completeness | undefined)[]): boolean =>
  answers.some((answer) => answer?.complete === false || answer?.capped === true);

/** The sentence for a loss of which no more is known. */
const UNKNOWN = 'Incomplete: lines were lost in this time, or the search ran out of time.';

/** One sentence about the completeness of an answer about lines. */
export function completeText({ complete, damaged }: Pick<SpanMeta, 'complete' | 'damaged'>, nowMs: number): string {
  const [first] = damaged ?? [];
  if (first === undefined) return complete ? 'Complete.' : UNKNOWN;
  const [from, to] = [momentText(first.from, nowMs), momentText(first.to, nowMs)];
  return `Incomplete: stored lines of ${from === to ? from : `${from}–${to}`} are damaged.`;
}

/** The reason of an empty answer in a sentence; undefined without one. */
export function whyEmptyText(
  { why_empty: why, silent_since: since }: Pick<SpanMeta, 'why_empty' | 'silent_since'>,
  nowMs: number,
): string | undefined {
  switch (why) {
    case 'no_such_source':
      return 'No source has this name.';
    case 'silent':
      return since === undefined
        ? 'The sources sent no lines in this time.'
        : `The sources sent no lines in this time; their last line is of ${momentText(since, nowMs)}.`;
    case 'filtered_out':
      return 'The sources have lines in this time, but none matches.';
    case 'expired':
      return 'The lines were removed because of their age.';
    default:
      return undefined;
  }
}

const STAGES: Readonly<Record<LedgerGap['stage'], string>> = {
  rotation: 'files deleted or truncated before the agent read them',
  spool_full: 'files deleted while the spool of the agent was full',
  skipped: 'entries of the journal that the agent could not read',
  missing: 'batches that never arrived',
  udp: 'datagrams that the server lost',
  quota: 'turned away by the quota',
  refused: 'not readable',
  damaged: 'stored, and damaged on the disk since',
  down: 'no server received syslog',
};

/** A stage at which lines are lost, in words. */
export const stageWords = (stage: LedgerGap['stage']): string => STAGES[stage];

/** Stages that count pieces of files or datagrams instead of lines. */
const PIECES: ReadonlySet<string> = new Set(['rotation', 'spool_full', 'udp']);

/** A gap in words: `10:02–10:05, 31 lines: turned away by the quota`. */
export function gapText({ start_time: start, end_time: end, lines, stage }: LedgerGap, nowMs: number): string {
  const [from, to] = [momentText(start, nowMs), momentText(end, nowMs)];
  const when = from === to ? from : `${from}–${to}`;
  // Nobody can know the lines that no server received.
  if (stage === 'down') return `${when}: ${STAGES[stage]}`;
  const many = lines === null || PIECES.has(stage) ? 'an unknown number of lines' : plural(lines, 'line');
  return `${when}, ${many}: ${STAGES[stage]}`;
}

/** The reason of incomplete answers in a sentence; `gaps` are undefined before the ledger is read. */
export function incompleteText(
  answers: readonly (Completeness | undefined)[],
  gaps: readonly LedgerGap[] | undefined,
  nameOf: (src: number) => string,
  nowMs: number,
): string {
  const last = gaps?.at(-1);
  if (last !== undefined) {
    const more = gaps === undefined || gaps.length === 1 ? '' : `; ${plural(gaps.length - 1, 'earlier gap')}`;
    // Source 0 is the server itself.
    const place = last.src === 0 ? '' : `lost on ${clean(nameOf(last.src))}, `;
    return `Incomplete: ${place}${gapText(last, nowMs)}${more}.`;
  }
  if (answers.some((answer) => answer?.capped === true)) {
    return 'Incomplete: the search ended before all groups were found. Narrow the filter or the time range.';
  }
  return gaps === undefined ? UNKNOWN : 'Incomplete: the search ran out of time. Narrow the filter or the time range.';
}
