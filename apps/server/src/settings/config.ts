// Configuration from the environment and the settings file. The only reader of process.env. A wrong value stops the
// start with one line that names the setting, its value and the allowed ones.
import { fstatSync } from 'node:fs';
import { ConfigError, type Environment, readVariable, type Variable } from '@quarterdeck/core/environment';
import { CA_FILE, type Proxies, trustAuthorities } from '@quarterdeck/core/network';
import { type Service, takeService } from '@quarterdeck/core/systemd';
import type { z } from 'zod';
import { VARIABLES } from './config-variables.ts';
import { type OidcProvider, readProviders } from './oidc-settings.ts';
import { ANY_PROVIDER, oidcVariables } from './oidc-variables.ts';
import { openSettings, type Settings } from './settings.ts';
import { readTelemetrySettings, type TelemetrySettings } from './telemetry-settings.ts';

/** A setting that a variable or the settings file gives. */
export type Setting = keyof typeof VARIABLES;

/** Configuration of a server. {@link VARIABLES} has the meaning of each setting. */
export type Config = { readonly [Name in Setting]: z.output<(typeof VARIABLES)[Name]['schema']> } & {
  /** Providers that people may sign in with. */
  readonly providers: readonly OidcProvider[];
  /** Proxies of webhooks. */
  readonly proxies: Proxies | undefined;
};

/** Every setting that has one name. */
export const SETTINGS: readonly Variable<unknown>[] = Object.values(VARIABLES);

/** The settings of a provider, with a placeholder for its name. */
export const PROVIDER_SETTINGS: readonly Variable<unknown>[] = Object.values(oidcVariables(ANY_PROVIDER));

/** Settings that are read again while the server runs. */
const CERTIFICATES = ['tlsCert', 'tlsKey', 'syslogTlsCert', 'syslogTlsKey', 'syslogTlsClientCa'] as const;

/** Certificates and keys of all ports. */
export type Certificates = Pick<Config, (typeof CERTIFICATES)[number]>;

/**
 * Reads the certificates from the files that the environment names.
 *
 * @throws ConfigError for the first file that cannot be read
 */
export const readCertificates = (env: Environment = process.env): Certificates => read(readSettings(env), CERTIFICATES);

/** Opens the settings of this process. @throws ConfigError for a wrong settings file */
export const readSettings = (env: Environment = process.env): Settings => openSettings(env, SETTINGS);

/**
 * Reads the settings of OpenTelemetry, which has names of its own.
 *
 * @throws ConfigError for the first invalid value
 */
export const readTelemetry = (env: Environment = process.env): TelemetrySettings | undefined =>
  readTelemetrySettings(env);

/** Takes the variables of the service manager out of the environment, and names the path of its programs. */
export const takeServiceManager = (env: NodeJS.ProcessEnv = process.env): Service & { path: string | undefined } => ({
  ...takeService(env),
  path: env['PATH'],
});

/**
 * Reads the address of a PostgreSQL database from any variable, or from the file that its `_FILE` variable names.
 *
 * @throws ConfigError for a value that is no such address
 */
export const readDatabaseUrl = (name: string, env: Environment = process.env): string | undefined =>
  readVariable(env, { ...VARIABLES.databaseUrl, name });

/**
 * Makes this process trust the authorities of the configuration.
 *
 * @throws ConfigError where they cannot be used
 */
export function trustConfigured({ ca }: Pick<Config, 'ca'>): void {
  try {
    if (ca !== undefined) trustAuthorities(ca, CA_FILE);
  } catch (cause) {
    throw new ConfigError((cause as Error).message, { cause });
  }
}

function read<K extends Setting>(settings: Settings, keys: readonly K[]): Pick<Config, K> {
  const entries = keys.map((key) => [key, settings.value(VARIABLES[key] as Variable<unknown>)]);

  return Object.fromEntries(entries) as Pick<Config, K>;
}

/**
 * Reads the configuration.
 *
 * @throws ConfigError for the first invalid value
 */
export const readConfig = (env: Environment = process.env): Config => configOf(readSettings(env));

/**
 * Reads the configuration from open settings.
 *
 * @throws ConfigError for the first invalid value
 */
export function configOf(settings: Settings): Config {
  const config = read(settings, Object.keys(VARIABLES) as Setting[]);
  const { syslogPort, syslogTlsPort, syslogTlsCert, syslogTlsKey, tlsCert, tlsKey } = config;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new ConfigError(
      'QUARTERDECK_TLS_CERT_FILE and QUARTERDECK_TLS_KEY_FILE need each other: set both or neither',
    );
  }
  if (config.syslogProxy && config.trustedProxies === '') {
    throw new ConfigError('QUARTERDECK_SYSLOG_PROXY=on needs QUARTERDECK_TRUSTED_PROXIES');
  }
  if (syslogTlsPort !== 'off' && (syslogTlsCert === undefined || syslogTlsKey === undefined)) {
    throw new ConfigError(
      'QUARTERDECK_SYSLOG_TLS_PORT needs QUARTERDECK_SYSLOG_TLS_CERT_FILE and QUARTERDECK_SYSLOG_TLS_KEY_FILE',
    );
  }
  if (syslogTlsPort !== 'off' && syslogPort === 'off') {
    throw new ConfigError('QUARTERDECK_SYSLOG_TLS_PORT needs a QUARTERDECK_SYSLOG_PORT that is not off');
  }
  if (config.smtpHost !== undefined && config.smtpFrom === undefined) {
    throw new ConfigError('QUARTERDECK_SMTP_HOST needs QUARTERDECK_SMTP_FROM');
  }
  if (config.auditOtlpHeaders.size > 0 && config.auditOtlp === undefined) {
    throw new ConfigError('QUARTERDECK_AUDIT_OTLP_HEADERS needs QUARTERDECK_AUDIT_OTLP');
  }
  return { ...config, providers: readProviders(settings, config), proxies: settings.proxies };
}

/** Tells whether an output goes to the journal, as `systemd.exec(5)` describes for JOURNAL_STREAM. */
export function isJournal(descriptor: number): boolean {
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return process.env['JOURNAL_STREAM'] === `${dev}:${ino}`;
}
