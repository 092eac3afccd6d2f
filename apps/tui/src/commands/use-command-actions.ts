// Connects palette, help and command line with the dashboard.
import { use } from 'react';
import type { Dashboard } from '../data/dashboard.ts';
import { KeyboardContext } from '../keys/use-commands.ts';
import { ShellContext } from '../shell.ts';
import { THEMES } from '../theme.ts';
import type { CommandActions } from './registry.ts';

/** Returns the actions as they are at the time of the call. */
export function useCommandActions({ go, say }: Pick<Dashboard, 'go' | 'say'>): () => CommandActions {
  const keyboard = use(KeyboardContext);
  const { settings, setSettings, profiles, connectTo } = use(ShellContext);
  return () => ({
    bound: keyboard.underneath(),
    run: ({ place, command }) => keyboard.run(place, command),
    go,
    setTheme(name) {
      const theme = THEMES.find((one) => one === name);
      return theme === undefined ? `Unknown theme. Themes: ${THEMES.join(', ')}.` : setSettings({ ...settings, theme });
    },
    useProfile: connectTo,
    profiles: profiles.map(({ name }) => name),
    say: (text) => say({ tone: 'warning', text }),
  });
}
