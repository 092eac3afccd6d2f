// Prepares a dashboard: profiles, settings and the first session. No terminal, no React.
import type { Subject } from '@quarterdeck/core';
import type { Client, RequestInfo } from '@quarterdeck/sdk';
import type { Message } from '@quarterdeck/views/text';
import { plural, setZone } from '@quarterdeck/views/text';
import type { Screen } from '../commands/navigation.ts';
import { createLog, type Log } from '../data/log.ts';
import { createSession, type Session, type SessionStore } from '../data/session.ts';
import { configPath, defaultFolders, type Folders, statePath, writeAtomically } from '../profiles/files.ts';
import type { Profile } from '../profiles/profile.ts';
import { readOnly } from '../profiles/read-only.ts';
import { overviewBuckets } from '../screens/shared/errlog-chart.ts';
import { type LoadedSettings, loadSettings, loadState, saveSettings } from '../settings/files.ts';
import { DEFAULTS, drawsAscii, type Settings } from '../settings/settings.ts';
import { createStateStore, type SavedState, type StateStore } from '../settings/state-store.ts';
import { type BackgroundPrograms, createBackgroundPrograms } from '../system/background-programs.ts';
import type { Clipboard } from '../system/clipboard.ts';
import type { Programs } from '../system/programs.ts';
import { glyphsOf } from '../theme/glyphs.ts';
import type { Palette } from '../theme/palettes.ts';
import type { Config, CredentialStore } from './config.ts';
import { credentialOf, firstProfile } from './first-profile.ts';
import { readAhead } from './read-ahead.ts';

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
  /** The first problem of the settings; null without one. */
  readonly problem: string | null;
  readonly connect: (profile: Profile) => Session;
  /** The session with the first server; it sends nothing before it is started. */
  readonly firstSession: Session;
  readonly firstScreen: Screen;
  /** A session can be stored for the next start. */
  readonly canRemember: boolean;
  readonly background: 'dark' | 'light' | undefined;
  /** The user's themes by name. */
  readonly palettes: ReadonlyMap<string, Palette>;
  readonly programs: Programs;
  readonly clipboard: Clipboard;
  readonly backgroundPrograms: BackgroundPrograms;
  readonly color: boolean;
  readonly screenReader: boolean;
  /** Draws with ASCII only, or with glyphs, as an option says; undefined without one. */
  readonly ascii: boolean | undefined;
  readonly isUtf8: boolean;
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

const screenAtStart = ({ start }: Settings, store: StateStore): Screen => {
  if (start === 'logs') return 'errlog';
  return start === 'last' ? (store.get().screen ?? 'overview') : 'overview';
};

/** Returns a function that writes changes since the last write, and returns null or the problem. */
function saverOf(folders: Folders | null, loaded: Settings, messages: Log<Message>): Start['save'] {
  let saved = loaded;
  return (settings) => {
    if (folders === null) return null;
    const written = saveSettings(folders, settings, saved);
    if (written === 'failed') return `${configPath(folders)} cannot be written.`;
    saved = settings;
    if (written === 'rewritten') {
      const text = 'config.toml was written without its comments; config.toml.old still has them.';
      messages.add({ tone: 'warning', text });
    }
    return null;
  };
}

/** The store of the sessions with one server. */
function storeOf(
  credentials: CredentialStore | undefined,
  url: string,
  messages: Log<Message>,
): SessionStore | undefined {
  if (credentials === undefined) return undefined;
  return {
    keep(session) {
      const isKept = credentials.keep(url, session);
      if (!isKept) {
        messages.add({ tone: 'warning', text: 'The session cannot be stored. It ends when you quit.' });
      }
      return isKept;
    },
    remove: (secret) => credentials.remove(url, secret),
  };
}

/** The files that problems are in; they begin with their names. */
function filesOf(problems: readonly string[]): string {
  const names = problems.map((problem) => problem.split(/, line |: /, 1)[0] ?? '');
  return [...new Set(names)].filter((name) => name.endsWith('.toml')).join(', ') || 'the settings';
}

/** The messages before the first screen; the last one is shown first. */
function messagesAtStart(isAsciiByLocale: boolean, problems: readonly string[]): Message[] {
  const text = 'Drawing with ASCII: the locale is not UTF-8. --glyphs draws glyphs.';
  const count = `${plural(problems.length, 'problem')} in ${filesOf(problems)}; :messages lists them.`;
  return [
    ...(isAsciiByLocale ? [{ tone: 'notice' as const, text }] : []),
    ...[...problems, ...(problems.length > 1 ? [count] : [])].map((problem) => ({
      tone: 'warning' as const,
      text: problem,
    })),
  ];
}

/** Prepares everything; sends nothing yet. */
export function prepare(config: Config, options: StartOptions): Start {
  const { folders, fetch, columns, now = Date.now } = options;
  const read: LoadedSettings =
    folders === null
      ? { settings: options.settings ?? DEFAULTS, themes: new Map(), problems: [] }
      : loadSettings(folders);
  const requests = createLog<RequestInfo>(now, 500);
  const messages = createLog<Message>(now, 200);
  const first = firstProfile(config, read.settings);
  const isUnknown = config.profileName !== undefined && first.name !== config.profileName;
  const unknown = isUnknown ? [`Unknown profile: ${config.profileName}; using ${first.name}.`] : [];
  const problems = [...read.problems, ...unknown];
  const { settings } = read;
  const ascii = drawsAscii(settings, config);
  const isByLocale = ascii && config.ascii === undefined && settings.ascii === 'auto' && !config.screenReader;
  for (const message of messagesAtStart(isByLocale, problems)) messages.add(message);
  const write = (kept: SavedState): void => {
    if (folders !== null) writeAtomically(statePath(folders), JSON.stringify(kept));
  };
  const store = createStateStore(folders === null ? null : loadState(folders), write);
  setZone(settings.zone);
  const firstScreen = screenAtStart(settings, store);
  const connect = (profile: Profile, isFirst = false): Session => {
    const own = fetch ?? globalThis.fetch;
    const buckets = overviewBuckets(columns, glyphsOf({ ascii, charts: settings.charts }));
    return createSession({
      url: profile.url,
      consoleUrl: profile.consoleUrl,
      ...credentialOf(profile, config),
      store: storeOf(config.credentials, profile.url, messages),
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
  return {
    given: [config.profile],
    first,
    firstScreen,
    canRemember: config.credentials !== undefined,
    firstSession: connect(first, true),
    settings,
    save: saverOf(folders, settings, messages),
    store,
    requests,
    messages,
    problem: problems[0] ?? null,
    connect,
    background: config.background,
    palettes: read.themes,
    ascii: config.ascii,
    isUtf8: config.isUtf8,
    programs: config.programs,
    clipboard: config.clipboard,
    backgroundPrograms: createBackgroundPrograms(),
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
    ? prepare(config, { columns, folders: null, fetch: (await import('../demo/demo-server.ts')).createDemo().fetch })
    : prepare(config, { columns, folders: defaultFolders() });
  start.firstSession.start();
  return start;
}
