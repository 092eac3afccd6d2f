// Finds the value of each setting and its origin: the environment, the settings file, or its default. Tells what the
// environment holds that no setting reads.
import { ConfigError, type Environment, readVariable, type Variable } from '@quarterdeck/core/environment';
import { type Proxies, readProxies } from '@quarterdeck/core/network';
import { isOidcName, oidcVariables, providerOf } from './oidc-variables.ts';
import { FILE_VARIABLE, keyOf, readSettingsFile, type SettingsFile, variableOfKey } from './settings-file.ts';

/** Source of the value of a setting. */
export type Origin = 'environment' | 'file' | 'default';

/** Values of settings, from the environment and the file. */
export interface Settings {
  /**
   * The value of a setting.
   *
   * @throws ConfigError where it is not allowed
   */
  value<T>(variable: Variable<T>): T;
  origin(variable: Variable<unknown>): Origin;
  /** Names of all variables that are set, in the environment and in the file, as the environment would name them. */
  readonly names: readonly string[];
  /** The variables of the providers that are named. */
  readonly ofProviders: readonly Variable<unknown>[];
  /** Path of the settings file; undefined where there is none. */
  readonly file: string | undefined;
  /** Names of the variables of OpenTelemetry that are set: its SDK reads most of them itself. */
  readonly openTelemetry: readonly string[];
  /** Proxies of the environment. */
  readonly proxies: Proxies | undefined;
  /** Remarks for the operator, one line each. */
  readonly warnings: readonly string[];
}

/** Prefixes and names of variables that other programs of Quarterdeck, its tests and its scripts read. */
const OF_OTHERS = /^QUARTERDECK_(URL|TOKEN|CONSOLE_URL|ENROLL_TOKEN|KEYRING|UPGRADE_VERSION|AGENT_|TEST_|MUTATE)/;

/** Variables that Kubernetes and Docker links set for a service named quarterdeck, besides that of its address. */
const OF_A_CLUSTER = /^QUARTERDECK_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP))/;

/** True for the address that a cluster puts into QUARTERDECK_PORT for a service named quarterdeck. */
const isServiceAddress = (name: string, value: string | undefined): boolean =>
  name === 'QUARTERDECK_PORT' && /^(tcp|udp):\/\//.test(value ?? '');

/** Opens the settings of a process. @throws ConfigError for a wrong settings file */
export function openSettings(env: Environment, variables: readonly Variable<unknown>[]): Settings {
  const file = readSettingsFile(env, variables);
  const own = Object.fromEntries(Object.entries(env).filter(([name, value]) => !isServiceAddress(name, value)));
  const isSet = (values: Environment, name: string) => Boolean(values[name] || values[`${name}_FILE`]);
  const origin = (variable: Variable<unknown>): Origin => {
    if (isSet(own, variable.name)) return 'environment';
    return file !== undefined && isSet(file.values, keyOf(variable)) ? 'file' : 'default';
  };
  const names = [...namesSet(own), ...namesSet(file?.values ?? {}).map(variableOfKey)];
  const providers = [...new Set(names.map(providerOf))].filter((name) => name !== undefined).sort();
  return {
    names,
    ofProviders: providers.flatMap((name) => Object.values(oidcVariables(name))),
    value: (variable) =>
      file !== undefined && origin(variable) === 'file' ? valueIn(file, variable) : readVariable(own, variable),
    origin,
    file: file?.path,
    openTelemetry: Object.keys(env).filter((name) => name.startsWith('OTEL_') && env[name] !== ''),
    proxies: proxiesIn(env),
    warnings: [...fileWarnings(file), ...environmentWarnings(env, variables)],
  };
}

const namesSet = (values: Environment) => Object.keys(values).filter((name) => Boolean(values[name]));

function proxiesIn(env: Environment): Proxies | undefined {
  try {
    return readProxies(env);
  } catch (cause) {
    throw new ConfigError((cause as Error).message, { cause });
  }
}

function valueIn<T>({ path, values }: SettingsFile, variable: Variable<T>): T {
  const key = keyOf(variable);
  try {
    return readVariable(values, { ...variable, name: key });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${path}: ${error.message.replaceAll(`${key}_FILE`, `${key}_file`)}`, { cause: error.cause });
  }
}

const fileWarnings = (file: SettingsFile | undefined): string[] =>
  file?.exposesSecret
    ? [
        `${file.path} holds a secret, and other users may read it: give it the mode 0600, or use a key that ends in _file`,
      ]
    : [];

function environmentWarnings(env: Environment, variables: readonly Variable<unknown>[]): string[] {
  const known = new Set(variables.flatMap(({ name }) => [name, `${name}_FILE`]));
  known.add(FILE_VARIABLE);
  const names = Object.keys(env).filter((name) => name.startsWith('QUARTERDECK_') && env[name] !== '');
  const unknown = names.filter(
    (name) => !known.has(name) && !isOidcName(name) && !OF_OTHERS.test(name) && !OF_A_CLUSTER.test(name),
  );
  const warnings = unknown.sort().map((name) => `${name} is not a setting and has no effect`);
  if (isServiceAddress('QUARTERDECK_PORT', env['QUARTERDECK_PORT'])) {
    warnings.push(
      'QUARTERDECK_PORT is the address that a cluster sets for a service named quarterdeck; it is ignored: ' +
        'set enableServiceLinks: false, or the port in the settings file',
    );
  }
  return warnings;
}
