// The state that the whole dashboard shares, signed in or not: server, settings, messages and requests.
import type { RequestInfo } from '@quarterdeck/sdk';
import type { Message } from '@quarterdeck/views/text';
import { createContext } from 'react';
import type { Log } from '../data/log.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Settings } from '../settings/settings.ts';
import type { StateStore } from '../settings/state-store.ts';
import type { BackgroundPrograms } from '../system/background-programs.ts';
import type { Glyphs } from '../theme/glyphs.ts';
import type { Theme } from '../theme/theme.ts';

/** The shell around the screens. */
export interface Shell {
  readonly profile: Profile;
  readonly profiles: readonly Profile[];
  /** Connects to another server; returns null, or the problem. */
  readonly connectTo: (name: string) => string | null;
  readonly settings: Settings;
  /** Changes and writes the settings; returns null, or the problem. */
  readonly setSettings: (settings: Settings) => string | null;
  readonly theme: Theme;
  /** Names of all themes: the built-in ones and the user's. */
  readonly themes: readonly string[];
  readonly glyphs: Glyphs;
  readonly store: StateStore;
  readonly background: BackgroundPrograms;
  readonly now: () => number;
  readonly copy: (text: string) => void;
  /** Takes the dashboard off the terminal. */
  readonly quit: () => void;
  readonly requests: Log<RequestInfo>;
  readonly messages: Log<Message>;
  /** The first problem of the settings; null without one. */
  readonly problem: string | null;
  /** Paths and other facts for the screen `info`. */
  readonly facts: readonly (readonly [label: string, value: string])[];
}

/** Provided by the root. */
export const ShellContext = createContext<Shell>(undefined as unknown as Shell);
