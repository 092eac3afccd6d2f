// What the environment and the arguments say. The only reader of process.env.
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

/** The text of `--help`. */
export const HELP = `quarterdeck: a dashboard for a Quarterdeck server, in the terminal

Usage: quarterdeck [--once | --json]

  --once       print an overview as text and leave (needs QUARTERDECK_TOKEN)
  --json       the same as JSON
  --help       show this
  --version    show the version

Environment (each also with the suffix _FILE: the value is read from that file)
  QUARTERDECK_URL     address of the server, default ${ADDRESS_DEFAULT}
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

/**
 * Reads the configuration.
 * @throws ConfigError for a value that cannot be used.
 */
export function readConfig(args: readonly string[], env: Environment, readFile: (path: string) => string): Config {
  const mode = modeOf(args);
  // Asking for help must work whatever else is wrong.
  if (mode === 'help' || mode === 'version') return { mode, url: ADDRESS_DEFAULT, token: undefined, color: false };
  return {
    mode,
    url: readVariable(env, SERVER, readFile),
    token: readVariable(env, TOKEN, readFile),
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
