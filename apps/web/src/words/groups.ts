// Changes of groups of errors, with the way back.
import type { Client, ErrlogEntry, ErrlogState } from '@quarterdeck/sdk';
import { restoreStates, STATE_DONE, setErrlogState } from '@quarterdeck/views/errlog';
import { errorsText } from '../text/errors.ts';
import type { Done } from './done.ts';
import { plural } from './plural.ts';

/** Sets the state of groups. */
export async function setState(
  client: Client,
  before: readonly ErrlogEntry[],
  state: ErrlogState,
  until?: string,
): Promise<Done> {
  const ids = before.map(({ id }) => id);
  await setErrlogState(client, ids, state, until);
  const done = `${STATE_DONE[state]} ${plural(ids.length, errorsText.group)}.`;
  return { text: done, undo: () => restoreStates(before, client) };
}

/** Resolves groups of which only the ids are known. */
export async function resolveGroups(client: Client, ids: readonly number[]): Promise<Done> {
  const before = await Promise.all(ids.map((id) => client.errlog.get({ params: { id } })));
  return setState(client, before, 'resolved');
}
