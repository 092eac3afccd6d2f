// Blocks of code in documents: shell commands exist, configuration is accepted by the program that reads it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfigFile } from '../../apps/agent/src/config-file.ts';
import { readSettings, SETTINGS } from '../../apps/server/src/config.ts';
import { findProgram } from '../../apps/server/test/programs.ts';
import { loadSettings } from '../../apps/tui/src/settings/files.ts';
import { type Block, blocksIn, gitFiles, ROOT, readDocument, readDocuments } from './documents.ts';
import { problemsOf } from './shell-commands.ts';

/**
 * Languages of blocks. Tests beside the code check `filter`, `refused`, and the haproxy of tls-and-proxies.md;
 * `units.test.ts` checks `ini`.
 */
const LANGUAGES = [
  ...[
    'agents',
    'columns',
    'filter',
    'haproxy',
    'ini',
    'json',
    'nginx',
    'refused',
    'rsyslog',
    'sh',
    'sql',
    'syslog-ng',
    'text',
    'toml',
    'ts',
    'tsx',
    'yaml',
  ],
];

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-documents-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each(readDocuments())('names a known language for each block of $path', ({ blocks }) => {
  for (const { place, language } of blocks) expect(LANGUAGES, place).toContain(language);
});

describe('shell', () => {
  it.each(blocksIn('sh'))('is valid at $place', ({ text }) => {
    execFileSync('bash', ['-n'], { input: text, stdio: ['pipe', 'pipe', 'pipe'] });
    expect(problemsOf(text)).toEqual([]);
  });

  it.each(readDocuments())('is valid in the text of $path', ({ path, prose }) => {
    // Old versions had other commands.
    if (path === 'CHANGELOG.md') return;
    for (const [, code = ''] of prose.matchAll(/`([^`\n]+)`/g)) expect(problemsOf(code), code).toEqual([]);
  });

  it('refuses what does not exist', () => {
    expect(problemsOf('npx -y pnpm@12 begin')).toEqual(['no such script: begin']);
    expect(problemsOf('sudo quarterdeckd token make')).toEqual(['no such command: quarterdeckd token make']);
    expect(problemsOf('quarterdeckd token create --user ada \\\n  --forever | cat')).toEqual([
      'no such option: --forever',
    ]);
    expect(problemsOf('quarterdeck errors lst')).toEqual(['no such command: quarterdeck errors lst']);
    expect(problemsOf('quarterdeck agents list --env vm --where x')).toEqual(['no such option: --where']);
    expect(problemsOf('quarterdeck-agent join --quick')).toEqual([
      'no such command: quarterdeck-agent join',
      'no such option: --quick',
    ]);
  });
});

it.each(blocksIn('json'))('shows JSON at $place', ({ text }) => {
  // Output may be several values, a line each.
  for (const value of isJson(text) ? [] : text.trim().split('\n')) expect(isJson(value), value).toBe(true);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('YAML', async () => {
  // The server's tests bring a parser.
  const parser = createRequire(`${ROOT}apps/server/package.json`).resolve('@redocly/openapi-core');
  const { parseYaml }: { parseYaml: (text: string) => unknown } = await import(pathToFileURL(parser).href);

  it.each(blocksIn('yaml'))('is valid at $place', ({ text }) => {
    expect(parseYaml(text)).toEqual(expect.any(Object));
  });

  it.each(gitFiles('.github/ISSUE_TEMPLATE/*.yml', ':!*/config.yml'))('is a form of issues in %s', (path) => {
    const body = expect.arrayContaining([
      expect.objectContaining({ type: 'textarea', validations: { required: true } }),
    ]);
    const form = { name: expect.any(String), description: expect.any(String), labels: [expect.any(String)], body };
    expect(parseYaml(readFileSync(ROOT + path, 'utf8'))).toEqual(form);
  });
});

describe('TOML', () => {
  const write = ({ text }: Block, name: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const isOfDashboard = ({ place }: Block) => place.startsWith('docs/reference/dashboard.md');

  const isOfServer = (block: Block) => block.flags.includes('server');

  it.each(blocksIn('toml').filter(isOfServer))('configures the server at $place', (block) => {
    const settings = readSettings({ QUARTERDECK_CONFIG: write(block, 'quarterdeck.toml') });
    expect(SETTINGS.filter((setting) => settings.origin(setting) === 'file')).not.toEqual([]);
  });

  it.each(blocksIn('toml').filter((block) => !isOfDashboard(block) && !isOfServer(block)))(
    'configures the agent at $place',
    (block) => {
      expect(Object.keys(readConfigFile(write(block, 'agent.toml'), true))).not.toEqual([]);
    },
  );

  it.each(blocksIn('toml').filter(isOfDashboard))('configures the dashboard at $place', (block) => {
    mkdirSync(join(folder, 'themes'), { recursive: true });
    write(block, block.flags.includes('theme') ? 'themes/own.toml' : 'config.toml');
    expect(loadSettings({ config: folder, state: folder })).toMatchObject({ problems: [] });
  });
});

/** Runs a program that checks its configuration; returns what it says. */
function check(program: string, args: readonly string[]): string {
  const { status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? '' : `${stderr}${stdout}`;
}

const nginx = findProgram('nginx');
describe.skipIf(nginx === undefined)('nginx', () => {
  it.each(blocksIn('nginx'))('accepts $place', ({ text }) => {
    // The certificate is made by the test that runs the example.
    const plain = text.replaceAll(/^ *ssl_certificate.*$/gm, '').replace('listen 443 ssl', 'listen 8443');
    const isHttp = /^(server|map) /m.test(text);
    const path = join(folder, 'nginx.conf');
    writeFileSync(path, `events {}\npid ${folder}/pid;\n${isHttp ? `http {\n${plain}}\n` : plain}`);
    expect(check(nginx ?? '', ['-t', '-q', '-e', 'stderr', '-p', folder, '-c', path])).toBe('');
  });
});

const rsyslogd = findProgram('rsyslogd');
describe.skipIf(rsyslogd === undefined)('rsyslog', () => {
  it.each(blocksIn('rsyslog'))('accepts $place', ({ text }) => {
    const path = join(folder, 'rsyslog.conf');
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, '');
    const here = text.replaceAll('/etc/ssl/our-authority.pem', authority);
    writeFileSync(path, `global(workDirectory="${folder}")\n${here}`);
    expect(check(rsyslogd ?? '', ['-N1', '-f', path])).toBe('');
  });
});

const syslogNg = spawnSync('syslog-ng', ['--version']).error === undefined ? 'syslog-ng' : undefined;
describe.skipIf(syslogNg === undefined)('syslog-ng', () => {
  it.each(blocksIn('syslog-ng'))('accepts $place', ({ text }) => {
    const path = join(folder, 'syslog-ng.conf');
    const rest = text.includes('log {') ? '' : 'log { source(s_src); destination(d_quarterdeck); };\n';
    writeFileSync(path, `@version: current\nsource s_src { internal(); };\n${text}${rest}`);
    expect(check(syslogNg ?? '', ['--syntax-only', '--no-caps', '-f', path])).toBe('');
  });
});

it('shows the haproxy that a test runs, and no other', () => {
  const { blocks } = readDocument('docs/how-to/tls-and-proxies.md');
  expect(blocksIn('haproxy')).toEqual(blocks.filter(({ language }) => language === 'haproxy'));
});
