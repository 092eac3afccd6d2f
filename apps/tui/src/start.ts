// Prepares a dashboard: profiles, settings and the first session. No terminal, no React.
import { readFileSync } from 'node:fs';
import type { Subject } from '@quarterdeck/core';
import type { Client, RequestInfo } from '@quarterdeck/sdk';
import { glyphsOf } from './components/glyphs.ts';
import type { Config } from './config.ts';
import type { Clipboard } from './dashboard/clipboard.ts';
import type { Programs } from './dashboard/programs.ts';
import type { Message } from './data/dashboard.ts';
import { createLog, type Log } from './data/log.ts';
import { readOnly } from './data/read-only.ts';
import { createSession, type Session } from './data/session.ts';
import type { Screen } from './navigation.ts';
import type { Profile } from './profiles/profile.ts';
import { readAhead } from './read-ahead.ts';
import { overviewBuckets } from './screens/overview/overview-read.ts';
import {
  configPath,
  defaultFolders,
  type Folders,
  loadSettings,
  loadState,
  saveSettings,
  statePath,
  writeAtomically,
} from './settings/files.ts';
import { DEFAULTS, type Settings } from './settings/settings.ts';
import { createStateStore, type SavedState, type StateStore } from './settings/state-store.ts';

/** The parts that a dashboard starts with. */
export interface Start {
  /** The profiles that are not from the settings: the one of the environment, or the demo. */
  readonly given: readonly Profile[];
  readonly first: Profile;
  readonly settings: Settings;
  /** Writes the settings; returns null, or the problem. */
  readonly save: (settings: Settings) => string | null;
  readonly store: StateStore;
  readonly requests: Log<RequestInfo>;
  readonly messages: Log<Message>;
  readonly connect: (profile: Profile) => Session;
  /** The session with the first server; it sends nothing before it is started. */
  readonly firstSession: Session;
  readonly firstScreen: Screen;
  readonly background: 'dark' | 'light' | undefined;
  readonly programs: Programs;
  readonly clipboard: Clipboard;
  readonly color: boolean;
  readonly screenReader: boolean;
  readonly depth: 16 | 256 | 'true';
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly now: () => number;
}

/** Options for the demo and for tests. */
export interface StartOptions {
  readonly fetch?: typeof fetch | undefined;
  readonly now?: (() => number) | undefined;
  /** Width of the terminal at the start. */
  readonly columns: number;
  /** Null: nothing is read from or written to the disk. */
  readonly folders: Folders | null;
  readonly settings?: Settings;
}

function tokenOf(profile: Profile, config: Config): string | undefined {
  if (profile.name === config.profile.name) return config.token;
  if (profile.tokenFile === undefined) return undefined;
  try {
    return readFileSync(profile.tokenFile, 'utf8').trim() || undefined;
  } catch {
    // Without a token the sign-in follows.
    return undefined;
  }
}

const screenAtStart = ({ start }: Settings, store: StateStore): Screen => {
  if (start === 'logs') return 'errlog';
  return start === 'last' ? (store.get().screen ?? 'overview') : 'overview';
};

/** Prepares everything; sends nothing yet. */
export function prepare(config: Config, options: StartOptions): Start {
  const { folders, fetch, columns, now = Date.now } = options;
  const read = folders === null ? { settings: options.settings ?? DEFAULTS, problems: [] } : loadSettings(folders);
  const requests = createLog<RequestInfo>(now, 500);
  const messages = createLog<Message>(now, 200);
  for (const problem of read.problems) messages.add({ tone: 'warning', text: problem });
  const write = (kept: SavedState): void => {
    if (folders !== null) writeAtomically(statePath(folders), JSON.stringify(kept));
  };
  const store = createStateStore(folders === null ? null : loadState(folders), write);
  const settings = { ...read.settings, ...(config.ascii ? { ascii: true } : {}) };
  const firstScreen = screenAtStart(settings, store);
  const connect = (profile: Profile, isFirst = false): Session => {
    const own = fetch ?? globalThis.fetch;
    const buckets = overviewBuckets(columns, glyphsOf(settings));
    return createSession({
      url: profile.url,
      consoleUrl: profile.consoleUrl,
      token: tokenOf(profile, config),
      onRequest: (info) => requests.add(info),
      ...(profile.readOnly ? { fetch: readOnly(own) } : fetch === undefined ? {} : { fetch }),
      ...(isFirst
        ? {
            readAhead: (client: Client, subject: Subject) =>
              readAhead(client, subject, { screen: firstScreen, nowMs: now(), buckets }),
          }
        : {}),
    });
  };
  const named = read.settings.profiles.find(({ name }) => name === config.profileName);
  const first = named ?? config.profile;
  return {
    given: [config.profile],
    first,
    firstScreen,
    firstSession: connect(first, true),
    settings,
    save: (settings) =>
      folders === null || saveSettings(folders, settings) ? null : `${configPath(folders)} cannot be written.`,
    store,
    requests,
    messages,
    connect,
    background: config.background,
    programs: config.programs,
    clipboard: config.clipboard,
    color: config.color,
    screenReader: config.screenReader,
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

/** Prepares a dashboard and starts its first session: with a token, the server is asked at once. */
export async function begin(config: Config, columns: number): Promise<Start> {
  const start = config.demo
    ? prepare(config, { columns, folders: null, fetch: (await import('./demo/demo-server.ts')).createDemo().fetch })
    : prepare(config, { columns, folders: defaultFolders() });
  start.firstSession.start();
  return start;
}
