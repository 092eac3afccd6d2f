// Prints the answer to a read.

import { connect, endpointCall } from '../account/connection.ts';
import { type EndpointName, endpointOf, type Invocation } from '../command/command.ts';
import { given } from '../command/flags.ts';
import type { Row } from '../output/cells.ts';
import { printObject } from '../output/print.ts';
import { warnOfUnusedFields } from './unused-fields.ts';

/** Calls a read, of the object whose id is the argument if there is one, and prints its answer. */
export async function runGet({ args, values, program }: Invocation, endpoint: EndpointName): Promise<undefined> {
  const { query, detail } = endpointOf(endpoint);
  const [id] = args;
  const { client } = connect(program, values);
  const answer = await endpointCall(
    client,
    endpoint,
  )({
    ...(id === undefined ? {} : { params: { id } }),
    query: { ...(detail === true ? { detail: 1 } : {}), ...given(query, values) },
  });
  await printObject(program.io, answer as Row, values);
  // Filters of agents name no fields of lines.
  if (endpoint !== 'agent.totals') await warnOfUnusedFields(program, client, values['filter'] as string | undefined);
}
