// Narrows an API token to the permissions that it uses.
import type { Invocation } from '../command/command.ts';
import { usage } from '../process/command-error.ts';
import { readIds } from './change.ts';
import { changePreviewed } from './previewed-change.ts';

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
