// Reads environment and arguments. The only reader of process.env.
import { parseArgs } from 'node:util';
import {
  ADDRESS_ALLOWED,
  ADDRESS_DEFAULT,
  addressSchema,
  ConfigError,
  credentialSchema,
  type Environment,
  readVariable,
  type Variable,
} from '@quarterdeck/core/environment';
import type { SessionOptions, StoredSession } from '../data/session.ts';
import type { Profile } from '../profiles/profile.ts';
import { type Clipboard, NO_CLIPBOARD } from '../system/clipboard.ts';
import type { Programs } from '../system/programs.ts';
import type { Depth } from '../theme/theme.ts';
import { movesCursor, showsUtf8 } from './terminal-kind.ts';

/** A credential that a sign-in on the command line has stored. */
export type SavedCredential = Pick<SessionOptions, 'apiToken' | 'sessionToken'>;

/** The credentials that `quarterdeck login` stores, by the address of the server. */
export interface CredentialStore {
  readonly get: (url: string) => SavedCredential | undefined;
  /** Stores a session. Returns whether it could be written. */
  readonly keep: (url: string, session: StoredSession) => boolean;
  /** Removes the session with this secret; a newer one stays. */
  readonly remove: (url: string, secret: string) => void;
}

export interface Config {
  /** Server of the environment. */
  readonly profile: Profile;
  /** The environment names a server, which overrides the profile of the settings. */
  readonly hasAddress: boolean;
  /** Absent in programs without such a store: sign-ins cannot be remembered there. */
  readonly credentials?: CredentialStore | undefined;
  /** Name of the profile to start with. */
  readonly profileName: string | undefined;
  /** API token that replaces the sign-in. */
  readonly token: string | undefined;
  readonly color: boolean;
  readonly depth: Depth;
  /** Undefined where the terminal does not report it. */
  readonly background: 'dark' | 'light' | undefined;
  /** Draws with ASCII only, or with glyphs, as an option says; undefined without one. */
  readonly ascii: boolean | undefined;
  /** The terminal shows UTF-8. */
  readonly isUtf8: boolean;
  /** The terminal can move its cursor; a screen needs that. */
  readonly movesCursor: boolean;
  /** Draws linear text and keeps the cursor at the focus. */
  readonly screenReader: boolean;
  readonly programs: Programs;
  readonly clipboard: Clipboard;
  /** Shows an invented fleet instead of a server. */
  readonly demo: boolean;
  /** `screen`: the dashboard; otherwise one printed answer. */
  readonly mode: 'screen' | 'text' | 'json' | 'help' | 'version';
}

const SERVER = {
  name: 'QUARTERDECK_URL',
  allowed: ADDRESS_ALLOWED,
  schema: addressSchema.default(ADDRESS_DEFAULT),
} satisfies Variable<string>;

const TOKEN = {
  name: 'QUARTERDECK_TOKEN',
  allowed: 'an API token',
  schema: credentialSchema,
  secret: true,
} satisfies Variable<string | undefined>;

export const HELP = `quarterdeck: a dashboard for a Quarterdeck server, in the terminal

Usage: quarterdeck [--profile name] [--read-only] [--ascii | --glyphs] [--screen-reader] [--demo]
                   [--once | --json]

  --demo            run on an invented fleet; no server is needed
  --profile name    start with this profile of the settings
  --read-only       refuse every change on the server
  --ascii           draw with ASCII only; the default where the locale is not UTF-8
  --glyphs          draw with glyphs in any locale
  --screen-reader   linear text without drawings; the cursor follows the keys
  --once            print an overview as text and exit; the default where TERM is dumb
  --json            print the overview as JSON and exit
  --help            show this text
  --version         show the version

Environment (each also with the suffix _FILE, for a file that contains the value)
  QUARTERDECK_URL     address of the server, default ${ADDRESS_DEFAULT}
  QUARTERDECK_TOKEN   API token; replaces the sign-in
  NO_COLOR            no colours
  LC_ALL, LC_CTYPE, LANG
                      locale; the first that is set decides between glyphs and ASCII
  VISUAL, EDITOR      editor for notes, default vi
  PAGER               pager for details, default less

In the dashboard, :help lists every key.
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  once: { type: 'boolean' },
  json: { type: 'boolean' },
  demo: { type: 'boolean' },
  ascii: { type: 'boolean' },
  glyphs: { type: 'boolean' },
  'screen-reader': { type: 'boolean' },
  'read-only': { type: 'boolean' },
  profile: { type: 'string' },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function readOptions(args: readonly string[]): Options {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values;
  } catch {
    // The message does not repeat the argument, which may be a secret.
    throw new ConfigError('Unknown option; --help lists the options.');
  }
}

function modeOf({ help, version, json, once }: Options): Config['mode'] {
  if (help === true) return 'help';
  if (version === true) return 'version';
  if (json === true) return 'json';
  return once === true ? 'text' : 'screen';
}

function drawingOf({ ascii, glyphs }: Options): boolean | undefined {
  if (ascii === true && glyphs === true) throw new ConfigError('Use only one of --ascii and --glyphs.');
  if (ascii === true) return true;
  return glyphs === true ? false : undefined;
}

/** The number of colours that the terminal reports. */
function depthOf(env: Environment): Depth {
  if (/truecolor|24bit/i.test(env['COLORTERM'] ?? '')) return 'true';
  return /256/.test(env['TERM'] ?? '') ? 256 : 16;
}

/** Reads COLORFGBG, the numbers of two colours: `15;0` is light on dark. */
function backgroundOf(env: Environment): Config['background'] {
  const last = (env['COLORFGBG'] ?? '').split(';').at(-1) ?? '';
  if (!/^\d+$/.test(last)) return undefined;
  return Number(last) === 7 || Number(last) > 8 ? 'light' : 'dark';
}

/** The programs that set the clipboard: tmux, or those of the desktop unless the session came over SSH. */
function clipboardOf(env: Environment, platform: NodeJS.Platform): Clipboard {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  if (has('TMUX')) return { isTmux: true, programs: [['tmux', 'load-buffer', '-w', '-']] };
  if (has('SSH_CONNECTION') || has('SSH_TTY')) return NO_CLIPBOARD;
  return {
    isTmux: false,
    programs: [
      ...(platform === 'darwin' ? [['pbcopy'] as const] : []),
      ...(has('WSL_DISTRO_NAME') ? [['clip.exe'] as const] : []),
      ...(has('WAYLAND_DISPLAY') ? [['wl-copy'] as const] : []),
      ...(has('DISPLAY')
        ? ([
            ['xclip', '-selection', 'clipboard'],
            ['xsel', '--clipboard', '--input'],
          ] as const)
        : []),
    ],
  };
}

const SERVER_OF_ENVIRONMENT = { color: 'none', readOnly: false, isProtected: false } as const;

/**
 * Reads the configuration.
 * @throws ConfigError for an invalid value.
 */
export function readConfig(
  args: readonly string[],
  env: Environment,
  readFile: (path: string) => string,
  platform: NodeJS.Platform = process.platform,
): Config {
  const options = readOptions(args);
  const mode = modeOf(options);
  // Help must work with a wrong environment, and the demo needs no server.
  const asks = mode === 'help' || mode === 'version';
  const demo = options.demo === true;
  const ready = asks || demo;
  return {
    mode,
    profile: {
      ...SERVER_OF_ENVIRONMENT,
      name: demo ? 'demo' : 'Quarterdeck',
      url: ready ? (demo ? 'http://demo.quarterdeck' : ADDRESS_DEFAULT) : readVariable(env, SERVER, readFile),
      readOnly: options['read-only'] === true,
    },
    hasAddress: demo || [env['QUARTERDECK_URL'], env['QUARTERDECK_URL_FILE']].some(Boolean),
    profileName: options.profile,
    // The server of the demo accepts any token.
    token: ready ? (demo ? 'demo' : undefined) : readVariable(env, TOKEN, readFile),
    color: !asks && (env['NO_COLOR'] ?? '') === '',
    depth: depthOf(env),
    background: backgroundOf(env),
    ascii: drawingOf(options),
    isUtf8: showsUtf8(env, platform),
    movesCursor: movesCursor(env, platform),
    screenReader: options['screen-reader'] === true || env['INK_SCREEN_READER'] === 'true',
    programs: {
      editor: env['VISUAL'] || env['EDITOR'] || 'vi',
      pager: env['PAGER'] || 'less',
    },
    clipboard: clipboardOf(env, platform),
    demo,
  };
}

/**
 * Takes the environment of this process. Sets NODE_ENV, because the development build of React is four times slower.
 * Removes the token, so that no child process inherits it.
 */
export function takeEnvironment(): Environment {
  const env = { ...process.env };
  process.env['NODE_ENV'] ??= 'production';
  delete process.env['QUARTERDECK_TOKEN'];
  return env;
}
