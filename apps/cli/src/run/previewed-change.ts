// Changes that the server previews, such as those of the grouping of errors: each shows the effect before it asks.
import { connect, endpointCall } from '../account/connection.ts';
import type { EndpointName, Invocation, Values } from '../command/command.ts';
import { usage } from '../process/command-error.ts';
import { askFirst, counted, printAnswer, readIds } from './change.ts';

/** Previews a change, asks, makes it and prints the answer. Without a question there is nothing to change. */
async function changePreviewed<Preview>(
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

/** Result of a merge or a split. */
interface Regrouped {
  readonly matched: number;
  readonly group: number;
}

/** Merges groups into the first one. */
export async function runMerge(invocation: Invocation): Promise<undefined> {
  const ids = await readIds(invocation.program.io, invocation.args);
  if (ids.length < 2) throw usage('Give at least two groups.');
  return changePreviewed<Regrouped>(
    invocation,
    'errlog.merge',
    { body: { ids } },
    ({ matched, group }) => `Merge ${counted(matched, 'error group')}, on all sources, into group ${group}?`,
  );
}

/** Splits lines off a group. */
export async function runSplit(invocation: Invocation): Promise<undefined> {
  const [id, ...lines] = await readIds(invocation.program.io, invocation.args);
  if (id === undefined || lines.length === 0) throw usage('Give the id of a group and ids of its lines.');
  return changePreviewed<Regrouped>(
    invocation,
    'errlog.split',
    { params: { id }, body: { lines: lines.map(String) } },
    ({ matched, group }) => `Split ${counted(matched, 'occurrence')} off group ${group}?`,
  );
}

/** Makes a rule, or deletes it. */
export async function runRule(invocation: Invocation): Promise<undefined> {
  const [action = '', text = ''] = invocation.args;
  if (text === '') throw usage('Give an action and the text of a rule.');
  if (action === 'delete')
    return changePreviewed<Regrouped>(
      invocation,
      'errlog.removeRule',
      { body: { text } },
      () => `Delete the rule ${text}?`,
    );
  if (action !== 'group' && action !== 'ignore')
    throw usage(`Unknown action: ${action}. There are group, ignore and delete.`);
  const verb = action === 'group' ? 'Group' : 'Ignore';
  return changePreviewed<Regrouped>(
    invocation,
    'errlog.addRule',
    { body: { text, action } },
    ({ matched }) => `${verb} later lines like ${counted(matched, 'occurrence')} of the last day?`,
  );
}

/** Shows what the token loses, asks, and narrows it. */
export async function runNarrow(invocation: Invocation): Promise<undefined> {
  const [id, ...more] = await readIds(invocation.program.io, invocation.args);
  if (id === undefined || more.length > 0) throw usage('Give the id of one API token.');
  return changePreviewed<{ readonly removed: readonly string[] }>(
    invocation,
    'apiToken.narrow',
    { params: { id }, body: {} },
    ({ removed }) => (removed.length === 0 ? undefined : `Take ${removed.join(', ')} from API token ${id}?`),
  );
}
