// Rows of a prompt: the input, and above it the completions and the problem. Pure.

import type { Completion, InputProblem } from '@quarterdeck/views/filters';
import { clean } from '@quarterdeck/views/text';
import { cut, fit, width as widthOf, wrap } from '../../text/width.ts';
import { BOX_EDGE, boxLines } from '../../theme/box.ts';
import { fitLine, type Line, type Run } from '../../theme/lines.ts';
import { on } from '../../theme/theme.ts';
import { textRuns } from '../form/form-lines.ts';

/** Most completions in view. */
const COMPLETIONS_MAX = 8;
const PROBLEM_ROWS = 3;
/** Widest completions, columns. */
const COLUMNS_MAX = 60;
const TEXT_MAX = 40;

/** Renders the input in exactly `columns`; a selected one in the style of the selection. */
export function inputRuns(text: string, caret: number, columns: number, isSelected: boolean): Run[] {
  const runs = textRuns(text, caret, columns);
  return isSelected ? runs.map((run, index) => (index === 0 ? { ...run, tone: 'selected' } : run)) : runs;
}

/** Renders the rows above the input. `chosen` is the index of the completion in the input. */
export function panelLines(
  problem: InputProblem | null,
  completions: readonly Completion[],
  chosen: number | null,
  width: number,
): Line[] {
  // The completions say what can follow.
  const shown = problem?.isIncomplete === true && completions.length > 0 ? null : problem;
  return [...completionLines(completions, chosen, width), ...problemLines(shown, width)];
}

function completionLines(completions: readonly Completion[], chosen: number | null, width: number): Line[] {
  const from = Math.max(0, Math.min((chosen ?? 0) - COMPLETIONS_MAX + 1, completions.length - COMPLETIONS_MAX));
  const shown = completions
    .slice(from, from + COMPLETIONS_MAX)
    .map(({ text, note }) => ({ text: clean(text), note: clean(note) }));
  const texts = Math.min(TEXT_MAX, Math.max(0, ...shown.map(({ text }) => widthOf(text))));
  const notes = Math.max(0, ...shown.map(({ note }) => widthOf(note)));
  if (shown.length === 0) return [];
  const columns = Math.min(width - BOX_EDGE.columns, COLUMNS_MAX, texts + notes + 2);
  const lines = shown.map(({ text, note }, index) => {
    const ground = from + index === chosen ? 'selected' : undefined;
    return fitLine(
      [
        { text: `${fit(cut(text, texts), texts)}  `, tone: on('plain', ground) },
        { text: cut(note, Math.max(0, columns - texts - 2)), tone: on('muted', ground) },
      ],
      columns,
      on('plain', ground),
    );
  });
  return boxLines(lines, { width: columns + BOX_EDGE.columns });
}

function problemLines(problem: InputProblem | null, width: number): Line[] {
  if (problem === null) return [];
  const tone = problem.isIncomplete ? 'muted' : 'bad';
  return wrap(problem.text, width - 2)
    .slice(0, PROBLEM_ROWS)
    .map((row) => fitLine([{ text: ` ${row}`, tone }], width));
}
