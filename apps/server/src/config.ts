// Configuration from the environment. The only reader of process.env. A wrong value stops the start with one line that
// names the variable, its value and the allowed ones.
import { isIP } from 'node:net';
import { AddressBlock } from '@quarterdeck/core';
import { ConfigError, type Environment, LOG_LEVEL, readVariable, type Variable } from '@quarterdeck/core/environment';
import { z } from 'zod';

/** Settings of the server. */
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
  /** Halves of the API that this process answers. */
  readonly serve: ReadonlySet<'admin' | 'console'>;
  /** Seconds between agents' reports. */
  readonly agentIntervalS: number;
  /** Days after which an API token expires at the latest; undefined = tokens may never expire. */
  readonly tokenMaxDays: number | undefined;
  /** Seconds without use after which a session ends; 0 = no idle timeout. */
  readonly sessionIdleS: number;
  /** API tokens of one user that have not expired. */
  readonly maxTokensPerUser: number;
  /** Event streams that one user may have open at this server. */
  readonly maxStreamsPerUser: number;
  /** Log lines that a source may send in a minute; 0 = unlimited. */
  readonly sourceQuota: number;
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
  /** JSON text: users and API tokens to create. */
  readonly bootstrap: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** An integer between two bounds, both included. */
const whole = (digits: number, min: number, max: number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`))
    .transform(Number)
    .pipe(z.int().min(min).max(max));

const port = whole(5, 0, 65_535);
const upTo = (max: number) => whole(9, 0, max);

const DAYS = 'whole days, 0 to 36500 (0 = for ever)';

const hostName = z
  .string()
  .refine((value) => isIP(value) !== 0 || /^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,252}[a-zA-Z0-9])?$/.test(value));

/** PEM text with a block of this kind; TLS checks the content. */
const pem = (kind: string) => z.string().refine((value) => value.includes(`${kind}-----`));

const HALVES = ['admin', 'console'] as const;

const certificateVariable = (name: string) => ({
  name,
  allowed: 'certificates in PEM, the own one first',
  schema: pem('CERTIFICATE').optional(),
});

const privateKeyVariable = (name: string) => ({
  name,
  allowed: 'a private key in PEM, without a passphrase',
  schema: pem('PRIVATE KEY').optional(),
  secret: true as const,
});

const VARIABLES = {
  host: {
    name: 'QUARTERDECK_HOST',
    allowed: 'an IP address or host name to listen on',
    schema: hostName.default('127.0.0.1'),
  },
  port: { name: 'QUARTERDECK_PORT', allowed: 'a port, 0 to 65535 (0 = any free one)', schema: port.default(7080) },
  tlsCert: certificateVariable('QUARTERDECK_TLS_CERT'),
  tlsKey: privateKeyVariable('QUARTERDECK_TLS_KEY'),
  trustedProxies: {
    name: 'QUARTERDECK_TRUSTED_PROXIES',
    allowed: 'IP addresses and blocks of them with commas, such as 127.0.0.1,10.0.0.0/8',
    schema: z
      .string()
      .transform((value) => value.split(',').map((block) => block.trim()))
      .pipe(z.array(AddressBlock))
      .transform((blocks) => blocks.join(' '))
      .default(''),
  },
  proxyHeader: {
    name: 'QUARTERDECK_PROXY_HEADER',
    allowed: 'x-forwarded-for or forwarded',
    schema: z.enum(['x-forwarded-for', 'forwarded']).default('x-forwarded-for'),
  },
  dataDir: { name: 'QUARTERDECK_DATA_DIR', allowed: 'a folder', schema: z.string().min(1).default('./data') },
  databaseUrl: {
    name: 'QUARTERDECK_DATABASE_URL',
    allowed: 'postgresql://user:password@host:port/database',
    schema: z
      .string()
      .refine((value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value))
      .optional(),
    secret: true,
  },
  adminPassword: {
    name: 'QUARTERDECK_ADMIN_PASSWORD',
    allowed: '15 to 256 characters',
    schema: z
      .string()
      .refine((value) => [...value].length >= 15 && [...value].length <= 256)
      .optional(),
    secret: true,
  },
  syslogPort: {
    name: 'QUARTERDECK_SYSLOG_PORT',
    allowed: 'a port, 0 to 65535, or off',
    schema: z.union([z.literal('off'), port]).default(5140),
  },
  syslogTlsPort: {
    name: 'QUARTERDECK_SYSLOG_TLS_PORT',
    allowed: 'a port, 0 to 65535, or off',
    schema: z.union([z.literal('off'), port]).default('off'),
  },
  syslogTlsCert: certificateVariable('QUARTERDECK_SYSLOG_TLS_CERT'),
  syslogTlsKey: privateKeyVariable('QUARTERDECK_SYSLOG_TLS_KEY'),
  syslogTlsClientCa: {
    name: 'QUARTERDECK_SYSLOG_TLS_CLIENT_CA',
    allowed: 'certificates in PEM',
    schema: pem('CERTIFICATE').optional(),
  },
  syslogProxy: {
    name: 'QUARTERDECK_SYSLOG_PROXY',
    allowed: 'on or off',
    schema: z
      .enum(['on', 'off'])
      .default('off')
      .transform((value) => value === 'on'),
  },
  maxConnections: {
    name: 'QUARTERDECK_MAX_CONNECTIONS',
    allowed: 'a whole number, 10 to 1000000',
    schema: whole(7, 10, 1_000_000).default(2_000),
  },
  maxConnectionsPerAddress: {
    name: 'QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS',
    allowed: 'a whole number, 10 to 1000000',
    schema: whole(7, 10, 1_000_000).default(1_000),
  },
  serve: {
    name: 'QUARTERDECK_SERVE',
    allowed: 'admin, console, or both with a comma',
    schema: z
      .string()
      .transform((value) => value.split(',').map((half) => half.trim()))
      .pipe(z.array(z.enum(HALVES)).min(1))
      .transform((halves) => new Set(halves))
      .default(new Set(HALVES)),
  },
  agentIntervalS: {
    name: 'QUARTERDECK_AGENT_INTERVAL',
    allowed: 'whole seconds, 1 to 3600',
    schema: whole(4, 1, 3600).default(30),
  },
  tokenMaxDays: {
    name: 'QUARTERDECK_TOKEN_MAX_DAYS',
    allowed: 'whole days, 1 to 3650',
    schema: whole(4, 1, 3650).optional(),
  },
  sessionIdleS: {
    name: 'QUARTERDECK_SESSION_IDLE_S',
    allowed: 'whole seconds, 60 to 2678400 (31 days), or 0 (no idle timeout)',
    schema: z.union([whole(1, 0, 0), whole(7, 60, 31 * 86_400)]).default(0),
  },
  maxTokensPerUser: {
    name: 'QUARTERDECK_MAX_TOKENS_PER_USER',
    allowed: 'a whole number, 1 to 1000000',
    schema: whole(7, 1, 1_000_000).default(500),
  },
  maxStreamsPerUser: {
    name: 'QUARTERDECK_MAX_STREAMS_PER_USER',
    allowed: 'a whole number, 1 to 1000000',
    schema: whole(7, 1, 1_000_000).default(20),
  },
  sourceQuota: {
    name: 'QUARTERDECK_SOURCE_QUOTA',
    allowed: 'whole lines a minute, 0 to 100000000 (0 = without a bound)',
    schema: upTo(100_000_000).default(0),
  },
  newGroupsPerMinute: {
    name: 'QUARTERDECK_NEW_GROUPS_PER_MINUTE',
    allowed: 'a whole number, 1 to 1000000',
    schema: whole(7, 1, 1_000_000).default(1000),
  },
  errlogDays: { name: 'QUARTERDECK_ERRLOG_DAYS', allowed: DAYS, schema: upTo(36_500).default(90) },
  occurrenceDays: { name: 'QUARTERDECK_OCCURRENCE_DAYS', allowed: DAYS, schema: upTo(36_500).default(30) },
  errlogMaxMb: {
    name: 'QUARTERDECK_ERRLOG_MAX_MB',
    // A tenth each is for the write-ahead log and the reserve; below, the tables alone would fill the rest.
    allowed: 'whole megabytes, 10 to 100000000, or 0 (= without a bound)',
    schema: upTo(100_000_000)
      .refine((mb) => mb === 0 || mb >= 10)
      .default(0),
  },
  auditDays: { name: 'QUARTERDECK_AUDIT_DAYS', allowed: DAYS, schema: upTo(36_500).default(0) },
  bootstrap: {
    name: 'QUARTERDECK_BOOTSTRAP',
    allowed: 'JSON of at most 1 MiB, see docs/operating.md',
    schema: z
      .string()
      .max(1024 * 1024)
      .optional(),
    secret: true,
  },
  logLevel: LOG_LEVEL,
} as const satisfies { [K in keyof Config]: Variable<Config[K]> };

/** Settings that are read again while the server runs. */
const CERTIFICATES = ['tlsCert', 'tlsKey', 'syslogTlsCert', 'syslogTlsKey', 'syslogTlsClientCa'] as const;

/** Certificates and keys of all ports. */
export type Certificates = Pick<Config, (typeof CERTIFICATES)[number]>;

/**
 * Reads the certificates from the files that the environment names.
 *
 * @throws ConfigError for the first file that cannot be read
 */
export const readCertificates = (env: Environment = process.env): Certificates => read(env, CERTIFICATES);

function read<K extends keyof Config>(env: Environment, keys: readonly K[]): Pick<Config, K> {
  const entries = keys.map((key) => [key, readVariable(env, VARIABLES[key] as Variable<unknown>)]);
  return Object.fromEntries(entries) as Pick<Config, K>;
}

/**
 * Reads the configuration.
 *
 * @throws ConfigError for the first invalid value
 */
export function readConfig(env: Environment = process.env): Config {
  const config = read(env, Object.keys(VARIABLES) as (keyof Config)[]);
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
  return config;
}
