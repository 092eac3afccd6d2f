// Binds the keys and the mouse of a list, and the screen's own commands over them.
import { BODY_TOP } from '../../components/frame/geometry.ts';
import { closeCommand, listCommands } from '../../components/list/list-commands.ts';
import type { ListExtras } from '../../components/list/list-context.ts';
import { listMouse } from '../../components/list/list-mouse.ts';
import type { List } from '../../components/list/use-list.ts';
import { useDashboard } from '../../data/dashboard.ts';
import type { Place } from '../../keys/keymap.ts';
import { type Commands, useCommands } from '../../keys/use-commands.ts';
import type { Screen } from '../../navigation.ts';

/** Screens that are lists. */
export type ListPlace = Exclude<Extract<Place, Screen>, 'overview'>;

interface ListCommandsOptions<P extends ListPlace> {
  readonly visible: boolean;
  readonly extras: ListExtras;
  readonly own: Partial<Commands<P>>;
  /** Rows of the screen above the list. */
  readonly above?: number;
  /** Clears the last thing that Escape can clear; absent where there is none. */
  readonly clear?: (() => void) | undefined;
}

/** Binds the commands of a list while it is visible. */
export function useListCommands<T extends { readonly id: number }, P extends ListPlace>(
  place: P,
  list: List<T>,
  { visible, extras, own, above = 0, clear }: ListCommandsOptions<P>,
): void {
  const shared = listCommands(list, useDashboard(), extras);
  const close = closeCommand(list, extras) ?? clear;
  useCommands(place, { ...shared, ...own, ...(close === undefined ? {} : { close }) } as Commands<P>, {
    active: visible,
    onMouse: listMouse(list, { top: BODY_TOP + above, commands: shared, extras }),
  });
}
