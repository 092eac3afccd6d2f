// Runs reads of lines that are no list of the contract, and their erasure.
import type { LineErased } from '@quarterdeck/sdk';
import { connect, withConfirmation } from '../account/connection.ts';
import { endpointOf, type Invocation } from '../command/command.ts';
import { given } from '../command/flags.ts';
import { type Columns, printObject, printRows } from '../output/print.ts';
import { usage } from '../process/command-error.ts';
import { say } from '../terminal/io.ts';
import { askFirst, counted } from './change.ts';
import { printNotes } from './list.ts';
import { queryOf } from './rows.ts';
import { warnOfUnusedFields } from './unused-fields.ts';

/** Prints the most frequent values of a field. */
export async function runValues({ args, values, program }: Invocation): Promise<undefined> {
  const filter = values['filter'] as string | undefined;
  const query = { ...queryOf({ endpoint: 'line.values' }, values), field: args[0] ?? '', ...(filter && { filter }) };
  const { client } = connect(program, values);
  const answer = await client.line.values({ query });
  await printRows(program.io, answer.values, { columns: ['value', 'count'] }, values);
  const count = answer.values.length;
  await printNotes(program.io, answer.meta, count);
  await warnOfUnusedFields(program, client, filter, { count });
  if (count === 0 && filter === undefined) await warnOfUnusedFields(program, client, `${query.field}:*`);
}

/** Prints the lines around a line. */
export async function runContext({ args, values, program }: Invocation, columns: Columns): Promise<undefined> {
  const query = given(endpointOf('line.context').query, values);
  const { data } = await connect(program, values).client.line.context({ params: { id: args[0] ?? '' }, query });
  await printRows(program.io, data, columns, values);
}

/** Erases lines, after their number is known and the answer is yes. */
export async function runErase({ values, program }: Invocation): Promise<undefined> {
  const filter = values['filter'] as string | undefined;
  if (filter === undefined || filter.trim() === '') throw usage('--filter is required: it selects the lines to erase.');
  const { io } = program;
  const connection = connect(program, values);
  const { line } = connection.client;
  const preview = await withConfirmation(io, connection, () => line.erase({ body: { filter, dry_run: true } }));
  await warnOfUnusedFields(program, connection.client, filter, { count: preview.matched });
  if (values['dry_run'] === true) return printObject(io, preview, values) as Promise<undefined>;
  await askFirst(io, `Erase ${counted(preview.matched, 'line')} for good?`, values);
  const erased = await line.erase({ body: { filter } });
  await printObject(io, erased, values);
  for (const sentence of sentencesOf(erased)) await say(io, sentence);
}

/** Tells what an erasure covers, and what it does not reach. */
function sentencesOf({ erased, groups, alerts, messages, sent, backups, damaged = [] }: LineErased): string[] {
  const covered = [counted(groups, 'error group'), counted(alerts, 'alert'), counted(messages, 'message')];
  return [
    `Erased ${counted(erased, 'line')}, and their texts in events, ${covered.join(', ')}; what waits is sent without.`,
    ...(sent > 0 ? [`Receivers may have ${counted(sent, 'message')} with the text: erase it there.`] : []),
    ...(backups.length > 0 ? [`These copies still hold the text until they are deleted: ${backups.join(', ')}`] : []),
    ...(damaged.length > 0
      ? ['Damaged lines were not compared: stop the server, run "quarterdeckd repair", then erase again.']
      : []),
    'Not reached: backups in other places, agents that still send the text, and what somebody has read or exported.',
  ];
}
