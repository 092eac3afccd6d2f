// Runs a list.
import type { Invocation } from '../command.ts';
import { connect } from '../connection.ts';
import { type Columns, printRows } from '../output/print.ts';
import { say } from '../terminal/io.ts';
import { type ListSource, type Rows, readRows } from './rows.ts';

/** A list and its columns. */
export interface ListSpec extends ListSource, Columns {}

/** Reasons of an empty answer. */
const WHY_EMPTY: Readonly<Record<string, string>> = {
  no_such_source: 'There is no such source.',
  silent: 'The sources sent nothing in this time.',
  filtered_out: 'The sources sent lines in this time, but none matches.',
  expired: 'Retention has removed the lines of this time.',
};

/** Prints the rows of a list, and notes about them on standard error. */
export async function runList({ values, program }: Invocation, spec: ListSpec): Promise<undefined> {
  const { io } = program;
  const connection = connect(program, values);
  const { rows, meta } = await readRows(connection, spec, values, program);
  const printed = await printRows(io, rows, spec, values);
  for (const text of notesOf(meta, printed, io.stderr.isTTY === true)) await say(io, text);
}

/** Notes about an answer: that it is incomplete for scripts too, the others for people. */
function notesOf(
  { count, before, complete, why_empty: why }: Rows['meta'],
  printed: number,
  isPerson: boolean,
): string[] {
  const notes = complete === false ? ['The answer is not complete: the search ended early, or lines were lost.'] : [];
  if (!isPerson) return notes;
  if (why !== undefined) return [...notes, WHY_EMPTY[why] ?? `Nothing found: ${why}.`];
  if (count !== undefined && count > printed) {
    return [...notes, `${printed} of ${count.toLocaleString('en')}; --all prints all of them.`];
  }
  return typeof before === 'string' ? [...notes, 'There are older lines; --all prints all of them.'] : notes;
}
