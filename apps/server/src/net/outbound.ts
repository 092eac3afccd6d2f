// The only list of the connections that the server opens, the programs that it starts, and the recipients of data. A
// test finds every file that could do more, and docs/reference/outbound.md is made from it.

/** A connection that the server opens. */
export interface OutboundConnection {
  readonly to: string;
  /** Setting or action without which there is none. */
  readonly when: string;
  readonly data: string;
  readonly protection: string;
  /** Files that open it, relative to the repository. */
  readonly files: readonly string[];
}

const NET = 'apps/server/src/net';
const WEBHOOKS = 'apps/server/src/features/webhook/transports';
const POSTGRES = 'packages/core/src/db/postgresql';
const SENDING = 'apps/server/src/features/audit/sending';

/** Connections to other machines. */
export const OUTBOUND: readonly OutboundConnection[] = [
  {
    to: 'PostgreSQL',
    when: '`QUARTERDECK_DATABASE_URL`, or the target of `quarterdeckd db move`',
    data: 'everything that is stored',
    protection: 'TLS as the URL says: `sslmode=verify-full`',
    files: [
      `${POSTGRES}/migrate.ts`,
      `${POSTGRES}/pool.ts`,
      `${POSTGRES}/primary-client.ts`,
      `${POSTGRES}/primary-hosts.ts`,
      `${POSTGRES}/queryable.ts`,
      `${POSTGRES}/start-failure.ts`,
      'packages/core/src/db/move/postgres-place.ts',
    ],
  },
  {
    to: 'the receiver of a webhook, or the service of a channel',
    when: 'a user with `webhook:manage` creates the channel, and a rule sends to it',
    data: 'alerts: texts of log lines, names of hosts, services and users, changes',
    protection:
      'HTTPS or plain HTTP as its URL says; addresses that are not public are refused unless ' +
      '`QUARTERDECK_WEBHOOK_ALLOW` has them; redirects are not followed; messages of the kind `standard` are signed; services such as PagerDuty or Telegram get ' +
      'the secret of the channel, at their own address unless the channel names another',
    // Through a proxy where the environment names one.
    files: [`${NET}/allowed-address.ts`, `${NET}/exchange.ts`, 'packages/core/src/tunnel.ts'],
  },
  {
    to: 'a provider of OpenID Connect',
    when: '`QUARTERDECK_OIDC_<NAME>_ISSUER`, and somebody signs in with it or uses a session of it',
    data: 'codes and tokens that the provider has issued, and the secret of this server there',
    protection: 'HTTPS, except to this host itself; redirects are not followed; answers of 512 KiB and 10 s at most',
    // By the same code as messages of channels.
    files: [],
  },
  {
    to: 'the issuer of a trust rule',
    when: 'a user with `api_token:manage` creates the rule, and somebody sends a token that names the issuer',
    data: 'nothing',
    protection:
      'HTTPS, except to this host itself; addresses that are not public are refused unless `QUARTERDECK_TRUST_ALLOW` has them; ' +
      'redirects are not followed; answers of 512 KiB and 10 s at most',
    files: [],
  },
  {
    to: 'the mail server',
    when: '`QUARTERDECK_SMTP_HOST`, and a channel of the kind `email`',
    data: 'alerts, as for a webhook',
    protection: 'TLS or STARTTLS, which only a mail server on the same host may lack',
    files: [`${WEBHOOKS}/email.ts`],
  },
  {
    to: 'a receiver of the audit log',
    when: '`QUARTERDECK_AUDIT_SYSLOG`, `QUARTERDECK_AUDIT_OTLP`',
    data: 'entries of the audit log: who, what, when, from which address',
    protection: 'TLS for `tls://` and `https://`; none for `udp://` and `tcp://`',
    files: [`${SENDING}/send-otlp.ts`, `${SENDING}/send-syslog.ts`],
  },
  {
    to: 'an OpenTelemetry collector',
    when: '`OTEL_EXPORTER_OTLP_ENDPOINT`',
    data: 'metrics, and traces of requests without queries, headers and bodies',
    protection: 'HTTPS as the address says',
    files: ['apps/server/src/telemetry/open-telemetry.ts'],
  },
];

/** Connections of a process to itself or to the server on the same machine. */
export const TO_ITSELF: readonly string[] = [
  // `quarterdeckd health`.
  'apps/server/src/cli/health.ts',
  // Commands reach a live server through its control socket.
  'apps/server/src/cli/control-client.ts',
  // The tools for assistants call the API of their own process.
  'apps/server/src/http/in-process.ts',
];

/** A program that the server or a command starts. All get an argument list; none a shell with text from outside. */
export interface StartedProgram {
  readonly program: string;
  readonly when: string;
  readonly files: readonly string[];
}

export const PROGRAMS: readonly StartedProgram[] = [
  {
    program: '`pg_dump`, `pg_restore`',
    when: 'a backup of PostgreSQL is made, checked or restored; the password is in its environment',
    files: [`${POSTGRES}/programs.ts`],
  },
  {
    program: '`systemd-notify`, by one shell with a fixed script',
    when: '`NOTIFY_SOCKET` is set, as systemd sets it',
    files: ['packages/core/src/systemd/notify-program.ts'],
  },
];
