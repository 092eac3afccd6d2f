// Binds the keys and the mouse of a list, and the screen's own commands over them.
import { useLayoutEffect } from 'react';
import type { Screen } from '../../commands/navigation.ts';
import { BODY_TOP } from '../../components/geometry.ts';
import { closeCommand, listCommands } from '../../components/list/list-commands.ts';
import type { ListExtras } from '../../components/list/list-context.ts';
import { listMouse } from '../../components/list/list-mouse.ts';
import type { List } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';
import type { Runnable } from '../../keys/keyboard.ts';
import { bindingsOf, PLACES, type Place } from '../../keys/keymap.ts';
import { type Commands, useCommands } from '../../keys/use-commands.ts';
import type { Run } from '../../theme/lines.ts';
import { type ScreenFilter, useViews } from './use-views.ts';

export type ListPlace = Exclude<Extract<Place, Screen>, 'overview'>;

/** The reasons of the commands that need a row, while there is none. */
const NO_ROW = Object.fromEntries(
  Object.keys(PLACES).map((place) => [
    place,
    Object.fromEntries(
      bindingsOf(place as Place)
        .filter(([, { row }]) => row === true)
        .map(([command]) => [command, 'Select a row first.']),
    ),
  ]),
) as Readonly<Record<Place, Readonly<Record<string, string>>>>;

interface ListCommandsOptions<P extends ListPlace> {
  readonly visible: boolean;
  readonly extras: ListExtras;
  readonly own: Partial<Commands<P>>;
  /** Rows of the screen above the list. */
  readonly above?: number;
  /** Clears the last thing that Escape can clear; absent where there is none. */
  readonly clear?: (() => void) | undefined;
  /** The filter of the screen, for saved views; absent where the list filters its rows itself. */
  readonly filter?: ScreenFilter;
}

/** Binds the commands of a list while it is visible. Returns its saved views as tabs. */
export function useListCommands<T extends { readonly id: number }, P extends ListPlace>(
  place: P,
  list: List<T>,
  { visible, extras: given, own, above = 0, clear, filter }: ListCommandsOptions<P>,
): readonly Run[] {
  const dashboard = useDashboard();
  const extras: ListExtras = { ...given, screen: place };
  const views = useViews(place, list, filter);
  const shared = { ...listCommands(list, dashboard, extras), ...views.commands };
  const { selection } = dashboard;
  useLayoutEffect(() => {
    if (visible) selection.current = { screen: place, row: list.selected };
  });
  const close = closeCommand(list, extras) ?? clear;
  const commands: Readonly<Record<string, Runnable | undefined>> = { ...shared, ...own };
  const missing = Object.entries(list.selected === undefined ? NO_ROW[place] : {}).filter(
    ([command]) => commands[command] === undefined,
  );
  const all = { ...commands, ...Object.fromEntries(missing), ...(close === undefined ? {} : { close }) };
  useCommands(place, all as Commands<P>, {
    active: visible,
    onMouse: listMouse(list, { top: BODY_TOP + above, commands: shared, extras }),
  });
  return views.tabs;
}
