// What the whole dashboard shares, signed in or not: the server, what was chosen, what was said and asked.
import type { RequestInfo } from '@quarterdeck/sdk';
import { createContext } from 'react';
import type { Glyphs } from './components/glyphs.ts';
import type { Message } from './data/dashboard.ts';
import type { Log } from './data/log.ts';
import type { Profile } from './profiles/profile.ts';
import type { Settings } from './settings/settings.ts';
import type { StateStore } from './settings/state-store.ts';
import type { Theme } from './theme.ts';

/** The shell around the screens. */
export interface Shell {
  readonly profile: Profile;
  readonly profiles: readonly Profile[];
  /** Connects to another server; null where it worked, else why not. */
  readonly connectTo: (name: string) => string | null;
  readonly settings: Settings;
  /** Changes what was chosen, and writes it. Null where it was written, else why not. */
  readonly setSettings: (settings: Settings) => string | null;
  readonly theme: Theme;
  readonly glyphs: Glyphs;
  readonly store: StateStore;
  readonly now: () => number;
  readonly copy: (text: string) => void;
  /** Takes the dashboard off the terminal. */
  readonly quit: () => void;
  readonly requests: Log<RequestInfo>;
  readonly messages: Log<Message>;
  /** Versions, paths and what the terminal can do, for the screen that tells them. */
  readonly facts: readonly (readonly [label: string, value: string])[];
}

/** Provided by the root. */
export const ShellContext = createContext<Shell>(undefined as unknown as Shell);
