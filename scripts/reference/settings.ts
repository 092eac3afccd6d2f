// docs/reference/settings.md: the settings of the server.
import { PROVIDER_SETTINGS, SETTINGS } from '../../apps/server/src/settings/config.ts';
import { code, page, table } from './markdown.ts';

/** Setting -> the document that describes what it does. */
const DETAILS: Readonly<Record<string, readonly [title: string, link: string]>> = {
  QUARTERDECK_TLS_CERT: ['TLS', '../how-to/tls-and-proxies.md#tls-on-the-http-port'],
  QUARTERDECK_TRUSTED_PROXIES: ['trusted proxies', '../how-to/tls-and-proxies.md#trusted-proxies'],
  QUARTERDECK_PROXY_HEADER: ['trusted proxies', '../how-to/tls-and-proxies.md#trusted-proxies'],
  QUARTERDECK_DATA_DIR: ['data folder', 'data-folder.md'],
  QUARTERDECK_DATABASE_URL: ['PostgreSQL', '../how-to/postgresql.md'],
  QUARTERDECK_SERVE: ['two halves', '../how-to/postgresql.md'],
  QUARTERDECK_SYSLOG_PORT: ['syslog', 'syslog.md'],
  QUARTERDECK_SYSLOG_TLS_PORT: ['syslog over TLS', '../how-to/syslog-tls.md'],
  QUARTERDECK_SYSLOG_TLS_CLIENT_CA: ['syslog over TLS', '../how-to/syslog-tls.md'],
  QUARTERDECK_SYSLOG_PROXY: ['haproxy', '../how-to/tls-and-proxies.md#haproxy'],
  QUARTERDECK_MAX_CONNECTIONS: ['connections', 'connections.md'],
  QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS: ['connections', 'connections.md'],
  QUARTERDECK_KEEP_ALIVE_S: ['idle connections', 'connections.md#idle-connections'],
  QUARTERDECK_AGENT_INTERVAL: ['states of agents', '../explanation/states.md#states-of-agents'],
  QUARTERDECK_TOKEN_MAX_DAYS: ['credentials', 'credentials.md'],
  QUARTERDECK_SESSION_IDLE_S: ['session lifetime', '../explanation/security.md#session-lifetime'],
  QUARTERDECK_PASSWORD_LOGIN: ['single sign-on', '../how-to/single-sign-on.md#passwords'],
  QUARTERDECK_TRUST_ALLOW: ['CI without secrets', '../how-to/ci-without-secrets.md#issuers-in-a-private-network'],
  QUARTERDECK_MAX_TOKENS_PER_USER: ['limits of one user', 'credentials.md#limits-of-one-user'],
  QUARTERDECK_MAX_STREAMS_PER_USER: ['limits of one user', 'credentials.md#limits-of-one-user'],
  QUARTERDECK_SOURCE_QUOTA: ['source quota', 'log-intake.md#source-quota'],
  QUARTERDECK_NEW_GROUPS_PER_MINUTE: ['new groups', 'log-intake.md#new-groups'],
  QUARTERDECK_ERRLOG_DAYS: ['retention', 'error-logs.md#retention'],
  QUARTERDECK_OCCURRENCE_DAYS: ['retention', 'error-logs.md#retention'],
  QUARTERDECK_ERRLOG_MAX_MB: ['retention', 'error-logs.md#retention'],
  QUARTERDECK_AUDIT_DAYS: ['audit log', 'audit-log.md'],
  QUARTERDECK_BOOTSTRAP: ['users and tokens', '../how-to/provision-users-and-tokens.md'],
};

/** Settings whose help lists the allowed values, which have a column of their own. */
const MEANINGS: Readonly<Record<string, string>> = { QUARTERDECK_LOG_LEVEL: 'lowest level of the log' };

type Setting = (typeof SETTINGS)[number];

/** The value of a setting that nobody has set, as it would be written. */
function defaultOf({ schema }: Setting): string {
  const { data: value } = schema.safeParse(undefined);
  if (value === undefined || (value instanceof Map && value.size === 0)) return '';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  const text = value instanceof Set ? [...value].join(',') : Array.isArray(value) ? value.join(' ') : String(value);
  return text === '' ? '' : code(text);
}

function rowOf(setting: Setting): string[] {
  const { name, allowed, help = '' } = setting;
  const details = DETAILS[name];
  const more = details === undefined ? '' : `: [${details[0]}](${details[1]})`;
  return [code(name), defaultOf(setting), `${MEANINGS[name] ?? help}${more}`, allowed];
}

export const settingsPage = (): string =>
  page(
    '# Settings of the server',
    `Settings are environment variables. Each variable also exists with the suffix \`_FILE\`: the server then reads the value from that file. An
invalid value stops the start with one line that names the variable and the allowed values.`,
    `Settings can also be in \`quarterdeck.toml\` in the working folder, or in the file that \`QUARTERDECK_CONFIG\` names. A key is the name of
the variable without \`QUARTERDECK_\`, in lower case. A variable of the environment overrides its key. An unknown key stops the start; an
unknown variable is logged as a warning. The [schema](settings.schema.json) describes the file for editors.`,
    `~~~toml server
port = 7080
trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]
admin_password_file = "/run/secrets/admin-password"
~~~`.replaceAll('~~~', '```'),
    '`quarterdeckd config check` prints the value of each setting and where it comes from. Secrets are masked.',
    `Sockets that systemd passes to the server override the host and the port of their listener:
[restart without a refused connection](../how-to/run-under-systemd.md#restart-without-a-refused-connection).`,
    `The agent has [settings of its own](agent.md#settings), and so has the [dashboard](dashboard.md#settings).`,
    table(['variable', 'default', 'meaning', 'allowed'], SETTINGS.map(rowOf)),
    '## Providers of the sign-in',
    `Each provider of OpenID Connect has these settings. \`<NAME>\` is its name, in capital letters, digits and underscores: the provider
\`corp\` has \`QUARTERDECK_OIDC_CORP_ISSUER\`. All problems of these settings are named at once. [single-sign-on.md](../how-to/single-sign-on.md)
has the values for some providers.`,
    table(['variable', 'default', 'meaning', 'allowed'], PROVIDER_SETTINGS.map(rowOf)),
  );
