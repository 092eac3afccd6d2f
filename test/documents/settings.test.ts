// Settings in documents and examples exist, and each setting is in its reference.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeVariables } from '../../apps/agent/src/config.ts';
import { readConfigFile } from '../../apps/agent/src/config-file.ts';
import { NOTES } from '../../apps/cli/src/command/parser.ts';
import { SETTINGS } from '../../apps/server/src/settings/config.ts';
import { providerOf } from '../../apps/server/src/settings/oidc-variables.ts';
import { openSettings } from '../../apps/server/src/settings/settings.ts';
import { HELP as DASHBOARD_HELP } from '../../apps/tui/src/start/config.ts';
import { nonEmpty } from '../non-empty.ts';
import { ROOT, readDocument, readDocuments } from './documents.ts';

const NAME = /\bQUARTERDECK_[A-Z0-9_]*[A-Z0-9]\b/g;
const namesIn = (text: string) => [...text.matchAll(NAME)].map(([name]) => name);

const server = SETTINGS.map(({ name }) => name);
const listed = (help: string) => [...help.matchAll(/^ {2}(QUARTERDECK_\w+)/gm)].map(([, name = '']) => name);
const agent = listed(describeVariables());
const dashboard = listed(DASHBOARD_HELP);
const commandLine = listed(NOTES);

/** Names that documents define themselves, and names that programs of the project set or read beside their settings. */
const OTHERS = [
  ...['AGENT', 'CONFIG', 'HEADER', 'RELEASE_KEY_FILE', 'RELEASE_KEY_PASSWORD_FILE'],
  ...['TESTS', 'TEST_POSTGRESQL', 'TEST_RUNS', 'UPGRADE_VERSION'],
].map((name) => `QUARTERDECK_${name}`);

it('names settings that exist', () => {
  const settings = [...server, ...agent, ...dashboard, ...commandLine].flatMap((name) => [name, `${name}_FILE`]);
  const known = new Set([...settings, ...OTHERS]);
  // Old versions had other settings.
  const documents = nonEmpty(readDocuments()).filter(({ path }) => path !== 'CHANGELOG.md');
  const unknown = documents.flatMap(({ text, path }) =>
    namesIn(text)
      .filter((name) => !known.has(name) && providerOf(name) === undefined)
      .map((name) => `${name} in ${path}`),
  );
  expect(unknown).toEqual([]);
});

it.each([
  { program: 'server', path: 'docs/reference/settings.md', names: server },
  { program: 'agent', path: 'docs/reference/agent.md', names: agent },
  { program: 'dashboard', path: 'docs/reference/dashboard.md', names: dashboard },
  { program: 'command line', path: 'docs/reference/command-line.md', names: commandLine },
])('has each setting of the $program in $path', ({ path, names }) => {
  expect(names.length).toBeGreaterThan(1);
  const documented = new Set(namesIn(readDocument(path).text));
  expect(names.filter((name) => !documented.has(name))).toEqual([]);
});

describe('an example of settings with all of its commented lines in effect', () => {
  /** Writes it to a file. */
  function uncommented(name: string): string {
    const file = join(mkdtempSync(join(tmpdir(), 'settings-')), name);
    const text = readFileSync(`${ROOT}packaging/systemd/${name}`, 'utf8').replaceAll(/^#(?=\w+ = )/gm, '');
    expect(text.match(/^\w+ = /gm)?.length).toBeGreaterThan(5);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  it('has keys and values that the server takes', () => {
    const file = uncommented('quarterdeck.toml');
    const settings = openSettings({ QUARTERDECK_CONFIG: file }, SETTINGS);
    const text = readFileSync(file, 'utf8');
    for (const variable of nonEmpty(SETTINGS.filter((one) => settings.origin(one) === 'file'))) {
      const key = variable.name.replace('QUARTERDECK_', '').toLowerCase();
      // The files with secrets do not exist here.
      if (!text.includes(`${key}_file = `)) expect(() => settings.value(variable)).not.toThrow();
    }
  });

  it('has keys and values that the agent takes', () => {
    expect(readConfigFile(uncommented('agent.toml'), true).url).toBe('https://quarterdeck.example');
  });
});
