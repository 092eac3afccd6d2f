// Configuration from the environment and a file; the only reader of process.env. An invalid value stops the start with
// one line: the variable, its value and the allowed values.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
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
import { CA_FILE, type Proxies, readProxies } from '@quarterdeck/core/network';
import { readSmallFile } from '@quarterdeck/core/small-file';
import { type Service, takeService } from '@quarterdeck/core/systemd';
import { z } from 'zod';
import { readConfigFile } from './config-file.ts';
import { AGENT_DIR, defaultAgentDir, type ProcessUser, thisUser } from './files/agent-dir.ts';
import type { ContainerLogSettings } from './follow/container-logs.ts';
import {
  COMMAND_ALLOWED,
  CONTAINERS_ALLOWED,
  type Command,
  commaList,
  commandText,
  containerName,
  FOLDERS_ALLOWED,
  filePath,
  folderPath,
  JOURNAL_ALLOWED,
  LOG_LEVELS,
  SPOOL_ALLOWED,
  SPOOL_DEFAULT_MB,
  spoolMb,
  TREES_ALLOWED,
  treePattern,
  unitName,
  wholeJournal,
} from './settings/config-values.ts';
import { type FollowedFiles, followedFiles, SETTINGS_ALLOWED } from './settings/followed-files.ts';
import { TRIAL_DEFAULT_S, UPGRADE_VARIABLES, upgradeSettings } from './upgrade/settings.ts';
import type { UpgradeSettings } from './upgrade/upgrader.ts';
import { PROGRAMS_DEFAULT } from './watch/programs.ts';
import { WATCH_VARIABLES } from './watch/settings.ts';
import { UNITS_DEFAULT } from './watch/units.ts';
import { WATCHER_NAMES, WATCHERS_DEFAULT, type WatcherName, type WatchSettings } from './watch/watchers.ts';

/** Authorities of certificates, in PEM, and the setting that they come from. */
export interface Authorities {
  readonly pem: string;
  readonly setting: string;
}

/** Complete configuration of the agent. */
export interface Config extends WatchSettings {
  /** Address of the server, without a slash at the end; undefined = the server where this host is enrolled. */
  readonly url: string | undefined;
  /** Address of the console, where agents report; equals `url` unless server and console run apart. */
  readonly consoleUrl: string | undefined;
  /** Token for the registration; needed until this host is enrolled. */
  readonly enrollToken: string | undefined;
  /** Folder of the state file and the spool. */
  readonly agentDir: string;
  /** Absolute globs of the log files to follow. */
  readonly files: readonly string[];
  /** The same with the settings of their lines; undefined where no glob has settings. */
  readonly fileSettings: readonly FollowedFiles[] | undefined;
  /** Folders to whose files symbolic links may lead, beside those above the wildcards of the globs. */
  readonly linkRoots: readonly string[];
  /** Units whose entries in the journal are shipped; none = all, undefined = the journal is not read. */
  readonly journal: readonly string[] | undefined;
  /** Containers whose output is shipped, and the socket of their engine; undefined = none. */
  readonly containerLogs: ContainerLogSettings | undefined;
  /** Maximum size of the spool in bytes. */
  readonly spoolMaxBytes: number;
  /** Watchers that look for changes of this host. */
  readonly watch: readonly WatcherName[];
  /** Command to run when the server requests an upgrade. */
  readonly upgradeCommand: Command | undefined;
  /** Source of upgrades of a single executable; undefined = none. */
  readonly upgrade: UpgradeSettings | undefined;
  /** Seconds in which a new version must report. */
  readonly upgradeTrialS: number;
  readonly stapCommand: Command | undefined;
  readonly odbCommand: Command | undefined;
  /** Proxies of the environment. */
  readonly proxies: Proxies | undefined;
  /** Further authorities of certificates. */
  readonly ca: Authorities | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** True when the environment is that of a Kubernetes pod. */
  readonly inKubernetes: boolean;
  /** Search path for commands. */
  readonly path: string;
}

const fileList = commaList.pipe(z.array(followedFiles).max(100));
const watcherList = z.union([
  z.literal('none').transform((): WatcherName[] => []),
  commaList.pipe(z.array(z.enum(WATCHER_NAMES))).transform((names) => [...new Set(names)]),
]);

const folderList = z.union([
  z.literal('none').transform((): string[] => []),
  commaList.pipe(z.array(folderPath).min(1).max(100)),
]);

/** Links that Kubernetes, containerd, CRI-O and Docker make for the logs of containers lead here. */
const LINK_ROOTS_DEFAULT = ['/var/log/pods', '/var/log/containers', '/var/lib/docker/containers'];

const CONFIG_TREES_DEFAULT = ['/etc/nginx', '/usr/local/openresty/nginx/conf'];

const VARIABLES = {
  url: {
    name: 'QUARTERDECK_URL',
    allowed: ADDRESS_ALLOWED,
    help: `address of the server (default: the server of the enrollment, else ${ADDRESS_DEFAULT})`,
    schema: addressSchema.optional(),
  },
  consoleUrl: {
    name: 'QUARTERDECK_CONSOLE_URL',
    allowed: ADDRESS_ALLOWED,
    help: 'address of the console (default: the address of the server)',
    schema: addressSchema.optional(),
  },
  enrollToken: {
    name: 'QUARTERDECK_ENROLL_TOKEN',
    allowed: 'up to 512 visible ASCII characters',
    help: 'API token or enrollment token; needed until this host is enrolled',
    schema: credentialSchema,
    secret: true,
  },
  agentDir: {
    name: AGENT_DIR,
    allowed: 'a folder',
    help: "folder for the agent's identity and secret",
    schema: filePath.optional(),
  },
  configFile: {
    name: 'QUARTERDECK_AGENT_CONFIG',
    allowed: 'a file',
    help: 'configuration file, TOML (default: agent.toml in that folder, if it exists)',
    schema: filePath.optional(),
  },
  files: {
    name: 'QUARTERDECK_AGENT_FILES',
    allowed: `comma-separated paths of log files, with wildcards, and ${SETTINGS_ALLOWED} behind a path`,
    help: `log files to follow: comma-separated paths with wildcards; behind a path ${SETTINGS_ALLOWED} (default: none)`,
    schema: fileList.optional(),
  },
  linkRoots: {
    name: 'QUARTERDECK_AGENT_LINK_ROOTS',
    allowed: `none, or comma-separated ${FOLDERS_ALLOWED}`,
    help: `folders to which links of log files may lead: none, or comma-separated ${FOLDERS_ALLOWED} (default: ${LINK_ROOTS_DEFAULT.join(',')})`,
    schema: folderList.optional(),
  },
  journal: {
    name: 'QUARTERDECK_AGENT_JOURNAL',
    allowed: JOURNAL_ALLOWED,
    help: `entries of the journal of systemd to ship: ${JOURNAL_ALLOWED}, with commas between (default: none)`,
    schema: z.union([wholeJournal, commaList.pipe(z.array(unitName).min(1).max(100))]).optional(),
  },
  containerLogs: {
    name: 'QUARTERDECK_AGENT_CONTAINER_LOGS',
    allowed: `comma-separated ${CONTAINERS_ALLOWED}`,
    help: `containers whose output to ship through their socket: comma-separated ${CONTAINERS_ALLOWED} (default: none)`,
    schema: commaList.pipe(z.array(containerName).min(1).max(100)).optional(),
  },
  spoolMb: {
    name: 'QUARTERDECK_AGENT_SPOOL_MAX_MB',
    allowed: SPOOL_ALLOWED,
    help: `maximum megabytes of unsent lines on the disk (default: ${SPOOL_DEFAULT_MB})`,
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(spoolMb).optional(),
  },
  watch: {
    name: 'QUARTERDECK_AGENT_WATCH',
    allowed: `none, or comma-separated names of ${WATCHER_NAMES.join(', ')}`,
    help: `changes of this host to report: none, or ${WATCHER_NAMES.join(',')} (default: ${WATCHERS_DEFAULT.join(',')})`,
    schema: watcherList.optional(),
  },
  configTrees: {
    name: 'QUARTERDECK_AGENT_CONFIG_TREES',
    allowed: `comma-separated ${TREES_ALLOWED}`,
    help: `configuration to watch: comma-separated ${TREES_ALLOWED} (default: ${CONFIG_TREES_DEFAULT.join(',')})`,
    schema: commaList.pipe(z.array(treePattern).max(100)).optional(),
  },
  configDiff: {
    name: 'QUARTERDECK_AGENT_CONFIG_DIFF',
    allowed: 'on or off',
    help: 'on: report the changed lines of configuration, with secrets masked (default: off)',
    schema: z
      .enum(['on', 'off'])
      .transform((value) => value === 'on')
      .optional(),
  },
  ...WATCH_VARIABLES,
  upgradeCommand: {
    name: 'QUARTERDECK_AGENT_UPGRADE_COMMAND',
    allowed: COMMAND_ALLOWED,
    help: 'command to run when the server requests an upgrade, in place of the address below (default: none)',
    schema: commandText.optional(),
  },
  ...UPGRADE_VARIABLES,
  stapCommand: {
    name: 'QUARTERDECK_AGENT_STAP_COMMAND',
    allowed: COMMAND_ALLOWED,
    help: 'command that prints the version of SystemTap, e.g. "stap --version" (default: none)',
    schema: commandText.optional(),
  },
  odbCommand: {
    name: 'QUARTERDECK_AGENT_ODB_COMMAND',
    allowed: COMMAND_ALLOWED,
    help: 'command that prints the version of ODB (default: none)',
    schema: commandText.optional(),
  },
  ca: {
    name: 'QUARTERDECK_CA',
    allowed: 'certificates in PEM',
    help: 'further authorities of certificates, in PEM; usually as QUARTERDECK_CA_FILE (default: those of Node)',
    schema: z.string().optional(),
  },
  logLevel: { ...LOG_LEVEL, schema: z.enum(LOG_LEVELS).optional() },
} as const satisfies Record<string, Variable<unknown>>;

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function defaultDir(env: Environment, by: ProcessUser): string {
  try {
    return defaultAgentDir(env, by);
  } catch (cause) {
    throw new ConfigError(
      `${VARIABLES.agentDir.name} is not set, and this user has no home folder; allowed: a folder`,
      {
        cause,
      },
    );
  }
}

/** Options of the command line; they override variables and file. */
export interface CommandLineOptions {
  readonly configFile?: string | undefined;
  readonly url?: string | undefined;
}

/** Reads the token file that the configuration names. The file may be deleted once the host is enrolled. */
function tokenIn(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const variable = { ...VARIABLES.enrollToken, name: 'enroll_token' };
  return existsSync(path) ? readVariable({ enroll_token_FILE: path }, variable) : undefined;
}

/** Reads the authorities of the variables, else of the file that the configuration names. */
function authoritiesIn(env: Environment, path: string | undefined): Authorities | undefined {
  const pem = readVariable(env, VARIABLES.ca);
  if (pem !== undefined) return { pem, setting: CA_FILE };
  if (path === undefined) return undefined;
  try {
    return { pem: readSmallFile(path), setting: 'ca_file' };
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    const text = `ca_file names ${JSON.stringify(path)}, which cannot be read${code}; allowed: a readable file`;
    throw new ConfigError(text, { cause });
  }
}

function givenUrl(value: string | undefined): string | undefined {
  return value === undefined ? undefined : readVariable({ '--server': value }, { ...VARIABLES.url, name: '--server' });
}

function containerLogs(names: readonly string[] | undefined, socket: string | undefined) {
  if (names === undefined) return undefined;
  if (socket !== undefined) return { socket, names };
  throw new ConfigError(
    `${VARIABLES.containerLogs.name} needs ${VARIABLES.containers.name}; allowed: ${VARIABLES.containers.allowed}`,
  );
}

function proxiesIn(env: Environment): Proxies | undefined {
  try {
    return readProxies(env);
  } catch (cause) {
    throw new ConfigError((cause as Error).message, { cause });
  }
}

/**
 * Reads the configuration from variables, and from the file where a variable is not set.
 *
 * @throws ConfigError at the first invalid value
 */
export function readConfig(
  env: Environment = process.env,
  by: ProcessUser = thisUser(),
  given: CommandLineOptions = {},
): Config {
  const dir = readVariable(env, VARIABLES.agentDir);
  const agentDir = dir === undefined ? defaultDir(env, by) : resolve(dir);
  const named = given.configFile ?? readVariable(env, VARIABLES.configFile);
  const file = readConfigFile(named ?? join(agentDir, 'agent.toml'), named !== undefined);
  const files = readVariable(env, VARIABLES.files) ?? file.files ?? [];
  const containers = readVariable(env, VARIABLES.containers) ?? file.containers;
  const proxies = proxiesIn(env);
  const url = givenUrl(given.url) ?? readVariable(env, VARIABLES.url) ?? file.url;
  return {
    url,
    consoleUrl: readVariable(env, VARIABLES.consoleUrl) ?? file.console_url,
    enrollToken: readVariable(env, VARIABLES.enrollToken) ?? tokenIn(file.enroll_token_file),
    agentDir,
    files: files.map(({ glob }) => glob),
    fileSettings: files.some((one) => Object.keys(one).length > 1) ? files : undefined,
    linkRoots: readVariable(env, VARIABLES.linkRoots) ?? file.link_roots ?? LINK_ROOTS_DEFAULT,
    journal: readVariable(env, VARIABLES.journal) ?? file.journal,
    containerLogs: containerLogs(readVariable(env, VARIABLES.containerLogs) ?? file.container_logs, containers),
    spoolMaxBytes: (readVariable(env, VARIABLES.spoolMb) ?? file.spool_max_mb ?? SPOOL_DEFAULT_MB) * 1024 * 1024,
    watch: readVariable(env, VARIABLES.watch) ?? file.watch ?? WATCHERS_DEFAULT,
    configTrees: readVariable(env, VARIABLES.configTrees) ?? file.config_trees ?? CONFIG_TREES_DEFAULT,
    configDiff: readVariable(env, VARIABLES.configDiff) ?? file.config_diff ?? false,
    programs: readVariable(env, VARIABLES.programs) ?? file.programs ?? PROGRAMS_DEFAULT,
    certificates: readVariable(env, VARIABLES.certificates) ?? file.certificates ?? [],
    units: readVariable(env, VARIABLES.units) ?? file.units ?? UNITS_DEFAULT,
    containers,
    stapCommand: readVariable(env, VARIABLES.stapCommand) ?? file.stap_command,
    odbCommand: readVariable(env, VARIABLES.odbCommand) ?? file.odb_command,
    upgradeCommand: readVariable(env, VARIABLES.upgradeCommand) ?? file.upgrade_command,
    upgrade: upgradeSettings(
      readVariable(env, VARIABLES.upgradeUrl) ?? file.upgrade_url,
      readVariable(env, VARIABLES.upgradeKey) ?? file.upgrade_key,
      readVariable(env, VARIABLES.upgradeAllowOlder) ?? file.upgrade_allow_older ?? false,
      proxies,
    ),
    upgradeTrialS: readVariable(env, VARIABLES.upgradeTrialS) ?? file.upgrade_trial_s ?? TRIAL_DEFAULT_S,
    proxies,
    ca: authoritiesIn(env, file.ca_file),
    logLevel: readVariable(env, VARIABLES.logLevel) ?? file.log_level ?? 'info',
    inKubernetes: Boolean(env['KUBERNETES_SERVICE_HOST']),
    path: env['PATH'] || SYSTEM_PATH,
  };
}

/** Takes the variables of the service manager out of the environment of the commands that the agent starts. */
export const takeServiceManager = (env: NodeJS.ProcessEnv = process.env): Service => takeService(env);

/** Reads a token from the command line or standard input. */
export const readToken = (text: string): string | undefined =>
  readVariable({ token: text.trim() }, { ...VARIABLES.enrollToken, name: 'token' });

/** Lists the variables for `--help`, one per line. */
export function describeVariables(): string {
  const names = Object.values(VARIABLES).map((variable) => variable.name);
  const width = Math.max(...names.map((name) => name.length));
  return Object.values(VARIABLES)
    .map((variable) => `  ${(variable.name).padEnd(width)}  ${variable.help}`)
    .join('\n');
}
