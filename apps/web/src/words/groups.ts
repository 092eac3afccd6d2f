// Changes of groups of errors, with the way back.
import type { Client, ErrlogEntry, ErrlogState } from '@quarterdeck/sdk';
import { errorsText } from '../text/errors.ts';
import type { Done } from './done.ts';
import { plural } from './plural.ts';

const DONE: Readonly<Record<ErrlogState, string>> = {
  resolved: 'Resolved',
  muted: 'Muted',
  ongoing: 'Reopened',
  new: 'Reopened',
  regressed: 'Reopened',
};

/** Puts back the states that groups had before. */
async function restore(client: Client, before: readonly ErrlogEntry[]): Promise<void> {
  const groups = Map.groupBy(before, ({ state = 'ongoing', until = '' }) => `${state} ${until}`);
  for (const [key, entries] of groups) {
    const [state = 'ongoing', until = ''] = key.split(' ');
    const ids = entries.map(({ id }) => id);
    await client.errlog.bulk({
      body: { ids, state: state as ErrlogState, ...(state === 'muted' && until !== '' ? { until } : {}) },
    });
  }
}

/** Sets the state of groups. */
export async function setState(
  client: Client,
  before: readonly ErrlogEntry[],
  state: ErrlogState,
  until?: string,
): Promise<Done> {
  const ids = before.map(({ id }) => id);
  await client.errlog.bulk({ body: { ids, state, ...(until === undefined ? {} : { until }) } });
  return { text: `${DONE[state]} ${plural(ids.length, errorsText.group)}.`, undo: () => restore(client, before) };
}

/** Resolves groups of which only the ids are known. */
export async function resolveGroups(client: Client, ids: readonly number[]): Promise<Done> {
  const before = await Promise.all(ids.map((id) => client.errlog.get({ params: { id } })));
  return setState(client, before, 'resolved');
}
