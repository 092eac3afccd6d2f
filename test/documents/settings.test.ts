// Settings in documents exist, and each setting is in its reference.
import { expect, it } from 'vitest';
import { describeVariables } from '../../apps/agent/src/config.ts';
import { NOTES } from '../../apps/cli/src/parser.ts';
import { SETTINGS } from '../../apps/server/src/config.ts';
import { HELP as DASHBOARD_HELP } from '../../apps/tui/src/config.ts';
import { readDocument, readDocuments } from './documents.ts';

const NAME = /\bQUARTERDECK_[A-Z0-9_]*[A-Z0-9]\b/g;
const namesIn = (text: string) => [...text.matchAll(NAME)].map(([name]) => name);

const server = SETTINGS.map(({ name }) => name);
const listed = (help: string) => [...help.matchAll(/^ {2}(QUARTERDECK_\w+)/gm)].map(([, name = '']) => name);
const agent = listed(describeVariables());
const dashboard = listed(DASHBOARD_HELP);
const commandLine = listed(NOTES);

/** Names that documents define themselves, and names that programs of the project set or read beside their settings. */
const OTHERS = [
  ...[
    'QUARTERDECK_AGENT',
    'QUARTERDECK_CONFIG',
    'QUARTERDECK_HEADER',
    'QUARTERDECK_RELEASE_KEY_FILE',
    'QUARTERDECK_RELEASE_KEY_PASSWORD_FILE',
    'QUARTERDECK_TEST_ALL',
    'QUARTERDECK_TEST_RUNS',
    'QUARTERDECK_UPGRADE_VERSION',
  ],
];

it.each(readDocuments())('names settings that exist in $path', ({ text, path }) => {
  // Old versions had other settings.
  if (path === 'CHANGELOG.md') return;
  const known = [...server, ...agent, ...dashboard, ...commandLine].flatMap((name) => [name, `${name}_FILE`]);
  expect(namesIn(text).filter((name) => !known.includes(name) && !OTHERS.includes(name))).toEqual([]);
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
