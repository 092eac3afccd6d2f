// Configuration from the environment. The only reader of process.env. A wrong value stops the start with one line that
// names the variable, what was given and what is allowed.
import { isIP } from 'node:net';
import { ConfigError, type Environment, LOG_LEVEL, readVariable, type Variable } from '@quarterdeck/core/environment';
import { z } from 'zod';

/** Everything the server can be told. */
export interface Config {
  readonly host: string;
  readonly port: number;
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
  /** Connections that HTTP may hold, in all and for one address. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Which halves of the API are answered. */
  readonly serve: ReadonlySet<'admin' | 'console'>;
  /** Seconds between agents' reports. */
  readonly agentIntervalS: number;
  /** Days after which an API token expires at the latest; undefined = one may be made that never does. */
  readonly tokenMaxDays: number | undefined;
  /** Log lines that a source may send in a minute; 0 = without a bound. */
  readonly sourceQuota: number;
  /** Days after which a group of errors that was not seen any more is deleted; 0 = never. */
  readonly errlogDays: number;
  /** Days after which an occurrence of an error is deleted, but for the last ones of its group; 0 = never. */
  readonly occurrenceDays: number;
  /** Megabytes of the SQLite database beyond which the oldest error logs go first; 0 = without a bound. */
  readonly errlogMaxMb: number;
  /** Days for which entries of the audit log are kept; 0 = for ever. */
  readonly auditDays: number;
  /** JSON text: users and API tokens that are to be there. */
  readonly bootstrap: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** A whole number of at most so many digits, both bounds included. */
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

/** Text with a block of this kind in it; whether it is of use, TLS says. */
const pem = (kind: string) => z.string().refine((value) => value.includes(`${kind}-----`));

const HALVES = ['admin', 'console'] as const;

const VARIABLES = {
  host: {
    name: 'QUARTERDECK_HOST',
    allowed: 'an IP address or host name to listen on',
    schema: hostName.default('127.0.0.1'),
  },
  port: { name: 'QUARTERDECK_PORT', allowed: 'a port, 0 to 65535 (0 = any free one)', schema: port.default(7080) },
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
  syslogTlsCert: {
    name: 'QUARTERDECK_SYSLOG_TLS_CERT',
    allowed: 'certificates in PEM, the own one first',
    schema: pem('CERTIFICATE').optional(),
  },
  syslogTlsKey: {
    name: 'QUARTERDECK_SYSLOG_TLS_KEY',
    allowed: 'a private key in PEM, without a passphrase',
    schema: pem('PRIVATE KEY').optional(),
    secret: true,
  },
  syslogTlsClientCa: {
    name: 'QUARTERDECK_SYSLOG_TLS_CLIENT_CA',
    allowed: 'certificates in PEM',
    schema: pem('CERTIFICATE').optional(),
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
  sourceQuota: {
    name: 'QUARTERDECK_SOURCE_QUOTA',
    allowed: 'whole lines a minute, 0 to 100000000 (0 = without a bound)',
    schema: upTo(100_000_000).default(0),
  },
  errlogDays: { name: 'QUARTERDECK_ERRLOG_DAYS', allowed: DAYS, schema: upTo(36_500).default(90) },
  occurrenceDays: { name: 'QUARTERDECK_OCCURRENCE_DAYS', allowed: DAYS, schema: upTo(36_500).default(30) },
  errlogMaxMb: {
    name: 'QUARTERDECK_ERRLOG_MAX_MB',
    allowed: 'whole megabytes, 0 to 100000000 (0 = without a bound)',
    schema: upTo(100_000_000).default(0),
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

/**
 * Reads the configuration.
 *
 * @throws ConfigError at the first value that cannot be used
 */
export function readConfig(env: Environment = process.env): Config {
  const config = Object.fromEntries(
    Object.entries(VARIABLES).map(([key, variable]) => [key, readVariable(env, variable as Variable<unknown>)]),
  ) as unknown as Config;
  const { syslogPort, syslogTlsPort, syslogTlsCert, syslogTlsKey } = config;
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
