// The way from an error to its lines.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { FILTERED_GROUPS_MAX, groupsOf } from '@quarterdeck/views/errlog';
import { failureOf } from '@quarterdeck/views/failures';
import { groupFilter } from '@quarterdeck/views/filters';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { ErrlogDetail } from './use-errlog-detail.ts';

/** Opens the lines. Enter does so in the details, which it shows first in the place of what changed. */
export function lineCommands(
  { selected, state }: List<ErrlogEntry>,
  { go, client, fail, say }: Pick<Dashboard, 'go' | 'client' | 'fail' | 'say'>,
  { showsChanges, showChanges }: Pick<ErrlogDetail, 'showsChanges' | 'showChanges'>,
) {
  if (selected === undefined) return {};
  const open = (groups: readonly number[]): void => go({ screen: 'lines', text: groupFilter(groups) });
  const openAll = (): void => {
    groupsOf(client, selected, { most: FILTERED_GROUPS_MAX })
      .then((groups) => open(groups.map(({ id }) => id)))
      .catch((error: unknown) => {
        fail(error);
        say({ tone: 'bad', text: failureOf(error).message });
      });
  };
  const lines = (selected.sources ?? 1) > 1 ? openAll : () => open([selected.id]);
  if (state.detail === 'closed') return { lines };
  return { lines, enlarge: undefined, ...(showsChanges ? { open: () => showChanges(false) } : {}) };
}
