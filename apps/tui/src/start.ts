// What a dashboard begins with: the servers, what was chosen, and how to reach one of them. No terminal, no React.
import { readFileSync } from 'node:fs';
import type { RequestInfo } from '@quarterdeck/sdk';
import type { Config } from './config.ts';
import type { Message } from './data/dashboard.ts';
import { createLog, type Log } from './data/log.ts';
import { readOnly } from './data/read-only.ts';
import { createSession, type Session } from './data/session.ts';
import type { Profile } from './profiles/profile.ts';
import {
  configPath,
  type Folders,
  loadSettings,
  loadState,
  saveSettings,
  statePath,
  writeWhole,
} from './settings/files.ts';
import { DEFAULTS, type Settings } from './settings/settings.ts';
import { createStateStore, type KeptState, type StateStore } from './settings/state-store.ts';

/** What a dashboard begins with. */
export interface Start {
  /** The servers that are known before the settings are asked: the one of the environment, or the demo. */
  readonly given: readonly Profile[];
  readonly first: Profile;
  readonly settings: Settings;
  /** Writes the settings; null where that worked, else why not. */
  readonly save: (settings: Settings) => string | null;
  readonly store: StateStore;
  readonly requests: Log<RequestInfo>;
  readonly messages: Log<Message>;
  readonly connect: (profile: Profile) => Session;
  readonly background: 'dark' | 'light' | undefined;
  readonly color: boolean;
  readonly depth: 16 | 256 | 'true';
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly now: () => number;
}

/** What can be said differently, by the demo and by tests. */
export interface StartOptions {
  readonly fetch?: typeof fetch | undefined;
  readonly now?: (() => number) | undefined;
  /** Null: nothing is read from the disk, nothing is written. */
  readonly folders: Folders | null;
  readonly settings?: Settings;
}

function tokenOf(profile: Profile, config: Config): string | undefined {
  if (profile.name === config.profile.name) return config.token;
  if (profile.tokenFile === undefined) return undefined;
  try {
    return readFileSync(profile.tokenFile, 'utf8').trim() || undefined;
  } catch {
    // Then there is the sign-in.
    return undefined;
  }
}

/** Gets everything ready; sends nothing yet. */
export function prepare(config: Config, options: StartOptions): Start {
  const { folders, fetch, now = Date.now } = options;
  const read = folders === null ? { settings: options.settings ?? DEFAULTS, problems: [] } : loadSettings(folders);
  const requests = createLog<RequestInfo>(now, 500);
  const messages = createLog<Message>(now, 200);
  for (const problem of read.problems) messages.add({ tone: 'warning', text: problem });
  const write = (kept: KeptState): void => {
    if (folders !== null) writeWhole(statePath(folders), JSON.stringify(kept));
  };
  const named = read.settings.profiles.find(({ name }) => name === config.profileName);
  return {
    given: [config.profile],
    first: named ?? config.profile,
    settings: { ...read.settings, ...(config.ascii ? { ascii: true } : {}) },
    save: (settings) =>
      folders === null || saveSettings(folders, settings) ? null : `${configPath(folders)} cannot be written.`,
    store: createStateStore(folders === null ? null : loadState(folders), write),
    requests,
    messages,
    connect(profile) {
      const own = fetch ?? globalThis.fetch;
      return createSession({
        url: profile.url,
        consoleUrl: profile.consoleUrl,
        token: tokenOf(profile, config),
        onRequest: (info) => requests.add(info),
        ...(profile.readOnly ? { fetch: readOnly(own) } : fetch === undefined ? {} : { fetch }),
      });
    },
    background: config.background,
    color: config.color,
    depth: config.depth,
    facts:
      folders === null
        ? []
        : [
            ['Settings', configPath(folders)],
            ['State', statePath(folders)],
          ],
    now,
  };
}
