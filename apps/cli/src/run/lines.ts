// Runs reads of lines that are no list of the contract, and their erasure.
import { endpointOf, type Invocation } from '../command.ts';
import { usage } from '../command-error.ts';
import { connect, withConfirmation } from '../connection.ts';
import { given } from '../flags.ts';
import { type Columns, printObject, printRows } from '../output/print.ts';
import { askFirst, counted } from './change.ts';
import { queryOf } from './rows.ts';

/** Prints the most frequent values of a field. */
export async function runValues({ args, values, program }: Invocation): Promise<undefined> {
  const filter = values['filter'] as string | undefined;
  const query = { ...queryOf({ endpoint: 'line.values' }, values), field: args[0] ?? '', ...(filter && { filter }) };
  const answer = await connect(program, values).client.line.values({ query });
  await printRows(program.io, answer.values, { columns: ['value', 'count'] }, values);
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
  if (values['dry_run'] === true) return printObject(io, preview, values) as Promise<undefined>;
  await askFirst(io, `Erase ${counted(preview.matched, 'line')} for good?`, values);
  await printObject(io, await line.erase({ body: { filter } }), values);
}
