import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { describe, expect, it } from 'vitest';
import { type CommandLineOptions, describeVariables, readConfig } from '../src/config.ts';
import type { ProcessUser } from '../src/files/agent-dir.ts';
import { readPublicKey } from '../src/upgrade/minisign.ts';
import { PROGRAMS_DEFAULT } from '../src/watch/programs.ts';
import { UNITS_DEFAULT } from '../src/watch/units.ts';
import { WATCHERS_DEFAULT } from '../src/watch/watchers.ts';
import { temporaryFolder } from './temporary.ts';

/** Public keys of minisign. */
const KEY = 'RWR/vo8PDXDCQVpKtBdTU3wM5UMcrB9VK7Kwr7PZcWfIGvOBeglMwDjS';
const OTHER_KEY = 'RWTvmpICrKaDGSUkoT42buXjP2k7FA8irw4S/7jGlzFhjAfm36UhbcJi';

const USER: ProcessUser = { uid: 1000, home: () => '/home/ada' };
const read = (env: Record<string, string>, by: ProcessUser = USER, given?: CommandLineOptions) =>
  readConfig(env, by, given);

/** Returns the one line that refuses an invalid value. */
function refusal(env: Record<string, string>, by?: ProcessUser): string {
  try {
    read(env, by);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return 'accepted';
}

describe('readConfig', () => {
  it('needs nothing', () => {
    expect(read({})).toEqual({
      url: undefined,
      consoleUrl: undefined,
      enrollToken: undefined,
      agentDir: '/home/ada/.local/state/quarterdeck-agent',
      files: [],
      linkRoots: ['/var/log/pods', '/var/log/containers', '/var/lib/docker/containers'],
      journal: undefined,
      spoolMaxBytes: 64 * 1024 * 1024,
      watch: WATCHERS_DEFAULT,
      configTrees: ['/etc/nginx', '/usr/local/openresty/nginx/conf'],
      configDiff: false,
      programs: PROGRAMS_DEFAULT,
      certificates: [],
      units: UNITS_DEFAULT,
      containers: undefined,
      upgradeCommand: undefined,
      upgrade: undefined,
      upgradeTrialS: 300,
      stapCommand: undefined,
      odbCommand: undefined,
      logLevel: 'info',
      inKubernetes: false,
      path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    });
  });

  it('takes variables and files as they are written on Windows', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'token');
    await writeFile(file, '\ufefftoken\r\n', 'utf16le');
    await writeFile(join(folder, 'agent.toml'), '\ufeffconfig_diff = true\r\n');
    const env = {
      QUARTERDECK_URL: '\ufeffhttp://127.0.0.1:7080\r',
      QUARTERDECK_AGENT_DIR: `${folder}\r`,
      QUARTERDECK_ENROLL_TOKEN_FILE: `${file}\r\n`,
    };
    expect(read(env)).toMatchObject({ url: 'http://127.0.0.1:7080', enrollToken: 'token', configDiff: true });
  });

  it('reads everything', () => {
    const env = {
      QUARTERDECK_URL: 'https://Admin.example/prefix/',
      QUARTERDECK_CONSOLE_URL: 'https://console.example',
      QUARTERDECK_ENROLL_TOKEN: 'a-token',
      QUARTERDECK_AGENT_DIR: '/srv/agent',
      QUARTERDECK_AGENT_STAP_COMMAND: ' /opt/stap/bin/stap  --version ',
      QUARTERDECK_AGENT_ODB_COMMAND: 'odb -v',
      QUARTERDECK_AGENT_FILES: ' /var/log/nginx/*.log, /srv/app/*/error.log ,',
      QUARTERDECK_AGENT_LINK_ROOTS: '/srv/pods/, /data/logs',
      QUARTERDECK_AGENT_JOURNAL: 'nginx.service, app@1.service',
      QUARTERDECK_AGENT_SPOOL_MAX_MB: '8',
      QUARTERDECK_AGENT_WATCH: 'config, config',
      QUARTERDECK_AGENT_CONFIG_TREES: '/etc/haproxy/, /srv/*/conf',
      QUARTERDECK_AGENT_CONFIG_DIFF: 'on',
      QUARTERDECK_AGENT_PROGRAMS: '/usr/sbin/haproxy -v, /opt/app/bin/app',
      QUARTERDECK_AGENT_CERTIFICATES: '/etc/letsencrypt/live, gateway.example:443, [2001:db8::1]:8443',
      QUARTERDECK_AGENT_UNITS: 'nginx.service, php*-fpm.service, app@1.service',
      QUARTERDECK_AGENT_CONTAINERS: '/var/run/docker.sock',
      QUARTERDECK_AGENT_CONTAINER_LOGS: 'web, shop-*',
      QUARTERDECK_AGENT_UPGRADE_COMMAND: '/opt/upgrade now',
      QUARTERDECK_AGENT_UPGRADE_URL: 'https://downloads.example/agent/',
      QUARTERDECK_AGENT_UPGRADE_KEY: `${KEY},${OTHER_KEY}`,
      QUARTERDECK_AGENT_UPGRADE_ALLOW_OLDER: 'on',
      QUARTERDECK_AGENT_UPGRADE_TRIAL_S: '60',
      QUARTERDECK_LOG_LEVEL: 'debug',
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
      PATH: '/bin',
    };
    expect(read(env)).toEqual({
      url: 'https://admin.example/prefix',
      consoleUrl: 'https://console.example',
      enrollToken: 'a-token',
      agentDir: '/srv/agent',
      files: ['/var/log/nginx/*.log', '/srv/app/*/error.log'],
      linkRoots: ['/srv/pods', '/data/logs'],
      journal: ['nginx.service', 'app@1.service'],
      spoolMaxBytes: 8 * 1024 * 1024,
      watch: ['config'],
      configTrees: ['/etc/haproxy', '/srv/*/conf'],
      configDiff: true,
      programs: [['/usr/sbin/haproxy', '-v'], ['/opt/app/bin/app']],
      certificates: [
        { path: '/etc/letsencrypt/live' },
        { host: 'gateway.example', port: 443 },
        { host: '2001:db8::1', port: 8443 },
      ],
      units: ['nginx.service', 'php*-fpm.service', 'app@1.service'],
      containers: '/var/run/docker.sock',
      containerLogs: { socket: '/var/run/docker.sock', names: ['web', 'shop-*'] },
      upgradeCommand: ['/opt/upgrade', 'now'],
      upgrade: { url: 'https://downloads.example/agent', keys: [KEY, OTHER_KEY].map(readPublicKey), allowOlder: true },
      upgradeTrialS: 60,
      stapCommand: ['/opt/stap/bin/stap', '--version'],
      odbCommand: ['odb', '-v'],
      logLevel: 'debug',
      inKubernetes: true,
      path: '/bin',
    });
  });

  it('treats an empty value as absent', () => {
    expect(read({ QUARTERDECK_URL: '', QUARTERDECK_ENROLL_TOKEN: '', QUARTERDECK_ENROLL_TOKEN_FILE: '' })).toEqual(
      read({}),
    );
  });

  it.each<[string, Record<string, string>, ProcessUser]>([
    ['/var/lib/quarterdeck-agent', { XDG_STATE_HOME: '/ignored' }, { ...USER, uid: 0 }],
    ['/home/ada/state/quarterdeck-agent', { XDG_STATE_HOME: '/home/ada/state' }, USER],
    ['/home/ada/.local/state/quarterdeck-agent', { XDG_STATE_HOME: 'relative' }, USER],
    ['/home/ada/.local/state/quarterdeck-agent', {}, { ...USER, uid: undefined }],
  ])('keeps its state in %s', (expected, env, by) => {
    expect(read(env, by).agentDir).toBe(expected);
  });

  it('requires a folder when the user has no home', () => {
    const homeless: ProcessUser = {
      uid: 1000,
      home: () => {
        throw new Error('ENOENT');
      },
    };
    expect(refusal({}, homeless)).toMatch(/^QUARTERDECK_AGENT_DIR is not set.*allowed: a folder$/);
    expect(read({ QUARTERDECK_AGENT_DIR: '/srv' }, homeless).agentDir).toBe('/srv');
  });

  it.each<[string, string, string]>([
    ['QUARTERDECK_URL', 'ftp://host', '"ftp://host"'],
    ['QUARTERDECK_URL', 'not a url\nat all', '"not a url\\nat all"'],
    ['QUARTERDECK_URL', 'http://host/?q=1', '"http://host/?q=1"'],
    ['QUARTERDECK_URL', 'http://ada:canary@host', 'a value that is not repeated here'],
    ['QUARTERDECK_URL', `qd_t_${'c'.repeat(49)}`, 'a value that is not repeated here'],
    ['QUARTERDECK_CONSOLE_URL', 'host:7080', '"host:7080"'],
    ['QUARTERDECK_ENROLL_TOKEN', 'canary with spaces', 'a value that is not repeated here'],
    ['QUARTERDECK_ENROLL_TOKEN', 'x'.repeat(513), 'a value that is not repeated here'],
    ['QUARTERDECK_AGENT_DIR', 'a\0b', '"a\\u0000b"'],
    ['QUARTERDECK_AGENT_STAP_COMMAND', 'stap --version | head -1', '"stap --version | head -1"'],
    ['QUARTERDECK_AGENT_ODB_COMMAND', '   ', '"   "'],
    ['QUARTERDECK_AGENT_FILES', '/var/log/nginx/', '"/var/log/nginx/"'],
    ['QUARTERDECK_AGENT_JOURNAL', 'nginx', '"nginx"'],
    ['QUARTERDECK_AGENT_JOURNAL', '-f.service', '"-f.service"'],
    ['QUARTERDECK_AGENT_CONTAINER_LOGS', 'a/b', '"a/b"'],
    ['QUARTERDECK_AGENT_CONTAINER_LOGS', ',', '","'],
    ['QUARTERDECK_AGENT_SPOOL_MAX_MB', '0', '"0"'],
    ['QUARTERDECK_AGENT_SPOOL_MAX_MB', 'much', '"much"'],
    ['QUARTERDECK_AGENT_WATCH', 'config,nonsense', '"config,nonsense"'],
    ['QUARTERDECK_AGENT_CONFIG_TREES', 'etc/nginx', '"etc/nginx"'],
    ['QUARTERDECK_AGENT_CONFIG_DIFF', 'yes', '"yes"'],
    ['QUARTERDECK_AGENT_PROGRAMS', 'nginx -V', '"nginx -V"'],
    ['QUARTERDECK_AGENT_PROGRAMS', '/usr/sbin/nginx -V | sh', '"/usr/sbin/nginx -V | sh"'],
    ['QUARTERDECK_AGENT_CERTIFICATES', 'etc/ssl', '"etc/ssl"'],
    ['QUARTERDECK_AGENT_CERTIFICATES', 'host:0', '"host:0"'],
    ['QUARTERDECK_AGENT_CERTIFICATES', 'host:65536', '"host:65536"'],
    ['QUARTERDECK_AGENT_UNITS', '--user', '"--user"'],
    ['QUARTERDECK_AGENT_UNITS', 'a b', '"a b"'],
    ['QUARTERDECK_AGENT_CONTAINERS', 'tcp://127.0.0.1:2375', '"tcp://127.0.0.1:2375"'],
    ['QUARTERDECK_AGENT_UPGRADE_COMMAND', 'a; b', '"a; b"'],
    ['QUARTERDECK_LOG_LEVEL', 'loud', '"loud"'],
    ['QUARTERDECK_LOG_LEVEL', 'x'.repeat(5000), `"${'x'.repeat(100)}..."`],
  ])('refuses %s=%j in one line', (name, value, shown) => {
    const message = refusal({ [name]: value });
    expect(message).toContain(`${name} gives ${shown}; allowed: `);
    expect(message).not.toMatch(/canary|\n/);
  });
});

it('needs a socket for the output of containers', () => {
  expect(refusal({ QUARTERDECK_AGENT_CONTAINER_LOGS: '*' })).toBe(
    'QUARTERDECK_AGENT_CONTAINER_LOGS needs QUARTERDECK_AGENT_CONTAINERS; allowed: an absolute path of a socket',
  );
});

it('turns all watchers off on request', () => {
  expect(read({ QUARTERDECK_AGENT_WATCH: 'none' }).watch).toEqual([]);
});

describe('the _FILE twins', () => {
  it.each([
    'URL',
    'CONSOLE_URL',
    'ENROLL_TOKEN',
    'AGENT_DIR',
    'AGENT_FILES',
    'AGENT_STAP_COMMAND',
    'AGENT_ODB_COMMAND',
    'LOG_LEVEL',
  ])('exist for QUARTERDECK_%s, and both at once are an error', async (name) => {
    const value = name.endsWith('URL') ? 'http://other.example' : name === 'LOG_LEVEL' ? 'warn' : '/value';
    const file = join(await temporaryFolder(), 'value');
    await writeFile(file, `${value}\r\n`);
    const variable = `QUARTERDECK_${name}`;
    expect(read({ [`${variable}_FILE`]: file })).toEqual(read({ [variable]: value }));
    expect(refusal({ [variable]: value, [`${variable}_FILE`]: file })).toBe(
      `${variable} and ${variable}_FILE are both set; only one of them may be`,
    );
  });

  it('name the file that cannot be read', () => {
    expect(refusal({ QUARTERDECK_ENROLL_TOKEN_FILE: '/no/such' })).toBe(
      'QUARTERDECK_ENROLL_TOKEN_FILE names "/no/such", which cannot be read (ENOENT); allowed: a readable file',
    );
  });

  it('name themselves when the content is wrong', async () => {
    const file = join(await temporaryFolder(), 'value');
    await writeFile(file, 'loud');
    expect(refusal({ QUARTERDECK_LOG_LEVEL_FILE: file })).toMatch(/^QUARTERDECK_LOG_LEVEL_FILE gives "loud"/);
  });
});

describe('the configuration file', () => {
  const FULL = `
    url = "https://admin.example/"
    console_url = "https://console.example"
    enroll_token_file = "/no/longer/there"
    files = ["/var/log/nginx/*.log", "/srv/{a,b}/error.log"]
    journal = "all"
    spool_max_mb = 8
    stap_command = "stap --version"
    odb_command = ["/opt/odb tool", "-v"]
    upgrade_command = ["/opt/upgrade"]
    watch = []
    config_trees = ["/etc/{nginx,haproxy}"]
    config_diff = true
    programs = ["/usr/sbin/haproxy -v", ["/opt/odb tool", "-v"]]
    certificates = ["/etc/ssl/gateway.pem", "127.0.0.1:443"]
    units = ["nginx.service"]
    containers = "/run/podman/podman.sock"
    container_logs = ["*"]
    log_level = "warn"
  `;
  const fileWith = async (text: string) => {
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'agent.toml'), text);
    return { QUARTERDECK_AGENT_DIR: dir };
  };

  it('sets values that no variable sets', async () => {
    const env = await fileWith(FULL);
    expect(read({ ...env, QUARTERDECK_LOG_LEVEL: 'debug', QUARTERDECK_AGENT_FILES: '/x' })).toMatchObject({
      url: 'https://admin.example',
      consoleUrl: 'https://console.example',
      enrollToken: undefined,
      files: ['/x'],
      journal: [],
      spoolMaxBytes: 8 * 1024 * 1024,
      stapCommand: ['stap', '--version'],
      odbCommand: ['/opt/odb tool', '-v'],
      upgradeCommand: ['/opt/upgrade'],
      watch: [],
      configTrees: ['/etc/{nginx,haproxy}'],
      configDiff: true,
      programs: [
        ['/usr/sbin/haproxy', '-v'],
        ['/opt/odb tool', '-v'],
      ],
      certificates: [{ path: '/etc/ssl/gateway.pem' }, { host: '127.0.0.1', port: 443 }],
      units: ['nginx.service'],
      containers: '/run/podman/podman.sock',
      containerLogs: { socket: '/run/podman/podman.sock', names: ['*'] },
      logLevel: 'debug',
    });
    expect(read(env).files).toEqual(['/var/log/nginx/*.log', '/srv/{a,b}/error.log']);
  });

  it('names a file with authorities of certificates, which a variable replaces', async () => {
    const dir = await temporaryFolder();
    const path = join(dir, 'ca.pem');
    const env = await fileWith(`ca_file = ${JSON.stringify(path)}`);
    expect(refusal(env)).toBe(
      `ca_file names ${JSON.stringify(path)}, which cannot be read (ENOENT); allowed: a readable file`,
    );
    await writeFile(path, 'a certificate');
    expect(read(env).ca).toEqual({ pem: 'a certificate', setting: 'ca_file' });
    const given = { ...env, QUARTERDECK_CA: 'another' };
    expect(read(given).ca).toEqual({ pem: 'another', setting: 'QUARTERDECK_CA_FILE' });
  });

  it('takes a service and a level for the lines of files', async () => {
    const fileSettings = [{ glob: '/var/log/app/*.log', service: 'app', level: 5 }, { glob: '/x' }];
    const QUARTERDECK_AGENT_FILES = '/var/log/app/*.log; service=app;level=WARN,/x';
    expect(read({ QUARTERDECK_AGENT_FILES })).toMatchObject({ files: ['/var/log/app/*.log', '/x'], fileSettings });
    const env = await fileWith('files = ["/var/log/app/*.log;service=app;level=warn", "/x"]');
    expect(read(env)).toMatchObject({ fileSettings });
  });

  it('is named on the command line, by the variable, or found in the folder, in this order', async () => {
    const dir = await temporaryFolder();
    const named = async (level: string) => {
      await writeFile(join(dir, level), `log_level = "${level}"`);
      return join(dir, level);
    };
    const env = { ...(await fileWith('log_level = "error"')), QUARTERDECK_AGENT_CONFIG: await named('warn') };
    expect(read(env, USER, { configFile: await named('debug') }).logLevel).toBe('debug');
    expect(read(env).logLevel).toBe('warn');
    expect(read({ QUARTERDECK_AGENT_DIR: env.QUARTERDECK_AGENT_DIR }).logLevel).toBe('error');
    expect(refusal({ QUARTERDECK_AGENT_CONFIG: '/no/such' })).toBe(
      'the configuration file "/no/such" cannot be read (ENOENT)',
    );
  });

  it('has the token in a file of its own', async () => {
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'token'), 'a-token\n');
    const env = await fileWith(`enroll_token_file = "${join(dir, 'token')}"`);
    expect(read(env).enrollToken).toBe('a-token');
  });

  it.each<[string, RegExp]>([
    ['url = ', /agent\.toml: not TOML at line 1, column \d+$/],
    ['enroll_token = "canary"', /agent\.toml: there is no key "enroll_token"$/],
    ['url = "canary"', /agent\.toml: url: /],
    ['files = "/var/log/x"', /agent\.toml: files: /],
    ['files = ["/var/log/"]', /agent\.toml: files\.0: must name files, not a folder$/],
    [
      'files = ["/x;level=loud"]',
      /agent\.toml: files\.0: must have only ;service=NAME, ;level=NAME, ;zone=NAME and ;format=json-file behind the path$/,
    ],
    ['files = ["/x;colour=red"]', /agent\.toml: files\.0: must have only /],
    ['spool_max_mb = 0.5', /agent\.toml: spool_max_mb: must be a whole number from 1 to 100000$/],
    ['upgrade_command = []', /agent\.toml: upgrade_command: /],
  ])('is refused in one line that names the place: %s', async (text, message) => {
    const refused = refusal(await fileWith(text));
    expect(refused).toMatch(message);
    expect(refused).not.toMatch(/canary|\n/);
  });
});

it('describes every variable', () => {
  expect(describeVariables().split('\n')).toHaveLength(26);
});
