// What the environment and the arguments say. The only reader of process.env.
import { parseArgs } from 'node:util';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How to run. */
export interface Config {
  /** Base address of the server, without a slash at its end. */
  readonly url: string;
  /** An API token that skips the sign-in. */
  readonly token: string | undefined;
  readonly color: boolean;
  /** `screen`: the dashboard; otherwise one answer, printed. */
  readonly mode: 'screen' | 'text' | 'json' | 'help' | 'version';
}

/** A setting that cannot be used. The message is one line and never repeats a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const URL_DEFAULT = 'http://127.0.0.1:7080';

/** The text of `--help`. */
export const HELP = `quarterdeck: a dashboard for a Quarterdeck server, in the terminal

Usage: quarterdeck [--once | --json]

  --once       print an overview as text and leave (needs QUARTERDECK_TOKEN)
  --json       the same as JSON
  --help       show this
  --version    show the version

Environment (each also with the suffix _FILE: the value is read from that file)
  QUARTERDECK_URL     address of the server, default ${URL_DEFAULT}
  QUARTERDECK_TOKEN   API token, to skip the sign-in
  NO_COLOR            no colours

In the dashboard, ? lists every key.
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  once: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

function modeOf(args: readonly string[]): Config['mode'] {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false });
    if (values.help === true) return 'help';
    if (values.version === true) return 'version';
    if (values.json === true) return 'json';
    return values.once === true ? 'text' : 'screen';
  } catch {
    // The argument is not repeated: somebody may have put a secret there.
    throw new ConfigError('There is an argument that is not understood; --help lists those that are.');
  }
}

/** A variable, or the content of the file that its `_FILE` form names. Empty is the same as absent. */
function settingOf(name: string, env: Environment, readFile: (path: string) => string): string | undefined {
  const direct = env[name] || undefined;
  const path = env[`${name}_FILE`] || undefined;
  if (path === undefined) return direct;
  if (direct !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set; only one of them may be.`);
  try {
    return readFile(path).replace(/\r?\n$/, '') || undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new ConfigError(`${name}_FILE: the file ${JSON.stringify(path)} cannot be read${code}.`);
  }
}

function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.username !== '' || url.password !== '')) {
    throw new ConfigError('QUARTERDECK_URL has a user name or password in it; sign in on the screen instead.');
  }
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new ConfigError(`QUARTERDECK_URL is ${JSON.stringify(text)}; it must be like http://host:7080.`);
  }
  return url.href.replace(/\/+$/, '');
}

function tokenOf(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\x21-\x7e]+$/.test(text)) {
    throw new ConfigError('QUARTERDECK_TOKEN has a space or another character that no API token has.');
  }
  return text;
}

/**
 * Reads the configuration.
 * @throws ConfigError for a value that cannot be used.
 */
export function readConfig(args: readonly string[], env: Environment, readFile: (path: string) => string): Config {
  const mode = modeOf(args);
  // Asking for help must work whatever else is wrong.
  if (mode === 'help' || mode === 'version') return { mode, url: URL_DEFAULT, token: undefined, color: false };
  return {
    mode,
    url: urlOf(settingOf('QUARTERDECK_URL', env, readFile) ?? URL_DEFAULT),
    token: tokenOf(settingOf('QUARTERDECK_TOKEN', env, readFile)),
    color: (env['NO_COLOR'] ?? '') === '',
  };
}

/**
 * The environment of this process, prepared: React is four times slower in its development build, and decides by this
 * variable which one it is when it is first imported. The token is taken out, so that no child process inherits it.
 */
export function takeEnvironment(): Environment {
  const env = { ...process.env };
  process.env['NODE_ENV'] ??= 'production';
  delete process.env['QUARTERDECK_TOKEN'];
  return env;
}
