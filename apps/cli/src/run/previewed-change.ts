// Changes that the server previews: each shows the effect before it asks.
import { connect, endpointCall } from '../account/connection.ts';
import type { EndpointName, Invocation, Values } from '../command/command.ts';
import { askFirst, printAnswer } from './change.ts';

/** Previews a change, asks, makes it and prints the answer. Without a question there is nothing to change. */
export async function changePreviewed<Preview>(
  { values, program }: Invocation,
  endpoint: EndpointName,
  call: { readonly params?: Values; readonly body: Values },
  question: (preview: Preview) => string | undefined,
): Promise<undefined> {
  const send = endpointCall(connect(program, values).client, endpoint);
  const preview = await send({ ...call, body: { ...call.body, dry_run: true } });
  const asked = question(preview as Preview);
  if (values['dry_run'] === true || asked === undefined) {
    await printAnswer(program.io, preview, '', values);
    return;
  }
  await askFirst(program.io, asked, values);
  await printAnswer(program.io, await send(call), 'Done.', values);
}
