import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/new-folder.ts';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { readCertificates, readConfig } from './config.ts';

/** Returns the message for an invalid value. */
function refusal(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('readConfig', () => {
  it('has a default for every variable', () => {
    expect(readConfig({})).toEqual({
      ...{ passwordLogin: 'all', providers: [], trustAllow: '' },
      ...{ host: '127.0.0.1', port: 7080, trustedProxies: '', proxyHeader: 'x-forwarded-for', corsOrigins: new Set() },
      ...{ dataDir: './data', syslogPort: 5140, syslogTlsPort: 'off', syslogProxy: false, mcpChanges: false },
      ...{ sentryUserIp: false, page: true },
      ...{ serve: new Set(['admin', 'console']), agentIntervalS: 30, auditDays: 0, sessionIdleS: 0 },
      ...{ maxTokensPerUser: 500, maxStreamsPerUser: 20, sourceQuota: 0, newGroupsPerMinute: 1000 },
      ...{ errlogDays: 90, occurrenceDays: 30, errlogMaxMb: 0 },
      ...{ maxConnections: 2_000, maxConnectionsPerAddress: 1_000, keepAliveS: 75, auditOtlpHeaders: new Map() },
      ...{ webhookAllow: '', smtpPort: 587, drainS: 0, accessLog: false, accessLogRate: 100 },
      ...{ backupAt: ['03:00'], backupKeep: 7, logLevel: 'info' },
    });
  });

  it('shows characters that nobody sees as escapes', () => {
    expect(refusal({ QUARTERDECK_PORT: '7081\u200b' })).toContain('gives "7081\\u200b"');
  });

  it('treats an empty value as an absent one', () => {
    expect(readConfig({ QUARTERDECK_PORT: '', QUARTERDECK_SYSLOG_PORT: '' })).toEqual(readConfig({}));
  });

  it.each([
    ['QUARTERDECK_AUDIT_SYSLOG', 'udp://logs', { auditSyslog: { transport: 'udp', host: 'logs', port: 514 } }],
    ['QUARTERDECK_AUDIT_SYSLOG', 'tls://[::1]', { auditSyslog: { transport: 'tls', host: '::1', port: 6514 } }],
    [
      'QUARTERDECK_AUDIT_SYSLOG',
      'tcp://10.0.0.1:99',
      { auditSyslog: { transport: 'tcp', host: '10.0.0.1', port: 99 } },
    ],
    ['QUARTERDECK_AUDIT_OTLP', 'https://x:4318/v1/logs', { auditOtlp: 'https://x:4318/v1/logs' }],
    ['QUARTERDECK_HOST', '::1', { host: '::1' }],
    ['QUARTERDECK_PORT', '0', { port: 0 }],
    ['QUARTERDECK_PORT', '\ufeff7081\r\n', { port: 7081 }],
    ['QUARTERDECK_ADMIN_PASSWORD', 'a long password\r', { adminPassword: 'a long password' }],
    [
      'QUARTERDECK_TRUSTED_PROXIES',
      '10.0.0.0/8, 2001:db8::/32,::1',
      { trustedProxies: '10.0.0.0/8 2001:db8::/32 ::1' },
    ],
    ['QUARTERDECK_PROXY_HEADER', 'forwarded', { proxyHeader: 'forwarded' }],
    ['QUARTERDECK_MCP_CHANGES', 'on', { mcpChanges: true }],
    ['QUARTERDECK_SENTRY_USER_IP', 'on', { sentryUserIp: true }],
    [
      'QUARTERDECK_CORS_ORIGINS',
      'https://app.example.com, http://[::1]:8080',
      { corsOrigins: new Set(['https://app.example.com', 'http://[::1]:8080']) },
    ],
    ['QUARTERDECK_SYSLOG_PORT', 'off', { syslogPort: 'off' }],
    ['QUARTERDECK_MAX_CONNECTIONS', '1000000', { maxConnections: 1_000_000 }],
    ['QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS', '10', { maxConnectionsPerAddress: 10 }],
    ['QUARTERDECK_KEEP_ALIVE_S', '5', { keepAliveS: 5 }],
    ['QUARTERDECK_KEEP_ALIVE_S', '600', { keepAliveS: 600 }],
    ['QUARTERDECK_SERVE', ' console ', { serve: new Set(['console']) }],
    ['QUARTERDECK_AGENT_INTERVAL', '3600', { agentIntervalS: 3600 }],
    ['QUARTERDECK_TOKEN_MAX_DAYS', '3650', { tokenMaxDays: 3650 }],
    ['QUARTERDECK_SESSION_IDLE_S', '60', { sessionIdleS: 60 }],
    ['QUARTERDECK_SESSION_IDLE_S', '2678400', { sessionIdleS: 2_678_400 }],
    ['QUARTERDECK_MAX_TOKENS_PER_USER', '1', { maxTokensPerUser: 1 }],
    ['QUARTERDECK_MAX_STREAMS_PER_USER', '1000000', { maxStreamsPerUser: 1_000_000 }],
    ['QUARTERDECK_AUDIT_DAYS', '36500', { auditDays: 36_500 }],
    ['QUARTERDECK_OCCURRENCE_DAYS', '36500', { occurrenceDays: 36_500 }],
    ['QUARTERDECK_ERRLOG_MAX_MB', '100000000', { errlogMaxMb: 100_000_000 }],
    ['QUARTERDECK_ERRLOG_MAX_MB', '10', { errlogMaxMb: 10 }],
    ['QUARTERDECK_BOOTSTRAP', '{"users": []}', { bootstrap: '{"users": []}' }],
    ['QUARTERDECK_DATABASE_URL', 'postgres://a:b@localhost/c', { databaseUrl: 'postgres://a:b@localhost/c' }],
  ])('takes %s=%s', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toMatchObject(expected);
  });

  it('reads the headers of the receiver of audit entries, and repeats none in a message', () => {
    const read = (headers: string) =>
      readConfig({ QUARTERDECK_AUDIT_OTLP: 'https://x/v1/logs', QUARTERDECK_AUDIT_OTLP_HEADERS: headers });
    expect([...read('authorization=Bearer%20a%2Cb, x-tenant = 1').auditOtlpHeaders]).toEqual([
      ['authorization', 'Bearer a,b'],
      ['x-tenant', '1'],
    ]);
    for (const wrong of ['hidden', 'x=hidden%zz', '=hidden', 'two words=hidden']) {
      expect(() => read(wrong)).toThrow(/QUARTERDECK_AUDIT_OTLP_HEADERS (?!.*hidden)/);
    }
  });

  const REFUSED = {
    HOST: ['not a host'],
    PORT: ['65536', '-1', '80.5'],
    AUDIT_SYSLOG: ['http://logs', 'tcp://logs:0', 'tcp://logs/path'],
    AUDIT_OTLP: ['ftp://logs/v1/logs'],
    TRUSTED_PROXIES: ['10.0.0.0/33', '127.0.0.1,,10.0.0.1', 'loopback'],
    PROXY_HEADER: ['X-Real-IP'],
    SYSLOG_PROXY: ['yes'],
    MCP_CHANGES: ['true'],
    CORS_ORIGINS: [
      ...['*', 'null', 'https://a.example,*', 'https://a.example,', 'https://a.example/', 'https://a.example:443'],
      ...['https://A.example', 'https://*.example', 'a.example', 'ftp://a.example'],
    ],
    TLS_CERT: ['/etc/cert.pem'],
    SYSLOG_PORT: ['on'],
    SYSLOG_TLS_PORT: ['yes'],
    SYSLOG_TLS_CERT: ['/etc/cert.pem'],
    MAX_CONNECTIONS: ['9', 'many'],
    MAX_CONNECTIONS_PER_ADDRESS: ['0'],
    SERVE: ['admin,everything'],
    AGENT_INTERVAL: ['0'],
    TOKEN_MAX_DAYS: ['0', '3651', '90d', '1.5'],
    SESSION_IDLE_S: ['59', '2678401', '00'],
    AUDIT_DAYS: ['36501', '-1'],
    ERRLOG_MAX_MB: ['9'],
    LOG_LEVEL: ['loud'],
  };
  it.each(nonEmpty(Object.entries(REFUSED)))(
    'refuses a wrong %s in one line that names it, what was given and what is allowed: %j',
    (name, values) => {
      for (const value of nonEmpty(values)) {
        const message = refusal({ [`QUARTERDECK_${name}`]: value });
        expect(message).toMatch(new RegExp(`^QUARTERDECK_${name} gives [^\\n]*; allowed: [^\\n]+$`));
        expect(message).toContain(JSON.stringify(value));
      }
    },
  );

  it.each([
    ['QUARTERDECK_ADMIN_PASSWORD', 'too short'],
    ['QUARTERDECK_BOOTSTRAP', 'a secret among spaces '.repeat(50_000)],
    ['QUARTERDECK_DATABASE_URL', 'mysql://root:hunter2@localhost/db'],
    ['QUARTERDECK_SYSLOG_TLS_KEY', 'half a key'],
    ['QUARTERDECK_TLS_KEY', 'half of another key'],
  ])('does not repeat %s', (name, value) => {
    expect(refusal({ [name]: value })).not.toContain(value);
  });

  it('requires all variables of TLS', () => {
    const tls = { QUARTERDECK_SYSLOG_TLS_PORT: '6514' };
    const cert = { QUARTERDECK_SYSLOG_TLS_CERT: '-----BEGIN CERTIFICATE-----' };
    const key = { QUARTERDECK_SYSLOG_TLS_KEY: '-----BEGIN EC PRIVATE KEY-----' };
    expect(refusal(tls)).toContain('QUARTERDECK_SYSLOG_TLS_CERT_FILE');
    expect(refusal({ ...tls, ...cert })).toContain('QUARTERDECK_SYSLOG_TLS_KEY_FILE');
    expect(refusal({ ...tls, ...cert, ...key, QUARTERDECK_SYSLOG_PORT: 'off' })).toContain('QUARTERDECK_SYSLOG_PORT');
    expect(readConfig({ ...tls, ...cert, ...key })).toMatchObject({ syslogTlsPort: 6514 });
  });

  it('requires both variables of HTTPS, or neither', () => {
    const cert = { QUARTERDECK_TLS_CERT: '-----BEGIN CERTIFICATE-----' };
    const key = { QUARTERDECK_TLS_KEY: '-----BEGIN PRIVATE KEY-----' };
    for (const half of [cert, key]) expect(refusal(half)).toContain('set both or neither');
    expect(readConfig({ ...cert, ...key })).toMatchObject({ tlsCert: cert.QUARTERDECK_TLS_CERT });
  });

  it('requires trusted proxies for the PROXY protocol', () => {
    const on = { QUARTERDECK_SYSLOG_PROXY: 'on' };
    expect(refusal(on)).toContain('QUARTERDECK_TRUSTED_PROXIES');
    expect(readConfig({ ...on, QUARTERDECK_TRUSTED_PROXIES: '::1' })).toMatchObject({ syslogProxy: true });
  });

  it('reads certificates again, and nothing else', () => {
    const dir = newFolder();
    const file = join(dir, 'cert.pem');
    const env = { QUARTERDECK_TLS_CERT_FILE: file, QUARTERDECK_PORT: 'no port' };
    expect(() => readCertificates(env)).toThrow('cannot be read');
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\n');
    expect(readCertificates(env)).toMatchObject({ tlsCert: '-----BEGIN CERTIFICATE-----', syslogTlsKey: undefined });
  });

  it('reads a value from the file that the _FILE variable names', () => {
    const dir = newFolder();
    const file = join(dir, 'password');
    writeFileSync(file, 'a password from a file\n');
    expect(readConfig({ QUARTERDECK_ADMIN_PASSWORD_FILE: file }).adminPassword).toBe('a password from a file');
    expect(refusal({ QUARTERDECK_ADMIN_PASSWORD_FILE: file, QUARTERDECK_ADMIN_PASSWORD: 'x' })).toMatch(/both set/);
    writeFileSync(file, '{\n  "users": []\n}\n');
    expect(readConfig({ QUARTERDECK_BOOTSTRAP_FILE: file }).bootstrap).toBe('{\n  "users": []\n}');
    rmSync(file);
    expect(refusal({ QUARTERDECK_ADMIN_PASSWORD_FILE: file })).toMatch(/cannot be read/);
  });
});
