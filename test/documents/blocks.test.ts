// Blocks of code in documents: shell commands exist, configuration is accepted by the program that reads it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfigFile } from '../../apps/agent/src/config-file.ts';
import { readFolder } from '../../apps/cli/src/as-code/read-folder.ts';
import { SecretReader } from '../../apps/cli/src/as-code/secrets.ts';
import { readSettings, SETTINGS } from '../../apps/server/src/settings/config.ts';
import { loadSettings } from '../../apps/tui/src/settings/files.ts';
import { nonEmpty } from '../non-empty.ts';
import { findProgram } from '../programs.ts';
import { type Block, blocksIn, gitFiles, ROOT, readDocument, readDocuments } from './documents.ts';
import { problemsOf } from './shell-commands.ts';

/**
 * Languages of blocks. Tests beside the code check `filter`, `refused`, and the `apache` and `haproxy` of
 * tls-and-proxies.md; `units.thorough.test.ts` checks `ini`, `typescript.thorough.test.ts` checks `ts`.
 */
const LANGUAGES =
  'agents apache columns filter haproxy ini json nginx refused rsyslog sh sql syslog-ng text toml ts tsx yaml'.split(
    ' ',
  );

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-documents-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a text into the folder and returns its path. */
function write(text: string, name: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

it('names a known language for each block', () => {
  const blocks = readDocuments().flatMap((document) => document.blocks);
  expect(nonEmpty(blocks).filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
});

describe('shell', () => {
  it('has valid syntax', () => {
    const files = nonEmpty(blocksIn('sh')).map(({ place, text }) => write(text, place.replaceAll('/', '-')));
    const { stderr } = spawnSync('bash', ['-c', 'for file; do bash -n "$file"; done', 'bash', ...files], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
  });

  it('names commands that exist, in blocks and within the text', () => {
    const blocks = nonEmpty(blocksIn('sh')).map(({ place, text }) => [place, text]);
    // Old versions had other commands.
    const codes = readDocuments()
      .filter(({ path }) => path !== 'CHANGELOG.md')
      .flatMap(({ path, prose }) => [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => [path, code]));
    const problems = [...blocks, ...nonEmpty(codes)].flatMap(([place, code = '']) =>
      problemsOf(code).map((problem) => `${place}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  it.each([
    ['npx -y pnpm@12 begin', ['no such script: begin']],
    ['sudo quarterdeckd token make', ['no such command: quarterdeckd token make']],
    ['quarterdeckd token create --user ada \\\n  --forever | cat', ['no such option: --forever']],
    ['quarterdeck errors lst', ['no such command: quarterdeck errors lst']],
    ['quarterdeck agents list --env vm --where x', ['no such option: --where']],
    ['quarterdeck-agent join --quick', ['no such command: quarterdeck-agent join', 'no such option: --quick']],
  ])('is refused where something does not exist: %s', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });
});

it('shows JSON, or output of a value a line', () => {
  const isJson = (text: string) => {
    try {
      return JSON.parse(text) !== undefined;
    } catch {
      return false;
    }
  };
  const wrong = nonEmpty(blocksIn('json')).filter(
    ({ text }) => !(isJson(text) || text.trim().split('\n').every(isJson)),
  );
  expect(wrong).toEqual([]);
});

describe('YAML', async () => {
  // The server's tests bring a parser.
  const parser = createRequire(`${ROOT}apps/server/package.json`).resolve('@redocly/openapi-core');
  const { parseYaml }: { parseYaml: (text: string) => unknown } = await import(pathToFileURL(parser).href);

  it('is valid', () => {
    for (const { place, text } of nonEmpty(blocksIn('yaml')))
      expect(parseYaml(text), place).toEqual(expect.any(Object));
  });

  it('is a form in the templates of issues', () => {
    const body = expect.arrayContaining([
      expect.objectContaining({ type: 'textarea', validations: { required: true } }),
    ]);
    const form = { name: expect.any(String), description: expect.any(String), labels: [expect.any(String)], body };
    for (const path of nonEmpty(gitFiles(/^\.github\/ISSUE_TEMPLATE\/(?!config)[^/]+\.yml$/))) {
      expect(parseYaml(readFileSync(ROOT + path, 'utf8')), path).toEqual(form);
    }
  });
});

describe('TOML', () => {
  const blocks = Map.groupBy(blocksIn('toml'), ({ place, flags }) => {
    if (flags.includes('server')) return 'server';
    if (flags.includes('apply')) return 'apply';
    return place.startsWith('docs/reference/dashboard.md') ? 'dashboard' : 'agent';
  });
  const blocksFor = (program: 'server' | 'dashboard' | 'agent'): Block[] => blocks.get(program) ?? [];

  it.each(nonEmpty(blocksFor('server')))('configures the server at $place', ({ text }) => {
    const settings = readSettings({ QUARTERDECK_CONFIG: write(text, 'quarterdeck.toml') });
    expect(SETTINGS.filter((setting) => settings.origin(setting) === 'file')).not.toEqual([]);
  });

  it.each(nonEmpty(blocksFor('agent')))('configures the agent at $place', ({ text }) => {
    expect(Object.keys(readConfigFile(write(text, 'agent.toml'), true))).not.toEqual([]);
  });

  it.each(nonEmpty(blocksFor('dashboard')))('configures the dashboard at $place', ({ text, flags }) => {
    mkdirSync(join(folder, 'themes'), { recursive: true });
    write(text, flags.includes('theme') ? 'themes/own.toml' : 'config.toml');
    expect(loadSettings({ config: folder, state: folder })).toMatchObject({ problems: [] });
  });
});

it.each(nonEmpty([...blocksIn('toml'), ...blocksIn('yaml')].filter(({ flags }) => flags.includes('apply'))))(
  'describes a server for apply at $place',
  async ({ text, language }) => {
    const files = mkdtempSync(join(folder, 'apply-'));
    writeFileSync(join(files, `all.${language}`), text);
    const read = await readFolder(files, new SecretReader(() => 'https://example.org/secret'));
    expect(read).toEqual({ entries: expect.arrayContaining([expect.anything()]), problems: [] });
  },
);

/** Runs a program that checks its configuration; returns what it says. */
function check(program: string | undefined, args: readonly string[]): string {
  const { status, stderr, stdout } = spawnSync(program ?? '', args, { encoding: 'utf8' });
  return status === 0 ? '' : `${stderr}${stdout}`;
}

const nginx = findProgram('nginx');
it.skipIf(nginx === undefined)('configures nginx, with all blocks together', () => {
  // The certificate is made by the test that runs the example.
  const plain = nonEmpty(blocksIn('nginx')).map(({ text }) =>
    text.replaceAll(/^ *ssl_certificate.*$/gm, '').replace('listen 443 ssl', 'listen 8443'),
  );
  const { http = [], main = [] } = Object.groupBy(plain, (text) => (/^(server|map) /m.test(text) ? 'http' : 'main'));
  const path = write(`${main.join('')}events {}\npid ${folder}/pid;\nhttp {\n${http.join('')}}\n`, 'nginx.conf');
  expect(check(nginx, ['-t', '-q', '-e', 'stderr', '-p', folder, '-c', path])).toBe('');
});

const rsyslogd = findProgram('rsyslogd');
it.skipIf(rsyslogd === undefined).each(nonEmpty(blocksIn('rsyslog')))('configures rsyslog at $place', ({ text }) => {
  const here = text.replaceAll('/etc/ssl/our-authority.pem', write('', 'authority.pem'));
  const path = write(`global(workDirectory="${folder}")\n${here}`, 'rsyslog.conf');
  expect(check(rsyslogd, ['-N1', '-f', path])).toBe('');
});

// It is in few distributions, so its absence is no failure in CI.
const syslogNg = spawnSync('syslog-ng', ['--version']).error === undefined ? 'syslog-ng' : undefined;
it.skipIf(syslogNg === undefined).each(nonEmpty(blocksIn('syslog-ng')))(
  'configures syslog-ng at $place',
  ({ text }) => {
    const rest = text.includes('log {') ? '' : 'log { source(s_src); destination(d_quarterdeck); };\n';
    const path = write(`@version: current\nsource s_src { internal(); };\n${text}${rest}`, 'syslog-ng.conf');
    expect(check(syslogNg, ['--syntax-only', '--no-caps', '-f', path])).toBe('');
  },
);

it('shows the haproxy that a test runs, and no other', () => {
  const { blocks } = readDocument('docs/how-to/tls-and-proxies.md');
  expect(blocksIn('haproxy')).toEqual(blocks.filter(({ language }) => language === 'haproxy'));
});
