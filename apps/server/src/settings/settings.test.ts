import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@quarterdeck/core/environment';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/new-folder.ts';
import { readConfig, readSettings, SETTINGS } from './config.ts';

const folder = newFolder();

let files = 0;
/** Environment that names a settings file with this text. */
function withFile(text: string, env: Environment = {}, mode = 0o600): Environment {
  const path = join(folder, `${files++}.toml`);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return { QUARTERDECK_CONFIG: path, ...env };
}
const warningsOf = (env: Environment) => readSettings(env).warnings;
const variable = (name: string) => SETTINGS.find((setting) => setting.name === name) as (typeof SETTINGS)[number];

describe('the settings file', () => {
  it('gives text, numbers, flags and lists', () => {
    const text =
      'host = "::1"\nport = 81\naccess_log = true\nsyslog_port = false\ntrusted_proxies = ["10.0.0.0/8", "::1"]';
    expect(readConfig(withFile(text))).toMatchObject({
      host: '::1',
      port: 81,
      accessLog: true,
      syslogPort: 'off',
      trustedProxies: '10.0.0.0/8 ::1',
    });
  });

  it('gives way to the environment, also to a file that a variable names', () => {
    const path = join(folder, 'port');
    writeFileSync(path, '83\n');
    const env = withFile('port = 81\nhost = "127.0.0.2"', { QUARTERDECK_PORT_FILE: path });
    expect(readConfig(env)).toMatchObject({ port: 83, host: '127.0.0.2' });
    const settings = readSettings(env);
    expect(
      ['QUARTERDECK_PORT', 'QUARTERDECK_HOST', 'QUARTERDECK_SERVE'].map((name) => settings.origin(variable(name))),
    ).toEqual(['environment', 'file', 'default']);
  });

  it('names files that hold a value', () => {
    const path = join(folder, 'password');
    writeFileSync(path, 'a password from a file\n');
    expect(readConfig(withFile(`admin_password_file = ${JSON.stringify(path)}`)).adminPassword).toBe(
      'a password from a file',
    );
  });

  it.each([
    ['prot = 1', 'there is no key "prot"'],
    ['[smtp]\nhost = "x"', 'there is no key "smtp"; tables have no meaning here, write smtp_host = "..."'],
    ['port = 2020-01-01', 'port is not text, a number, true, false or a list; allowed: a port'],
    ['port = 123456', 'port gives "123456"; allowed: a port'],
    ['tls_cert_file = "/nowhere"', 'tls_cert_file names "/nowhere", which cannot be read (ENOENT)'],
    ['port = ', 'not TOML at line 1, column 8'],
    ['admin_password = "short secret"', 'admin_password gives a value that is not repeated here'],
    ['admin_password = "unclosed secret', 'not TOML at line 1'],
  ])('is refused with one line: %s', (text, why) => {
    const read = () => readConfig(withFile(text));
    expect(read).toThrow(why);
    expect(read).not.toThrow(/secret/);
    expect(read).toThrow(/^[^\n]+\.toml: [^\n]+$/);
  });

  it('must exist where it is named', () => {
    expect(() => readConfig({ QUARTERDECK_CONFIG: join(folder, 'none') })).toThrow('cannot be read (ENOENT)');
  });
});

describe('warnings', () => {
  it('name what has no effect, and nothing of other programs and clusters', () => {
    const env = {
      QUARTERDECK_PROT: '1',
      QUARTERDECK_URL: 'http://x',
      QUARTERDECK_AGENT_DIR: '/x',
      QUARTERDECK_SERVICE_HOST: '10.0.0.1',
      QUARTERDECK_SERVICE_PORT_HTTP: '7080',
      QUARTERDECK_PORT_7080_TCP_ADDR: '10.0.0.1',
      QUARTERDECK_HOST: '::1',
      QUARTERDECK_ADMIN_PASSWORD_FILE: '',
    };
    expect(warningsOf(env)).toEqual(['QUARTERDECK_PROT is not a setting and has no effect']);
  });

  it('tell of the address that a cluster sets, which is no port', () => {
    const env = { QUARTERDECK_PORT: 'tcp://10.0.0.1:7080' };
    expect(readConfig(env).port).toBe(7080);
    expect(warningsOf(env)).toEqual([expect.stringContaining('enableServiceLinks: false')]);
    expect(() => readConfig({ QUARTERDECK_PORT: 'http://10.0.0.1' })).toThrow('QUARTERDECK_PORT gives');
  });

  it('tell of a secret that others may read', () => {
    const text = 'admin_password = "a long enough password"';
    expect(warningsOf(withFile(text, {}, 0o644))).toEqual([expect.stringContaining('holds a secret')]);
    expect(warningsOf(withFile(text))).toEqual([]);
    expect(warningsOf(withFile('port = 81', {}, 0o644))).toEqual([]);
  });
});
