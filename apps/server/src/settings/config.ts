// Configuration from the environment and the settings file. The only reader of process.env. A wrong value stops the
// start with one line that names the setting, its value and the allowed ones.
import { fstatSync } from 'node:fs';
import { ConfigError, type Environment, readVariable, type Variable } from '@quarterdeck/core/environment';
import { CA_FILE, type Proxies, trustAuthorities } from '@quarterdeck/core/network';
import { type Service, takeService } from '@quarterdeck/core/systemd';
import { VARIABLES } from './config-variables.ts';
import { type OidcProvider, readProviders } from './oidc-settings.ts';
import { ANY_PROVIDER, oidcVariables } from './oidc-variables.ts';
import { openSettings, type Settings } from './settings.ts';
import { readTelemetrySettings, type TelemetrySettings } from './telemetry-settings.ts';

/** A receiver of syslog. */
export interface SyslogAddress {
  readonly transport: 'udp' | 'tcp' | 'tls';
  readonly host: string;
  readonly port: number;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  /** PEM: the certificate of the HTTP port with its chain, and its key; undefined = plain HTTP. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** Blocks of the proxies' addresses, separated by spaces; empty = none. */
  readonly trustedProxies: string;
  /** The header in which these proxies name their clients. */
  readonly proxyHeader: 'x-forwarded-for' | 'forwarded';
  /** Origins whose scripts may read answers in a browser. */
  readonly corsOrigins: ReadonlySet<string>;
  /** Folder of the SQLite file, the key file and the lock. */
  readonly dataDir: string;
  /** PostgreSQL URL; undefined = SQLite in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly adminPassword: string | undefined;
  /** Port of the syslog receiver. */
  readonly syslogPort: number | 'off';
  /** Port of the syslog receiver for TLS. */
  readonly syslogTlsPort: number | 'off';
  /** PEM: the certificate of the syslog receiver with its chain, its key, and the authority of its senders. */
  readonly syslogTlsCert: string | undefined;
  readonly syslogTlsKey: string | undefined;
  readonly syslogTlsClientCa: string | undefined;
  /** The trusted proxies begin each connection to the syslog ports with a header of the PROXY protocol. */
  readonly syslogProxy: boolean;
  /** Connections that HTTP may hold, in all and for one address. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Seconds for which an idle HTTP connection is kept. */
  readonly keepAliveS: number;
  /** Halves of the API that this process answers. */
  readonly serve: ReadonlySet<'admin' | 'console'>;
  /** Assistants may change things, with the scope. */
  readonly mcpChanges: boolean;
  /** Seconds between agents' reports. */
  readonly agentIntervalS: number;
  /** Days after which an API token expires at the latest; undefined = tokens may never expire. */
  readonly tokenMaxDays: number | undefined;
  /** Seconds without use after which a session ends; 0 = no idle timeout. */
  readonly sessionIdleS: number;
  /** Users who may sign in with a password. */
  readonly passwordLogin: 'all' | 'masters';
  /** Providers that people may sign in with. */
  readonly providers: readonly OidcProvider[];
  /** Blocks of addresses that are not public and that keys of issuers are read from, separated by spaces. */
  readonly trustAllow: string;
  /** API tokens of one user that have not expired. */
  readonly maxTokensPerUser: number;
  /** Event streams that one user may have open at this server, and exports. */
  readonly maxStreamsPerUser: number;
  /** Log lines that a source may send in a minute; 0 = unlimited. */
  readonly sourceQuota: number;
  /** Addresses of the users in events of Sentry are kept. */
  readonly sentryUserIp: boolean;
  /** New groups of errors that a credential or an address may cause in a minute. */
  readonly newGroupsPerMinute: number;
  /** Days after its last occurrence at which a group of errors is deleted; 0 = never. */
  readonly errlogDays: number;
  /** Days after which a line is deleted; 0 = never. */
  readonly occurrenceDays: number;
  /** Megabytes on the disk beyond which the oldest lines, then the oldest groups are deleted; 0 = unlimited. */
  readonly errlogMaxMb: number;
  /** Days for which entries of the audit log are kept; 0 = forever. */
  readonly auditDays: number;
  /** Syslog receiver that gets each entry of the audit log; undefined = none. */
  readonly auditSyslog: SyslogAddress | undefined;
  /** URL that gets each entry of the audit log as an OTLP log record; undefined = none. */
  readonly auditOtlp: string | undefined;
  /** Headers of these requests. */
  readonly auditOtlpHeaders: ReadonlyMap<string, string>;
  /** Address by which people reach this server, for links in messages; undefined = no links. */
  readonly publicUrl: string | undefined;
  /** The page for browsers is served. */
  readonly page: boolean;
  /** Blocks of addresses that are not public and that webhooks may connect to, separated by spaces; empty = none. */
  readonly webhookAllow: string;
  /** Server that takes e-mail; undefined = no e-mail. */
  readonly smtpHost: string | undefined;
  readonly smtpPort: number;
  readonly smtpUser: string | undefined;
  readonly smtpPassword: string | undefined;
  /** Address of the sender. */
  readonly smtpFrom: string | undefined;
  /** Seconds after SIGTERM in which requests are still answered while the server is not ready. */
  readonly drainS: number;
  /** Log one line for each request. */
  readonly accessLog: boolean;
  /** Requests in a second beyond which the access log holds a sample. */
  readonly accessLogRate: number;
  /** Folder of the backups on a schedule; undefined = none are made. */
  readonly backupDir: string | undefined;
  /** Times of the day in UTC at which a backup is made, `HH:MM`. */
  readonly backupAt: readonly string[];
  /** Backups that are kept. */
  readonly backupKeep: number;
  /** Encrypts the copy of secret.key in each backup; undefined = backups hold no key. */
  readonly backupPassphrase: string | undefined;
  /** JSON text: users and API tokens to create. */
  readonly bootstrap: string | undefined;
  /** Further authorities of certificates, in PEM. */
  readonly ca: string | undefined;
  /** Proxies of webhooks. */
  readonly proxies: Proxies | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** A part of the configuration that a variable or the settings file gives. */
export type Setting = Exclude<keyof Config, 'proxies' | 'providers'>;

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
