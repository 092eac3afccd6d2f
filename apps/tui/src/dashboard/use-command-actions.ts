// Connects palette, help and command line with the dashboard.
import { use } from 'react';
import type { Dashboard } from '../context/dashboard.ts';
import { ShellContext } from '../context/shell.ts';
import { KeyboardContext } from '../keys/use-commands.ts';
import type { CommandActions } from './command-dialogs.ts';

/** Returns the actions as they are at the time of the call. */
export function useCommandActions({
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
