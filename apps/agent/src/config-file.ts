// Reads the configuration file (TOML). Every key has an environment variable that overrides it. An unknown key or an
// invalid value stops the start with one line that names it.
import { addressSchema, ConfigError, readSettingsText } from '@quarterdeck/core/environment';
import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';
import {
  commandText,
  commandWords,
  containerName,
  filePath,
  folderPath,
  LOG_LEVELS,
  spoolMb,
  treePattern,
  unitName,
  wholeJournal,
} from './settings/config-values.ts';
import { followedFiles } from './settings/followed-files.ts';
import { UPGRADE_KEYS } from './upgrade/settings.ts';
import { WATCH_KEYS } from './watch/settings.ts';
import { WATCHER_NAMES } from './watch/watchers.ts';

const command = z.union([commandText, commandWords]);

const ConfigFile = z.strictObject({
  url: addressSchema.optional(),
  console_url: addressSchema.optional(),
  enroll_token_file: filePath.optional(),
  files: z.array(followedFiles).max(100).optional(),
  link_roots: z.array(folderPath).max(100).optional(),
  journal: z.union([wholeJournal, z.array(unitName).min(1).max(100)]).optional(),
  container_logs: z.array(containerName).min(1).max(100).optional(),
  spool_max_mb: spoolMb.optional(),
  stap_command: command.optional(),
  odb_command: command.optional(),
  upgrade_command: command.optional(),
  ...UPGRADE_KEYS,
  watch: z.array(z.enum(WATCHER_NAMES)).optional(),
  config_trees: z.array(treePattern).max(100).optional(),
  config_diff: z.boolean().optional(),
  ...WATCH_KEYS,
  ca_file: filePath.optional(),
  log_level: z.enum(LOG_LEVELS).optional(),
});

/** Content of a configuration file. */
export type ConfigFile = z.output<typeof ConfigFile>;

function describe({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === 'unrecognized_keys') return `there is no key ${JSON.stringify(issue.keys[0])}`;
  return `${issue?.path.join('.')}: ${issue?.message}`;
}

/**
 * Reads the file at `path`. Only a file that `isNamed` must exist.
 *
 * @throws ConfigError when the file cannot be read, is not TOML, or holds an invalid value
 */
export function readConfigFile(path: string, isNamed: boolean): ConfigFile {
  const text = readSettingsText('configuration file', path, isNamed);
  if (text === undefined) return {};
  try {
    return ConfigFile.parse(parse(text));
  } catch (cause) {
    const why =
      cause instanceof TomlError
        ? `not TOML at line ${cause.line}, column ${cause.column}`
        : cause instanceof z.ZodError
          ? describe(cause)
          : 'it cannot be understood';
    throw new ConfigError(`${path}: ${why}`, { cause });
  }
}
