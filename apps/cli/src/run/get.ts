// Prints the answer to a read.
import { type EndpointName, endpointOf, type Invocation } from '../command.ts';
import { connect, endpointCall } from '../connection.ts';
import { given } from '../flags.ts';
import type { Row } from '../output/cells.ts';
import { printObject } from '../output/print.ts';

/** Calls a read, of the object whose id is the argument if there is one, and prints its answer. */
export async function runGet({ args, values, program }: Invocation, endpoint: EndpointName): Promise<undefined> {
  const { query, detail } = endpointOf(endpoint);
  const [id] = args;
  const answer = await endpointCall(
    connect(program, values).client,
    endpoint,
  )({
    ...(id === undefined ? {} : { params: { id } }),
    query: { ...(detail === true ? { detail: 1 } : {}), ...given(query, values) },
  });
  await printObject(program.io, answer as Row, values);
}
