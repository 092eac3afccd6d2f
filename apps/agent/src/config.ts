// Configuration from the environment. The only reader of process.env. A wrong value stops the start with one line that
// names the variable, what was given and what is allowed.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import {
  ADDRESS_ALLOWED,
  ADDRESS_DEFAULT,
  addressSchema,
  ConfigError,
  credentialSchema,
  type Environment,
  LOG_LEVEL,
  readVariable,
  type Variable,
} from '@quarterdeck/core/environment';
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

/** Who runs the agent; decides where the state is kept when nobody says. */
export interface RunBy {
  /** undefined where the platform has no user ids. */
  readonly uid: number | undefined;
  readonly home: () => string;
}

// Quotes, pipes and the like would reach the program as plain words, which is never what was meant.
const command = z
  .string()
  .max(1000)
  .regex(/^[^|&;<>$`"'\\*?(){}\p{Cc}]*$/u)
  .transform((value) => value.split(' ').filter((word) => word !== ''))
  .refine((words): words is [string, ...string[]] => words.length > 0)
  .optional();

const COMMAND = 'a program and its arguments with spaces between; no shell reads it, so no quotes, pipes or wildcards';

const VARIABLES = {
  url: {
    name: 'QUARTERDECK_URL',
    allowed: ADDRESS_ALLOWED,
    help: `address of the server (default ${ADDRESS_DEFAULT})`,
    schema: addressSchema.default(ADDRESS_DEFAULT),
  },
  consoleUrl: {
    name: 'QUARTERDECK_CONSOLE_URL',
    allowed: ADDRESS_ALLOWED,
    help: 'address of the console, where it is not that of the server',
    schema: addressSchema.optional(),
  },
  enrollToken: {
    name: 'QUARTERDECK_ENROLL_TOKEN',
    allowed: 'up to 512 visible ASCII characters',
    help: 'API token or enrolment token; needed until this host is enrolled',
    schema: credentialSchema,
    secret: true,
  },
  agentDir: {
    name: 'QUARTERDECK_AGENT_DIR',
    allowed: 'a folder',
    help: "folder for the agent's identity and secret",
    schema: z
      .string()
      .max(1000)
      .regex(/^\P{Cc}+$/u)
      .optional(),
  },
  stapCommand: {
    name: 'QUARTERDECK_AGENT_STAP_COMMAND',
    allowed: COMMAND,
    help: 'prints the version of SystemTap, e.g. "stap --version" (default: not asked)',
    schema: command,
  },
  odbCommand: {
    name: 'QUARTERDECK_AGENT_ODB_COMMAND',
    allowed: COMMAND,
    help: 'prints the version of ODB (default: not asked)',
    schema: command,
  },
  logLevel: LOG_LEVEL,
} as const satisfies Record<string, Variable<unknown>>;

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Where the state is kept when nobody says: the system's place for root, the user's own for everybody else. */
function defaultDir(env: Environment, by: RunBy): string {
  if (by.uid === 0) return '/var/lib/quarterdeck-agent';
  const stateHome = env['XDG_STATE_HOME'];
  if (stateHome !== undefined && isAbsolute(stateHome)) return join(stateHome, 'quarterdeck-agent');
  try {
    return join(by.home(), '.local', 'state', 'quarterdeck-agent');
  } catch (cause) {
    throw new ConfigError(
      `${VARIABLES.agentDir.name} is not set, and this user has no home folder; allowed: a folder`,
      {
        cause,
      },
    );
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
  const url = readVariable(env, VARIABLES.url);
  const agentDir = readVariable(env, VARIABLES.agentDir);
  return {
    url,
    consoleUrl: readVariable(env, VARIABLES.consoleUrl) ?? url,
    enrollToken: readVariable(env, VARIABLES.enrollToken),
    agentDir: agentDir === undefined ? defaultDir(env, by) : resolve(agentDir),
    stapCommand: readVariable(env, VARIABLES.stapCommand),
    odbCommand: readVariable(env, VARIABLES.odbCommand),
    logLevel: readVariable(env, VARIABLES.logLevel),
    inKubernetes: Boolean(env['KUBERNETES_SERVICE_HOST']),
    path: env['PATH'] || SYSTEM_PATH,
  };
}

/** The variables for `--help`, one per line. */
export function describeVariables(): string {
  const names = Object.values(VARIABLES).map((variable) => variable.name);
  const width = Math.max(...names.map((name) => name.length));
  return Object.values(VARIABLES)
    .map((variable) => `  ${(variable.name).padEnd(width)}  ${variable.help}`)
    .join('\n');
}
