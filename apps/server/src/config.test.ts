import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { describe, expect, it } from 'vitest';
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
      host: '127.0.0.1',
      port: 7080,
      tlsCert: undefined,
      tlsKey: undefined,
      trustedProxies: '',
      proxyHeader: 'x-forwarded-for',
      corsOrigins: new Set(),
      dataDir: './data',
      databaseUrl: undefined,
      adminPassword: undefined,
      syslogPort: 5140,
      syslogTlsPort: 'off',
      syslogTlsCert: undefined,
      syslogTlsKey: undefined,
      syslogTlsClientCa: undefined,
      syslogProxy: false,
      serve: new Set(['admin', 'console']),
      mcpChanges: false,
      agentIntervalS: 30,
      tokenMaxDays: undefined,
      auditDays: 0,
      sessionIdleS: 0,
      maxTokensPerUser: 500,
      maxStreamsPerUser: 20,
      sourceQuota: 0,
      newGroupsPerMinute: 1000,
      errlogDays: 90,
      occurrenceDays: 30,
      errlogMaxMb: 0,
      maxConnections: 2_000,
      maxConnectionsPerAddress: 1_000,
      auditSyslog: undefined,
      auditOtlp: undefined,
      auditOtlpHeaders: new Map(),
      publicUrl: undefined,
      webhookAllow: '',
      smtpHost: undefined,
      smtpPort: 587,
      smtpUser: undefined,
      smtpPassword: undefined,
      smtpFrom: undefined,
      drainS: 0,
      accessLog: false,
      accessLogRate: 100,
      backupDir: undefined,
      backupAt: ['03:00'],
      backupKeep: 7,
      backupPassphrase: undefined,
      bootstrap: undefined,
      logLevel: 'info',
    });
  });

  it('treats an empty value as an absent one', () => {
    expect(readConfig({ QUARTERDECK_PORT: '', QUARTERDECK_SYSLOG_PORT: '' })).toEqual(readConfig({}));
  });

  it.each([
    ['QUARTERDECK_HOST', '0.0.0.0', { host: '0.0.0.0' }],
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
    ['QUARTERDECK_TRUSTED_PROXIES', '127.0.0.1', { trustedProxies: '127.0.0.1' }],
    [
      'QUARTERDECK_TRUSTED_PROXIES',
      '10.0.0.0/8, 2001:db8::/32,::1',
      { trustedProxies: '10.0.0.0/8 2001:db8::/32 ::1' },
    ],
    ['QUARTERDECK_PROXY_HEADER', 'forwarded', { proxyHeader: 'forwarded' }],
    ['QUARTERDECK_SYSLOG_PROXY', 'off', { syslogProxy: false }],
    ['QUARTERDECK_MCP_CHANGES', 'on', { mcpChanges: true }],
    [
      'QUARTERDECK_CORS_ORIGINS',
      'https://app.example.com, http://[::1]:8080',
      { corsOrigins: new Set(['https://app.example.com', 'http://[::1]:8080']) },
    ],
    ['QUARTERDECK_SYSLOG_PORT', 'off', { syslogPort: 'off' }],
    ['QUARTERDECK_SYSLOG_TLS_PORT', 'off', { syslogTlsPort: 'off' }],
    ['QUARTERDECK_MAX_CONNECTIONS', '1000000', { maxConnections: 1_000_000 }],
    ['QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS', '10', { maxConnectionsPerAddress: 10 }],
    ['QUARTERDECK_SERVE', ' console ', { serve: new Set(['console']) }],
    ['QUARTERDECK_AGENT_INTERVAL', '3600', { agentIntervalS: 3600 }],
    ['QUARTERDECK_TOKEN_MAX_DAYS', '1', { tokenMaxDays: 1 }],
    ['QUARTERDECK_TOKEN_MAX_DAYS', '3650', { tokenMaxDays: 3650 }],
    ['QUARTERDECK_SESSION_IDLE_S', '0', { sessionIdleS: 0 }],
    ['QUARTERDECK_SESSION_IDLE_S', '60', { sessionIdleS: 60 }],
    ['QUARTERDECK_SESSION_IDLE_S', '2678400', { sessionIdleS: 2_678_400 }],
    ['QUARTERDECK_MAX_TOKENS_PER_USER', '1', { maxTokensPerUser: 1 }],
    ['QUARTERDECK_MAX_STREAMS_PER_USER', '1000000', { maxStreamsPerUser: 1_000_000 }],
    ['QUARTERDECK_AUDIT_DAYS', '0', { auditDays: 0 }],
    ['QUARTERDECK_AUDIT_DAYS', '36500', { auditDays: 36_500 }],
    ['QUARTERDECK_ERRLOG_DAYS', '0', { errlogDays: 0 }],
    ['QUARTERDECK_OCCURRENCE_DAYS', '36500', { occurrenceDays: 36_500 }],
    ['QUARTERDECK_ERRLOG_MAX_MB', '100000000', { errlogMaxMb: 100_000_000 }],
    ['QUARTERDECK_ERRLOG_MAX_MB', '10', { errlogMaxMb: 10 }],
    ['QUARTERDECK_ERRLOG_MAX_MB', '0', { errlogMaxMb: 0 }],
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

  it.each([
    ['QUARTERDECK_HOST', 'not a host'],
    ['QUARTERDECK_PORT', '65536'],
    ['QUARTERDECK_AUDIT_SYSLOG', 'http://logs'],
    ['QUARTERDECK_AUDIT_SYSLOG', 'tcp://logs:0'],
    ['QUARTERDECK_AUDIT_SYSLOG', 'tcp://logs/path'],
    ['QUARTERDECK_AUDIT_OTLP', 'ftp://logs/v1/logs'],
    ['QUARTERDECK_PORT', '-1'],
    ['QUARTERDECK_PORT', '80.5'],
    ['QUARTERDECK_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['QUARTERDECK_TRUSTED_PROXIES', '127.0.0.1,,10.0.0.1'],
    ['QUARTERDECK_TRUSTED_PROXIES', 'loopback'],
    ['QUARTERDECK_PROXY_HEADER', 'X-Real-IP'],
    ['QUARTERDECK_SYSLOG_PROXY', 'yes'],
    ['QUARTERDECK_MCP_CHANGES', 'true'],
    ['QUARTERDECK_CORS_ORIGINS', '*'],
    ['QUARTERDECK_CORS_ORIGINS', 'null'],
    ['QUARTERDECK_CORS_ORIGINS', 'https://a.example,*'],
    ['QUARTERDECK_CORS_ORIGINS', 'https://a.example,'],
    ['QUARTERDECK_CORS_ORIGINS', 'https://a.example/'],
    ['QUARTERDECK_CORS_ORIGINS', 'https://a.example:443'],
    ['QUARTERDECK_CORS_ORIGINS', 'https://A.example'],
    ['QUARTERDECK_CORS_ORIGINS', 'https://*.example'],
    ['QUARTERDECK_CORS_ORIGINS', 'a.example'],
    ['QUARTERDECK_CORS_ORIGINS', 'ftp://a.example'],
    ['QUARTERDECK_TLS_CERT', '/etc/cert.pem'],
    ['QUARTERDECK_SYSLOG_PORT', 'on'],
    ['QUARTERDECK_SYSLOG_TLS_PORT', 'yes'],
    ['QUARTERDECK_SYSLOG_TLS_CERT', '/etc/cert.pem'],
    ['QUARTERDECK_MAX_CONNECTIONS', '9'],
    ['QUARTERDECK_MAX_CONNECTIONS', 'many'],
    ['QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS', '0'],
    ['QUARTERDECK_SERVE', 'admin,everything'],
    ['QUARTERDECK_AGENT_INTERVAL', '0'],
    ['QUARTERDECK_TOKEN_MAX_DAYS', '0'],
    ['QUARTERDECK_TOKEN_MAX_DAYS', '3651'],
    ['QUARTERDECK_TOKEN_MAX_DAYS', '90d'],
    ['QUARTERDECK_TOKEN_MAX_DAYS', '1.5'],
    ['QUARTERDECK_SESSION_IDLE_S', '59'],
    ['QUARTERDECK_SESSION_IDLE_S', '2678401'],
    ['QUARTERDECK_SESSION_IDLE_S', '00'],
    ['QUARTERDECK_AUDIT_DAYS', '36501'],
    ['QUARTERDECK_AUDIT_DAYS', '-1'],
    ['QUARTERDECK_ERRLOG_MAX_MB', '9'],
    ['QUARTERDECK_LOG_LEVEL', 'loud'],
  ])('refuses %s=%s in one line that names it, what was given and what is allowed', (name, value) => {
    const message = refusal({ [name]: value });
    expect(message).toMatch(new RegExp(`^${name} gives .*; allowed: .+$`));
    expect(message).toContain(JSON.stringify(value));
    expect(message).not.toContain('\n');
  });

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
    const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-config-'));
    const file = join(dir, 'cert.pem');
    const env = { QUARTERDECK_TLS_CERT_FILE: file, QUARTERDECK_PORT: 'no port' };
    expect(() => readCertificates(env)).toThrow('cannot be read');
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\n');
    expect(readCertificates(env)).toMatchObject({ tlsCert: '-----BEGIN CERTIFICATE-----', syslogTlsKey: undefined });
    rmSync(dir, { recursive: true });
  });

  it('reads a value from the file that the _FILE variable names', () => {
    const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-config-'));
    const file = join(dir, 'password');
    writeFileSync(file, 'a password from a file\n');
    expect(readConfig({ QUARTERDECK_ADMIN_PASSWORD_FILE: file }).adminPassword).toBe('a password from a file');
    expect(refusal({ QUARTERDECK_ADMIN_PASSWORD_FILE: file, QUARTERDECK_ADMIN_PASSWORD: 'x' })).toMatch(/both set/);
    writeFileSync(file, '{\n  "users": []\n}\n');
    expect(readConfig({ QUARTERDECK_BOOTSTRAP_FILE: file }).bootstrap).toBe('{\n  "users": []\n}');
    rmSync(dir, { recursive: true });
    expect(refusal({ QUARTERDECK_ADMIN_PASSWORD_FILE: file })).toMatch(/cannot be read/);
  });
});
