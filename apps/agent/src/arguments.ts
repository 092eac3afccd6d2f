// Parses the command line.
import { parseArgs } from 'node:util';
import { ConfigError } from '@quarterdeck/core/environment';
import { readSmallFile } from '@quarterdeck/core/small-file';
import { describeVariables } from './config.ts';
import { codeOf } from './files/error-code.ts';

export const HELP = `Usage: quarterdeck-agent [run] [--config FILE]
       quarterdeck-agent enroll [--server URL] [--token-file FILE] [--force] [--config FILE]
       quarterdeck-agent uninstall [--yes] [--config FILE]
       quarterdeck-agent upgrade [--check] [--force] [--config FILE]
       quarterdeck-agent rollback [--config FILE]
       quarterdeck-agent --help | --version

run     reports the facts of this host to a Quarterdeck server and ships its log files there, until stopped
enroll  enrolls this host at the server; afterwards run needs no token
uninstall  stops the agent and removes its unit of systemd, its identity and its secret, after asking; --yes does not ask
upgrade    downloads the offered version of this single executable, verifies it, and runs it from the next start;
           --check only shows the version, --force takes one that was rolled back here
rollback   goes back to the version before

enroll reads the token from --token-file, QUARTERDECK_ENROLL_TOKEN, or standard input. --token TOKEN works
too, but every user of the host can read the arguments of a running program. --force replaces an online agent with
this host's node_id; it needs an API token with agent:write.

Settings come from environment variables, else from the configuration file:

${describeVariables()}

NAME_FILE instead of NAME names a file that holds the value.
`;

const COMMANDS = ['run', 'enroll', 'uninstall', 'upgrade', 'rollback'] as const;

export interface Arguments {
  readonly command: (typeof COMMANDS)[number] | 'help' | 'version';
  readonly configFile: string | undefined;
  /** Address of the server. */
  readonly url: string | undefined;
  /** The enrollment token, from an argument or a file. */
  readonly token: string | undefined;
  /** Replaces an online agent with the same node id, or takes a version that was rolled back. */
  readonly force: boolean;
  /** Removes without asking. */
  readonly yes: boolean;
  /** Only shows what would be done. */
  readonly check: boolean;
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  config: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  'token-file': { type: 'string' },
  force: { type: 'boolean' },
  yes: { type: 'boolean' },
  check: { type: 'boolean' },
} as const;

const ALLOWED =
  'run, enroll, uninstall, upgrade, rollback, --config FILE, --help, --version; with enroll --server URL, ' +
  '--token-file FILE, --force; with uninstall --yes; with upgrade --check, --force';

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch {
    // The argument may contain a token, so the message does not repeat it.
    throw new ConfigError(`unknown argument; allowed: ${ALLOWED}`);
  }
}

function readFile(path: string): string {
  try {
    return readSmallFile(path);
  } catch (cause) {
    const text = `--token-file names ${JSON.stringify(path)}, which cannot be read (${codeOf(cause)})`;
    throw new ConfigError(text, { cause });
  }
}

/**
 * Parses the command line.
 *
 * @throws ConfigError for an unknown or contradictory argument
 */
export function readArguments(words: readonly string[]): Arguments {
  const { values, positionals } = parse(words);
  const [word = 'run', ...rest] = positionals;
  const { config: configFile, server: url, token: bare, 'token-file': file } = values;
  const { force = false, yes = false, check = false } = values;
  const common = { configFile, url, force, yes, check };
  if (values.help || values.version) {
    return { ...common, command: values.help ? 'help' : 'version', token: undefined };
  }
  const command = COMMANDS.find((name) => name === word);
  const isForEnroll = [url, bare, file].some((value) => value !== undefined);
  const isMisplaced =
    (command !== 'enroll' && isForEnroll) ||
    (command !== 'enroll' && command !== 'upgrade' && force) ||
    (command !== 'uninstall' && yes) ||
    (command !== 'upgrade' && check);
  if (command === undefined || rest.length > 0 || isMisplaced) {
    throw new ConfigError(`unknown argument; allowed: ${ALLOWED}`);
  }
  if (bare !== undefined && file !== undefined) {
    throw new ConfigError('--token and --token-file are both given; give only one of them');
  }
  return { ...common, command, token: file === undefined ? bare : readFile(file) };
}
