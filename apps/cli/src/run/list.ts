// Runs a list.
import { formatMoment } from '@quarterdeck/core/filter';
import { connect } from '../account/connection.ts';
import type { EndpointName, Invocation } from '../command/command.ts';
import { type Row, valueAt } from '../output/cells.ts';
import { type Columns, printRows } from '../output/print.ts';
import { type Io, say } from '../terminal/io.ts';
import { type ListSource, type Rows, readRows } from './rows.ts';
import { warnOfUnusedFields, warnOfUnusedLabels } from './unused-fields.ts';

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
  const fields = new Set<string>();
  const printed = await printRows(io, noting(rows, fields), spec, values);
  await printNotes(io, meta, printed);
  if (spec.endpoint === 'agent.list') await warnOfUnusedLabels(program, connection.client, values, printed);
  if (!FILTERED_BY_LINES.includes(spec.endpoint)) return;
  await warnOfUnusedFields(program, connection.client, values['filter'] as string | undefined, {
    count: printed,
    fields,
  });
}

/** Lists whose filters may name any field of a line. */
const FILTERED_BY_LINES: readonly EndpointName[] = ['errlog.list', 'line.list'];

/** Passes rows on and notes the fields of those that are lines. */
async function* noting(rows: Rows['rows'], fields: Set<string>): AsyncGenerator<Row, void, undefined> {
  for await (const row of rows) {
    for (const name of Object.keys(valueAt(row, 'fields') ?? {})) fields.add(name);
    yield row;
  }
}

/** Prints notes on standard error about an answer of which `printed` rows were printed. */
export async function printNotes(io: Io, meta: Rows['meta'], printed: number): Promise<void> {
  for (const text of notesOf(meta, printed, io.stderr.isTTY === true)) await say(io, text);
}

/** Notes about an answer: that it is incomplete for scripts too, the others for people. */
function notesOf(
  { count, before, complete, damaged = [], why_empty: why }: Rows['meta'],
  printed: number,
  isPerson: boolean,
): string[] {
  const notes = damaged.map(
    ({ from, to }) =>
      `Stored lines are damaged and missing, from ${formatMoment({ unix: from })} to ${formatMoment({ unix: to })}.`,
  );
  if (complete === false && notes.length === 0)
    notes.push('The answer is not complete: the search ended early, or lines were lost.');
  if (!isPerson) return notes;
  if (why !== undefined) return [...notes, WHY_EMPTY[why] ?? `Nothing found: ${why}.`];
  if (count !== undefined && count > printed) {
    return [...notes, `${printed} of ${count.toLocaleString('en')}; --all prints all of them.`];
  }
  return typeof before === 'string' ? [...notes, 'There are older lines; --all prints all of them.'] : notes;
}
