// Configuration from the environment and a file. The only reader of process.env. A wrong value stops the start with one
// line that names the variable, what was given and what is allowed.
import { existsSync } from 'node:fs';
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
import { readConfigFile } from './config-file.ts';
import {
  COMMAND_ALLOWED,
  type Command,
  commandText,
  filePath,
  globPattern,
  LOG_LEVELS,
  SPOOL_ALLOWED,
  SPOOL_DEFAULT_MB,
  spoolMb,
} from './config-values.ts';

/** Everything the agent can be told. */
export interface Config {
  /** Address of the server, without a slash at the end; undefined = where this host is enrolled. */
  readonly url: string | undefined;
  /** Address of the console, where agents report; the same as `url` unless the two halves run apart. */
  readonly consoleUrl: string | undefined;
  /** Opens the registration; needed until this host is enrolled. */
  readonly enrollToken: string | undefined;
  /** Folder of the state file and of what waits to be sent. */
  readonly agentDir: string;
  /** Globs of the log files to follow, absolute. */
  readonly files: readonly string[];
  /** How much may wait on the disk. */
  readonly spoolMaxBytes: number;
  /** Run when the server asks for an upgrade. */
  readonly upgradeCommand: Command | undefined;
  readonly stapCommand: Command | undefined;
  readonly odbCommand: Command | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Whether the environment says that this is a pod. */
  readonly inKubernetes: boolean;
  /** Where commands are looked for. */
  readonly path: string;
}

/** Who runs the agent; decides where the state is kept when nobody says. */
export interface ProcessUser {
  /** undefined where the platform has no user ids. */
  readonly uid: number | undefined;
  readonly home: () => string;
}

const fileList = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((pattern) => pattern.trim())
      .filter((pattern) => pattern !== ''),
  )
  .pipe(z.array(globPattern).max(100));

const VARIABLES = {
  url: {
    name: 'QUARTERDECK_URL',
    allowed: ADDRESS_ALLOWED,
    help: `address of the server (default where this host is enrolled, else ${ADDRESS_DEFAULT})`,
    schema: addressSchema.optional(),
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
    schema: filePath.optional(),
  },
  configFile: {
    name: 'QUARTERDECK_AGENT_CONFIG',
    allowed: 'a file',
    help: 'configuration file, TOML (default agent.toml in that folder, where it is there)',
    schema: filePath.optional(),
  },
  files: {
    name: 'QUARTERDECK_AGENT_FILES',
    allowed: 'paths of log files, with wildcards, with commas between',
    help: 'log files to follow: paths with wildcards, with commas between (default: none)',
    schema: fileList.optional(),
  },
  spoolMb: {
    name: 'QUARTERDECK_AGENT_SPOOL_MAX_MB',
    allowed: SPOOL_ALLOWED,
    help: `megabytes of lines that may wait on the disk (default ${SPOOL_DEFAULT_MB})`,
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(spoolMb).optional(),
  },
  upgradeCommand: {
    name: 'QUARTERDECK_AGENT_UPGRADE_COMMAND',
    allowed: COMMAND_ALLOWED,
    help: 'run when the server asks for an upgrade (default: such requests fail)',
    schema: commandText.optional(),
  },
  stapCommand: {
    name: 'QUARTERDECK_AGENT_STAP_COMMAND',
    allowed: COMMAND_ALLOWED,
    help: 'prints the version of SystemTap, e.g. "stap --version" (default: not asked)',
    schema: commandText.optional(),
  },
  odbCommand: {
    name: 'QUARTERDECK_AGENT_ODB_COMMAND',
    allowed: COMMAND_ALLOWED,
    help: 'prints the version of ODB (default: not asked)',
    schema: commandText.optional(),
  },
  logLevel: { ...LOG_LEVEL, schema: z.enum(LOG_LEVELS).optional() },
} as const satisfies Record<string, Variable<unknown>>;

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Where the state is kept when nobody says: the system's place for root, the user's own for everybody else. */
function defaultDir(env: Environment, by: ProcessUser): string {
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

/** What is given with the command, and wins over variables and file. */
export interface CommandLineOptions {
  readonly configFile?: string | undefined;
  readonly url?: string | undefined;
}

/** The token of a file that the configuration names. It may be gone once the host is enrolled. */
function tokenIn(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const variable = { ...VARIABLES.enrollToken, name: 'enroll_token' };
  return existsSync(path) ? readVariable({ enroll_token_FILE: path }, variable) : undefined;
}

function givenUrl(value: string | undefined): string | undefined {
  return value === undefined ? undefined : readVariable({ '--server': value }, { ...VARIABLES.url, name: '--server' });
}

/**
 * Reads the configuration: variables, and the file for what they do not say.
 *
 * @throws ConfigError at the first value that cannot be used
 */
export function readConfig(
  env: Environment = process.env,
  by: ProcessUser = { uid: process.getuid?.(), home: homedir },
  given: CommandLineOptions = {},
): Config {
  const dir = readVariable(env, VARIABLES.agentDir);
  const agentDir = dir === undefined ? defaultDir(env, by) : resolve(dir);
  const named = given.configFile ?? readVariable(env, VARIABLES.configFile);
  const file = readConfigFile(named ?? join(agentDir, 'agent.toml'), named !== undefined);
  const url = givenUrl(given.url) ?? readVariable(env, VARIABLES.url) ?? file.url;
  return {
    url,
    consoleUrl: readVariable(env, VARIABLES.consoleUrl) ?? file.console_url,
    enrollToken: readVariable(env, VARIABLES.enrollToken) ?? tokenIn(file.enroll_token_file),
    agentDir,
    files: readVariable(env, VARIABLES.files) ?? file.files ?? [],
    spoolMaxBytes: (readVariable(env, VARIABLES.spoolMb) ?? file.spool_max_mb ?? SPOOL_DEFAULT_MB) * 1024 * 1024,
    stapCommand: readVariable(env, VARIABLES.stapCommand) ?? file.stap_command,
    odbCommand: readVariable(env, VARIABLES.odbCommand) ?? file.odb_command,
    upgradeCommand: readVariable(env, VARIABLES.upgradeCommand) ?? file.upgrade_command,
    logLevel: readVariable(env, VARIABLES.logLevel) ?? file.log_level ?? 'info',
    inKubernetes: Boolean(env['KUBERNETES_SERVICE_HOST']),
    path: env['PATH'] || SYSTEM_PATH,
  };
}

/** Reads a token as it was given with the command, or came from standard input. */
export const readToken = (text: string): string | undefined =>
  readVariable({ token: text.trim() }, { ...VARIABLES.enrollToken, name: 'token' });

/** The variables for `--help`, one per line. */
export function describeVariables(): string {
  const names = Object.values(VARIABLES).map((variable) => variable.name);
  const width = Math.max(...names.map((name) => name.length));
  return Object.values(VARIABLES)
    .map((variable) => `  ${(variable.name).padEnd(width)}  ${variable.help}`)
    .join('\n');
}
