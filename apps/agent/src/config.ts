// Configuration from the environment. The only reader of process.env. A wrong value stops the start with one line that
// names the variable, what was given and what is allowed.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';

/** A command the operator wants to be run, word by word; no shell reads it. */
export type Command = readonly [program: string, ...words: string[]];

/** Everything the agent can be told. */
export interface Config {
  /** Address of the server, without a slash at the end. */
  readonly url: string;
  /** Address of the console, where agents report; the same as `url` unless the two halves run apart. */
  readonly consoleUrl: string;
  /** Opens the registration; needed until this host is enrolled. */
  readonly enrollToken: string | undefined;
  /** Folder of the state file. */
  readonly agentDir: string;
  readonly stapCommand: Command | undefined;
  readonly odbCommand: Command | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Whether the environment says that this is a pod. */
  readonly inKubernetes: boolean;
  /** Where commands are looked for. */
  readonly path: string;
}

/** A value that the agent cannot start with. The message is one line, fit to print. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Who runs the agent; decides where the state is kept when nobody says. */
export interface RunBy {
  /** undefined where the platform has no user ids. */
  readonly uid: number | undefined;
  readonly home: () => string;
}

interface Variable<T> {
  readonly name: string;
  readonly allowed: string;
  /** For `--help`. */
  readonly help: string;
  readonly schema: z.ZodType<T, string | undefined>;
  /** The value must not be repeated in a message. */
  readonly secret?: true;
}

const address = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .transform((value) => new URL(value))
  .refine((url) => `${url.username}${url.password}${url.search}${url.hash}` === '')
  .transform((url) => url.href.replace(/\/+$/, ''));

// Quotes, pipes and the like would reach the program as plain words, which is never what was meant.
const command = z
  .string()
  .max(1000)
  .regex(/^[^|&;<>$`"'\\*?(){}\p{Cc}]*$/u)
  .transform((value) => value.split(' ').filter((word) => word !== ''))
  .refine((words): words is [string, ...string[]] => words.length > 0)
  .optional();

const ADDRESS = 'an http:// or https:// address without user, password, query or fragment';
const COMMAND = 'a program and its arguments with spaces between; no shell reads it, so no quotes, pipes or wildcards';

const VARIABLES = {
  url: {
    name: 'URL',
    allowed: ADDRESS,
    help: 'address of the server (default http://127.0.0.1:7080)',
    schema: address.default('http://127.0.0.1:7080'),
  },
  consoleUrl: {
    name: 'CONSOLE_URL',
    allowed: ADDRESS,
    help: 'address of the console, where it is not that of the server',
    schema: address.optional(),
  },
  enrollToken: {
    name: 'ENROLL_TOKEN',
    allowed: 'up to 512 visible ASCII characters',
    help: 'API token or enrolment token; needed until this host is enrolled',
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{1,512}$/)
      .optional(),
    secret: true,
  },
  agentDir: {
    name: 'AGENT_DIR',
    allowed: 'a folder',
    help: "folder for the agent's identity and secret",
    schema: z
      .string()
      .max(1000)
      .regex(/^\P{Cc}+$/u)
      .optional(),
  },
  stapCommand: {
    name: 'AGENT_STAP_COMMAND',
    allowed: COMMAND,
    help: 'prints the version of SystemTap, e.g. "stap --version" (default: not asked)',
    schema: command,
  },
  odbCommand: {
    name: 'AGENT_ODB_COMMAND',
    allowed: COMMAND,
    help: 'prints the version of ODB (default: not asked)',
    schema: command,
  },
  logLevel: {
    name: 'LOG_LEVEL',
    allowed: 'debug, info, warn, error or silent',
    help: 'debug, info, warn, error or silent (default info)',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  },
} as const satisfies Record<string, Variable<unknown>>;

const PREFIX = 'QUARTERDECK_';
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What a message may show of a value: nothing of a secret, nor of a value that may have one in it; never a screenful. */
function shown(variable: Variable<unknown>, raw: string | undefined): string {
  if (raw === undefined) return 'not set';
  if (variable.secret || /@|qd_[a-z]_/.test(raw)) return 'a value that is not repeated here';
  return JSON.stringify(raw.length > 100 ? `${raw.slice(0, 100)}...` : raw).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    '?',
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** One variable, from itself or from the file that its `_FILE` twin names. Empty is the same as absent. */
function read<T>(env: Environment, variable: Variable<T>): T {
  const name = PREFIX + variable.name;
  const direct = env[name] || undefined;
  const file = env[`${name}_FILE`] || undefined;
  if (direct !== undefined && file !== undefined) {
    throw new ConfigError(`${name} and ${name}_FILE are both set; only one of them may be`);
  }
  const raw = file === undefined ? direct : contentOf(`${name}_FILE`, file);
  const parsed = variable.schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const where = file === undefined ? name : `${name}_FILE`;
  throw new ConfigError(`${where} gives ${shown(variable, raw)}; allowed: ${variable.allowed}`);
}

function contentOf(name: string, file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/[\r\n]+$/, '') || undefined;
  } catch (cause) {
    throw new ConfigError(`${name} names ${JSON.stringify(file)}, which cannot be read; allowed: a readable file`, {
      cause,
    });
  }
}

/** Where the state is kept when nobody says: the system's place for root, the user's own for everybody else. */
function defaultDir(env: Environment, by: RunBy): string {
  if (by.uid === 0) return '/var/lib/quarterdeck-agent';
  const stateHome = env['XDG_STATE_HOME'];
  if (stateHome !== undefined && isAbsolute(stateHome)) return join(stateHome, 'quarterdeck-agent');
  try {
    return join(by.home(), '.local', 'state', 'quarterdeck-agent');
  } catch (cause) {
    throw new ConfigError(`${PREFIX}AGENT_DIR is not set, and this user has no home folder; allowed: a folder`, {
      cause,
    });
  }
}

/**
 * Reads the configuration.
 *
 * @throws ConfigError at the first value that cannot be used
 */
export function readConfig(
  env: Environment = process.env,
  by: RunBy = { uid: process.getuid?.(), home: homedir },
): Config {
  const url = read(env, VARIABLES.url);
  const agentDir = read(env, VARIABLES.agentDir);
  return {
    url,
    consoleUrl: read(env, VARIABLES.consoleUrl) ?? url,
    enrollToken: read(env, VARIABLES.enrollToken),
    agentDir: agentDir === undefined ? defaultDir(env, by) : resolve(agentDir),
    stapCommand: read(env, VARIABLES.stapCommand),
    odbCommand: read(env, VARIABLES.odbCommand),
    logLevel: read(env, VARIABLES.logLevel),
    inKubernetes: Boolean(env['KUBERNETES_SERVICE_HOST']),
    path: env['PATH'] || SYSTEM_PATH,
  };
}

/** The variables for `--help`, one per line. */
export function describeVariables(): string {
  const names = Object.values(VARIABLES).map((variable) => PREFIX + variable.name);
  const width = Math.max(...names.map((name) => name.length));
  return Object.values(VARIABLES)
    .map((variable) => `  ${(PREFIX + variable.name).padEnd(width)}  ${variable.help}`)
    .join('\n');
}
