// Writes the note of an object.

import { connect, endpointCall } from '../account/connection.ts';
import type { EndpointName, Invocation } from '../command/command.ts';
import { readInput } from '../terminal/io.ts';
import { printAnswer, printRequest, readIds } from './change.ts';

/** Sets the field `note` of the object whose id is the first argument. */
export async function runNote({ args, values, program }: Invocation, endpoint: EndpointName): Promise<undefined> {
  const [first = '', text = ''] = args;
  const [id] = await readIds(program.io, [first]);
  const body = { note: text === '-' ? (await readInput(program.io)).trimEnd() : text };
  if (values['dry_run'] === true) {
    await printRequest(program.io, endpoint, { id }, body);
    return;
  }
  const { client } = connect(program, values);
  const answer = await endpointCall(client, endpoint)({ params: { id }, body });
  await printAnswer(program.io, answer, 'The note is stored.', values);
}
