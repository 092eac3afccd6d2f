// The variables of the server: name, meaning, allowed values and default of each setting.
import { isHttpTarget } from '@quarterdeck/core';
import { ADDRESS_ALLOWED, addressSchema, LOG_LEVEL, type Variable } from '@quarterdeck/core/environment';
import { z } from 'zod';

import {
  addressBlocks,
  DAYS,
  HALVES,
  hostName,
  onOrOff,
  onUnlessOff,
  otlpHeaders,
  pem,
  port,
  postgresAddress,
  syslogAddress,
  upTo,
  webOrigin,
  whole,
} from './config-values.ts';

const certificateVariable = (name: string, help: string) => ({
  name,
  help,
  allowed: 'certificates in PEM, the own one first',
  schema: pem('CERTIFICATE').optional(),
});

const privateKeyVariable = (name: string, help: string) => ({
  name,
  help,
  allowed: 'a private key in PEM, without a passphrase',
  schema: pem('PRIVATE KEY').optional(),
  secret: true as const,
});

export const VARIABLES = {
  host: {
    name: 'QUARTERDECK_HOST',
    help: 'address of HTTP and syslog',
    allowed: 'an IP address or host name to listen on',
    schema: hostName.default('127.0.0.1'),
  },
  port: {
    name: 'QUARTERDECK_PORT',
    help: 'port of HTTP',
    allowed: 'a port, 0 to 65535 (0 = any free one)',
    schema: port.default(7080),
  },
  tlsCert: certificateVariable('QUARTERDECK_TLS_CERT', 'certificate of the HTTP port, then its chain'),
  tlsKey: privateKeyVariable('QUARTERDECK_TLS_KEY', 'key of that certificate'),
  ca: {
    name: 'QUARTERDECK_CA',
    help: 'further authorities of certificates: of webhooks, mail, PostgreSQL and collectors',
    allowed: 'certificates in PEM',
    schema: pem('CERTIFICATE').optional(),
  },
  trustedProxies: {
    name: 'QUARTERDECK_TRUSTED_PROXIES',
    help: 'addresses of the proxies whose header names the client',
    allowed: 'IP addresses and blocks of them with commas, such as 127.0.0.1,10.0.0.0/8',
    schema: addressBlocks,
  },
  proxyHeader: {
    name: 'QUARTERDECK_PROXY_HEADER',
    help: 'header with the address of the client; forwarded is that of RFC 7239',
    allowed: 'x-forwarded-for or forwarded',
    schema: z.enum(['x-forwarded-for', 'forwarded']).default('x-forwarded-for'),
  },
  corsOrigins: {
    name: 'QUARTERDECK_CORS_ORIGINS',
    help: 'origins whose scripts may read answers in a browser',
    allowed: 'origins with commas, such as https://app.example.com,http://127.0.0.1:8080; neither * nor null',
    schema: z
      .string()
      .transform((value) => value.split(',').map((origin) => origin.trim()))
      .pipe(z.array(webOrigin))
      .transform((origins) => new Set(origins))
      .default(new Set<string>()),
  },
  dataDir: {
    name: 'QUARTERDECK_DATA_DIR',
    help: 'folder of the SQLite database, the key and the lock',
    allowed: 'a folder',
    schema: z.string().min(1).default('./data'),
  },
  databaseUrl: {
    name: 'QUARTERDECK_DATABASE_URL',
    help: 'PostgreSQL database; without it SQLite',
    allowed: 'postgresql://user:password@host:port/database; several hosts with commas, as libpq takes them',
    schema: postgresAddress.optional(),
    secret: true,
  },
  adminPassword: {
    name: 'QUARTERDECK_ADMIN_PASSWORD',
    help: 'password of the first user; without it a random one, printed once',
    allowed: '15 to 256 characters',
    schema: z
      .string()
      .refine((value) => [...value].length >= 15 && [...value].length <= 256)
      .optional(),
    secret: true,
  },
  syslogPort: {
    name: 'QUARTERDECK_SYSLOG_PORT',
    help: 'port of syslog over UDP and TCP',
    allowed: 'a port, 0 to 65535, or off',
    schema: z.union([z.literal('off'), port]).default(5140),
  },
  syslogTlsPort: {
    name: 'QUARTERDECK_SYSLOG_TLS_PORT',
    help: 'port of syslog over TLS',
    allowed: 'a port, 0 to 65535, or off',
    schema: z.union([z.literal('off'), port]).default('off'),
  },
  syslogTlsCert: certificateVariable('QUARTERDECK_SYSLOG_TLS_CERT', 'certificate of that port, then its chain'),
  syslogTlsKey: privateKeyVariable('QUARTERDECK_SYSLOG_TLS_KEY', 'key of that certificate'),
  syslogTlsClientCa: {
    name: 'QUARTERDECK_SYSLOG_TLS_CLIENT_CA',
    help: 'authority of the client certificates; with it, senders need a certificate',
    allowed: 'certificates in PEM',
    schema: pem('CERTIFICATE').optional(),
  },
  syslogProxy: {
    name: 'QUARTERDECK_SYSLOG_PROXY',
    help: 'on: trusted proxies begin TCP and TLS connections with a header of the PROXY protocol',
    ...onOrOff,
  },
  maxConnections: {
    name: 'QUARTERDECK_MAX_CONNECTIONS',
    help: 'HTTP connections in total',
    allowed: 'a whole number, 10 to 1000000',
    schema: whole(7, 10, 1_000_000).default(2_000),
  },
  maxConnectionsPerAddress: {
    name: 'QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS',
    help: 'HTTP connections of one IPv4 address or one IPv6 /64',
    allowed: 'a whole number, 10 to 1000000',
    schema: whole(7, 10, 1_000_000).default(1_000),
  },
  keepAliveS: {
    name: 'QUARTERDECK_KEEP_ALIVE_S',
    help: 'time for which idle HTTP connections are kept; a proxy in front must close its own sooner',
    allowed: 'whole seconds, 5 to 600',
    schema: whole(3, 5, 600).default(75),
  },
  serve: {
    name: 'QUARTERDECK_SERVE',
    help: 'halves of the API that this process serves',
    allowed: 'admin, console, or both with a comma',
    schema: z
      .string()
      .transform((value) => value.split(',').map((half) => half.trim()))
      .pipe(z.array(z.enum(HALVES)).min(1))
      .transform((halves) => new Set(halves))
      .default(new Set(HALVES)),
  },
  mcpChanges: { name: 'QUARTERDECK_MCP_CHANGES', help: 'on: the tools of /mcp may change error groups', ...onOrOff },
  agentIntervalS: {
    name: 'QUARTERDECK_AGENT_INTERVAL',
    help: 'time between heartbeats of an agent',
    allowed: 'whole seconds, 1 to 3600',
    schema: whole(4, 1, 3600).default(30),
  },
  tokenMaxDays: {
    name: 'QUARTERDECK_TOKEN_MAX_DAYS',
    help: 'maximum lifetime of an API token; without it tokens may never expire',
    allowed: 'whole days, 1 to 3650',
    schema: whole(4, 1, 3650).optional(),
  },
  sessionIdleS: {
    name: 'QUARTERDECK_SESSION_IDLE_S',
    help: 'time without use after which a session ends',
    allowed: 'whole seconds, 60 to 2678400 (31 days), or 0 (no idle timeout)',
    schema: z.union([whole(1, 0, 0), whole(7, 60, 31 * 86_400)]).default(0),
  },
  passwordLogin: {
    name: 'QUARTERDECK_PASSWORD_LOGIN',
    help: 'users who may sign in with a password; the others sign in with a provider',
    allowed: 'all or masters',
    schema: z.enum(['all', 'masters']).default('all'),
  },
  trustAllow: {
    name: 'QUARTERDECK_TRUST_ALLOW',
    help: 'addresses that are not public and from which keys of the issuers of trust rules are read',
    allowed: 'IP addresses and blocks of them with commas, such as 127.0.0.1,10.0.0.0/8',
    schema: addressBlocks,
  },
  maxTokensPerUser: {
    name: 'QUARTERDECK_MAX_TOKENS_PER_USER',
    help: 'API tokens of one user that have not expired',
    allowed: 'a whole number, 1 to 1000000',
    schema: whole(7, 1, 1_000_000).default(500),
  },
  maxStreamsPerUser: {
    name: 'QUARTERDECK_MAX_STREAMS_PER_USER',
    help: 'open event streams of one user at one server, and exports at once',
    allowed: 'a whole number, 1 to 1000000',
    schema: whole(7, 1, 1_000_000).default(20),
  },
  sourceQuota: {
    name: 'QUARTERDECK_SOURCE_QUOTA',
    help: 'log lines of one source in a minute',
    allowed: 'whole lines a minute, 0 to 100000000 (0 = without a bound)',
    schema: upTo(100_000_000).default(0),
  },
  sentryUserIp: {
    name: 'QUARTERDECK_SENTRY_USER_IP',
    help: "on: the addresses of users in events of Sentry's SDKs are stored",
    ...onOrOff,
  },
  newGroupsPerMinute: {
    name: 'QUARTERDECK_NEW_GROUPS_PER_MINUTE',
    help: 'new error groups in a minute of one credential or syslog address',
    allowed: 'a whole number, 1 to 1000000',
    schema: whole(7, 1, 1_000_000).default(1000),
  },
  errlogDays: {
    name: 'QUARTERDECK_ERRLOG_DAYS',
    help: 'age at which an error group that has not occurred again is deleted',
    allowed: DAYS,
    schema: upTo(36_500).default(90),
  },
  occurrenceDays: {
    name: 'QUARTERDECK_OCCURRENCE_DAYS',
    help: 'age at which a line is deleted; its group keeps its newest text and its count',
    allowed: DAYS,
    schema: upTo(36_500).default(30),
  },
  errlogMaxMb: {
    name: 'QUARTERDECK_ERRLOG_MAX_MB',
    help: 'size beyond which the oldest lines, then the oldest groups are deleted',
    // A tenth each is for the write-ahead log and the reserve; below, the tables alone would fill the rest.
    allowed: 'whole megabytes, 10 to 100000000, or 0 (= without a bound)',
    schema: upTo(100_000_000)
      .refine((mb) => mb === 0 || mb >= 10)
      .default(0),
  },
  auditDays: {
    name: 'QUARTERDECK_AUDIT_DAYS',
    help: 'age at which entries of the audit log are deleted',
    allowed: DAYS,
    schema: upTo(36_500).default(0),
  },
  auditSyslog: {
    name: 'QUARTERDECK_AUDIT_SYSLOG',
    help: 'syslog receiver to which each entry of the audit log is sent (RFC 5424); without it none',
    allowed: 'udp://, tcp:// or tls://, then a host, and a port unless it is 514 or with tls 6514',
    schema: syslogAddress.optional(),
  },
  auditOtlp: {
    name: 'QUARTERDECK_AUDIT_OTLP',
    help: 'URL to which each entry of the audit log is sent as an OTLP log record; without it none',
    allowed: 'an http or https URL without a password, such as https://otel.example:4318/v1/logs',
    schema: z
      .url({ protocol: /^https?$/ })
      .refine(isHttpTarget)
      .optional(),
  },
  auditOtlpHeaders: {
    name: 'QUARTERDECK_AUDIT_OTLP_HEADERS',
    help: 'headers of these requests, such as a credential',
    allowed: 'name=value with commas between, values with percent escapes',
    schema: otlpHeaders.default(new Map<string, string>()),
    secret: true,
  },
  publicUrl: {
    name: 'QUARTERDECK_PUBLIC_URL',
    help: 'address by which people reach this server, for links in messages',
    allowed: ADDRESS_ALLOWED,
    schema: addressSchema.optional(),
  },
  page: {
    name: 'QUARTERDECK_PAGE',
    help: 'off: serve no page to browsers, only the API and its documentation',
    ...onUnlessOff,
  },
  webhookAllow: {
    name: 'QUARTERDECK_WEBHOOK_ALLOW',
    help: 'addresses that are not public and that webhooks may connect to',
    allowed: 'IP addresses and blocks of them with commas, such as 127.0.0.1,10.0.0.0/8',
    schema: addressBlocks,
  },
  smtpHost: {
    name: 'QUARTERDECK_SMTP_HOST',
    help: 'server that takes e-mail; without it no channel can be e-mail',
    allowed: 'an IP address or host name',
    schema: hostName.optional(),
  },
  smtpPort: {
    name: 'QUARTERDECK_SMTP_PORT',
    help: 'its port; 465 begins with TLS, others need STARTTLS unless the server is on this host',
    allowed: 'a port, 1 to 65535',
    schema: whole(5, 1, 65_535).default(587),
  },
  smtpUser: {
    name: 'QUARTERDECK_SMTP_USER',
    help: 'user at that server',
    allowed: '1 to 256 characters',
    schema: z.string().max(256).optional(),
  },
  smtpPassword: {
    name: 'QUARTERDECK_SMTP_PASSWORD',
    help: 'password of that user',
    allowed: '1 to 256 characters',
    schema: z.string().max(256).optional(),
    secret: true,
  },
  smtpFrom: {
    name: 'QUARTERDECK_SMTP_FROM',
    help: 'sender of e-mail',
    allowed: 'an e-mail address',
    schema: z.email().max(254).optional(),
  },
  drainS: {
    name: 'QUARTERDECK_DRAIN_S',
    help: 'time after SIGTERM in which requests are still answered and /readyz says 503',
    allowed: 'whole seconds, 0 to 600',
    schema: whole(3, 0, 600).default(0),
  },
  accessLog: { name: 'QUARTERDECK_ACCESS_LOG', help: 'on: log one line for each request', ...onOrOff },
  accessLogRate: {
    name: 'QUARTERDECK_ACCESS_LOG_RATE',
    help: 'requests in a second beyond which the access log holds a sample',
    allowed: 'a whole number, 1 to 1000000',
    schema: whole(7, 1, 1_000_000).default(100),
  },
  backupDir: {
    name: 'QUARTERDECK_BACKUP_DIR',
    help: 'folder of the backups that the server makes; without it none',
    allowed: 'a folder',
    schema: z.string().min(1).optional(),
  },
  backupAt: {
    name: 'QUARTERDECK_BACKUP_AT',
    help: 'times of the day at which a backup is made',
    allowed: 'times in UTC with commas, such as 03:00,15:00',
    schema: z
      .string()
      .transform((value) => [...new Set(value.split(',').map((time) => time.trim()))].sort())
      .pipe(z.array(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)))
      .default(['03:00']),
  },
  backupKeep: {
    name: 'QUARTERDECK_BACKUP_KEEP',
    help: 'backups that are kept',
    allowed: 'a whole number, 1 to 10000',
    schema: whole(5, 1, 10_000).default(7),
  },
  backupPassphrase: {
    name: 'QUARTERDECK_BACKUP_PASSPHRASE',
    help: 'encrypts the copy of secret.key in each backup; without it backups hold no key',
    allowed: '15 to 1024 characters',
    schema: z
      .string()
      .refine((value) => [...value].length >= 15 && [...value].length <= 1024)
      .optional(),
    secret: true,
  },
  bootstrap: {
    name: 'QUARTERDECK_BOOTSTRAP',
    help: 'users and API tokens to create at the start',
    allowed: 'JSON of at most 1 MiB, see docs/how-to/provision-users-and-tokens.md',
    schema: z
      .string()
      .max(1024 * 1024)
      .optional(),
    secret: true,
  },
  logLevel: LOG_LEVEL,
} as const satisfies Readonly<Record<string, Variable<unknown>>>;
