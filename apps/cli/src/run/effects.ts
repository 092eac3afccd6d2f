// Prints the effects of a change from outside: in a table, the verdict and the errors it is about.

import { connect } from '../account/connection.ts';
import { endpointOf, type Invocation } from '../command/command.ts';
import { given } from '../command/flags.ts';
import { printObject, printRows } from '../output/print.ts';
import { write } from '../terminal/io.ts';

const COLUMNS = ['id', 'verdict', 'level', 'before', 'after', 'others_before', 'others_after', 'service', 'log'];

/** Prints the effects of a change. */
export async function runEffects({ args, values, program }: Invocation): Promise<undefined> {
  const { io } = program;
  const query = given(endpointOf('change.effects').query, values);
  const answer = await connect(program, values).client.change.effects({ params: { id: Number(args[0]) }, query });
  const { errors, ...rest } = answer;
  const format = values['output'] ?? 'table';
  if (values['jq'] !== undefined || (format !== 'table' && format !== 'wide')) {
    return printObject(io, answer, values) as Promise<undefined>;
  }
  await printObject(io, rest, values);
  if (errors.length === 0) return;
  await write(io.stdout, '\n');
  await printRows(io, errors, { columns: COLUMNS }, values);
}
