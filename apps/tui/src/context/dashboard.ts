// The context of every screen: user, client, clock, settings, navigation and messages.
import type { Asking, UndoHistory } from '@quarterdeck/views/actions';
import type { Views } from '@quarterdeck/views/react';
import type { Zone } from '@quarterdeck/views/text';
import type { TimeRange } from '@quarterdeck/views/times';
import { createContext, use } from 'react';
import type { Navigation, Screen, Target } from '../commands/navigation.ts';
import type { KeyOf } from '../keys/key-hints.ts';
import type { Profile } from '../profiles/profile.ts';
import type { StateStore } from '../settings/state-store.ts';
import type { Terminal } from '../system/terminal.ts';
import type { Glyphs } from '../theme/glyphs.ts';
import type { Dialog } from './dialog.ts';

/** The selected row; `row` is undefined in an empty list. */
export interface Selection {
  current: { readonly screen: Screen; readonly row: unknown } | null;
}

/** Context of a screen. */
export interface Dashboard extends Views {
  readonly profile: Profile;
  /** Keeps a change and the way back, for the command `undo`. Returns the message with the key of that command. */
  readonly recordUndo: (...change: Parameters<UndoHistory['record']>) => string;
  /** The open dialog; null if there is none. */
  readonly dialog: Dialog | null;
  readonly open: (dialog: Dialog) => void;
  readonly close: () => void;
  readonly asking: Asking | null;
  /** The current screen and the way to it. */
  readonly navigation: Navigation;
  readonly go: (target: Target) => void;
  readonly setRange: (range: TimeRange | null) => void;
  /** The zone of all shown and typed times. */
  readonly zone: Zone;
  /** Reads the own user from the server again. */
  readonly renew: () => Promise<void>;
  /** Null where there is no terminal, as in tests. */
  readonly terminal: Terminal | null;
  /** Copies text to the terminal's clipboard. */
  readonly copy: (text: string) => void;
  readonly glyphs: Glyphs;
  /** Names the key of a command, for texts. */
  readonly keyOf: KeyOf;
  /** The selected row of the list that was visible last. */
  readonly selection: Selection;
  /** State that is kept between runs. */
  readonly store: StateStore;
}

/** Provided by the workspace. */
export const DashboardContext = createContext<Dashboard | null>(null);

/** Returns the context of this screen. */
export function useDashboard(): Dashboard {
  const dashboard = use(DashboardContext);
  if (dashboard === null) throw new Error('useDashboard outside of a workspace');
  return dashboard;
}
