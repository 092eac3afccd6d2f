// Prints the changes before an error: in a table, each window with its summary and its suspected changes.
import { cleanLines } from '@quarterdeck/views/text';
import { connect } from '../account/connection.ts';
import type { Invocation } from '../command/command.ts';
import { endpointOf } from '../command/command.ts';
import { given } from '../command/flags.ts';
import { printObject, printRows } from '../output/print.ts';
import { say, write } from '../terminal/io.ts';

const COLUMNS = ['strength', 'score', 'kind', 'field', 'name', 'from', 'to', 'first', 'explanation'] as const;

/** Prints the windows of an error group. */
export async function runErrorChanges({ args, values, program }: Invocation): Promise<undefined> {
  const { io } = program;
  const query = {
    ...given(endpointOf('errlog.changes').query, values),
    ...given({ limit: { type: 'number' } }, values),
  };
  const answer = await connect(program, values).client.errlog.changes({ params: { id: Number(args[0]) }, query });
  const format = values['output'] ?? 'table';
  if (values['jq'] !== undefined || !['table', 'wide', 'csv', 'ndjson'].includes(String(format))) {
    return printObject(io, { ...answer }, values) as Promise<undefined>;
  }
  if (format === 'csv' || format === 'ndjson') {
    await printRows(
      io,
      answer.windows.flatMap(({ changes }) => changes),
      { columns: COLUMNS },
      values,
    );
    return;
  }
  for (const { summary, changes } of answer.windows) {
    await write(io.stdout, `${cleanLines(summary).join('\n')}\n`);
    if (changes.length > 0)
      await printRows(io, changes, { columns: COLUMNS.slice(0, -1), wide: COLUMNS.slice(-1) }, values);
    await write(io.stdout, '\n');
  }
  if (!answer.complete) await say(io, 'Not all changes were examined, or the history is shorter.');
}
