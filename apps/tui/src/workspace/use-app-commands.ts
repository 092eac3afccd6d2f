// The commands that work on every screen.
import { use } from 'react';
import { commandDialog, helpDialog, paletteDialog } from '../commands/registry.ts';
import { useCommandActions } from '../commands/use-command-actions.ts';
import type { Dashboard } from '../data/dashboard.ts';
import type { Account, Session } from '../data/session.ts';
import { type Commands, useCommands } from '../keys/use-commands.ts';
import { goCommand, type Screen } from '../navigation.ts';
import { ShellContext } from '../shell.ts';

/** Longest wait for the server when signing out, milliseconds. */
const SIGN_OUT_MS = 1_000;

interface AppCommandsOptions extends Pick<Dashboard, 'go' | 'say' | 'open'> {
  readonly account: Account;
  readonly session: Session;
  readonly screens: readonly Screen[];
  /** Absent on the first screen. */
  readonly back: (() => void) | undefined;
}

/** Binds help, palette, command line, and the keys of the screens. */
export function useAppCommands({ account, session, screens, go, say, back, open }: AppCommandsOptions): void {
  const { store, quit } = use(ShellContext);
  const actions = useCommandActions({ go, say });
  const goTo = Object.fromEntries(screens.map((screen) => [goCommand(screen), () => go({ screen })]));
  useCommands('app', {
    ...(goTo as Partial<Commands<'app'>>),
    help: () => open(helpDialog(actions())),
    palette: () => open(paletteDialog(actions())),
    command: () => open(commandDialog(actions(), store.get().commands, (line) => store.remember('commands', line))),
    back,
    quitHere: back === undefined ? quit : undefined,
    quit,
    signOut: account.how === 'password' ? () => void session.signOut(SIGN_OUT_MS) : undefined,
  });
}
