// The commands that work on every screen.
import { LINE_FIELDS } from '@quarterdeck/core/filter';
import { runAndReport, type UndoHistory } from '@quarterdeck/views/actions';
import { use, useEffect } from 'react';
import { goCommand, SCREENS } from '../commands/navigation.ts';
import { bookmarksDialog } from '../components/list/bookmark-commands.ts';
import { filterHelpDialog } from '../components/list/filter-help.ts';
import type { Dashboard } from '../context/dashboard.ts';
import { ShellContext } from '../context/shell.ts';
import type { Account, Session } from '../data/session.ts';
import { PLACES } from '../keys/keymap.ts';
import { type Commands, KeyboardContext, useCommands } from '../keys/use-commands.ts';
import { type CommandActions, commandDialog, helpDialog, paletteDialog } from './command-dialogs.ts';
import { useCustomCommands } from './use-custom-commands.ts';
import { useRangeCommands } from './use-range-commands.ts';

/** Returns the actions as they are at the time of the call. */
function useCommandActions({
  go,
  say,
  now,
  zone,
}: Pick<Dashboard, 'go' | 'say' | 'now' | 'zone'>): () => CommandActions {
  const keyboard = use(KeyboardContext);
  const { settings, setSettings, themes, profiles, connectTo } = use(ShellContext);
  return () => ({
    bound: keyboard.underneath(),
    unavailable: keyboard.unavailable(),
    run: ({ place, command }, argument) => keyboard.run(place, command, argument),
    go,
    setTheme(name) {
      const theme = themes.find((one) => one === name);
      return theme === undefined ? `Unknown theme. Themes: ${themes.join(', ')}.` : setSettings({ ...settings, theme });
    },
    themes,
    useProfile: connectTo,
    present: () => ({ nowMs: now(), zone }),
    profiles: profiles.map(({ name }) => name),
    say: (text) => say({ tone: 'warning', text }),
  });
}

/** Longest wait for the server when signing out, milliseconds. */
const SIGN_OUT_MS = 1_000;

interface AppCommandsOptions {
  readonly account: Account;
  readonly session: Session;
  /** Absent on the first screen. */
  readonly back: (() => void) | undefined;
  readonly history: UndoHistory;
}

/** Binds help, palette, command line, undo, and the keys of the screens. */
export function useAppCommands(dashboard: Dashboard, { account, session, back, history }: AppCommandsOptions): void {
  const { store, quit } = use(ShellContext);
  const { go, open, say } = dashboard;
  const keyboard = use(KeyboardContext);
  useEffect(() => keyboard.setSay((text) => say({ tone: 'notice', text })), [keyboard, say]);
  const actions = useCommandActions(dashboard);
  const rangeCommands = useRangeCommands(dashboard);
  const custom = useCustomCommands(dashboard);
  // The keyboard refuses the screens that the user may not open, and says why.
  const goTo = Object.fromEntries(SCREENS.map((screen) => [goCommand(screen), () => go({ screen })]));
  useCommands('app', {
    ...(goTo as Partial<Commands<'app'>>),
    ...rangeCommands,
    bookmarks() {
      const dialog = bookmarksDialog(dashboard, (screen) => PLACES[screen].title);
      if (dialog === null) say({ tone: 'notice', text: 'No bookmarks yet; :bookmark sets one on the selected row.' });
      else open(dialog);
    },
    ...custom,
    help: () => open(helpDialog(actions())),
    palette: () => open(paletteDialog(actions())),
    command: () => open(commandDialog(actions(), store.get().commands, (line) => store.remember('commands', line))),
    filterHelp: () => open(filterHelpDialog(LINE_FIELDS)),
    back,
    undo: () => void runAndReport(history.undo, dashboard),
    quitHere: back === undefined ? quit : undefined,
    quit,
    signOut: account.how === 'token' ? undefined : () => void session.signOut(SIGN_OUT_MS),
  });
}
