// Finds commands of this project in shell text, and checks that they exist.
import { readFileSync } from 'node:fs';
import { HELP as AGENT_HELP } from '../../apps/agent/src/arguments.ts';
import { isNoun, optionName } from '../../apps/cli/src/command/command.ts';
import { ENTRIES } from '../../apps/cli/src/commands/index.ts';
import { COMMANDS } from '../../apps/server/src/cli/commands.ts';
import { gitFiles, ROOT } from './documents.ts';

/** Commands of pnpm itself, and programs that `pnpm NAME` runs. */
const OF_PNPM = ['changeset', 'deploy', 'exec', 'install', 'sbom'];

const SCRIPTS = new Set(
  gitFiles(/(?:^|\/)package\.json$/).flatMap((path) => {
    const { scripts = {} } = JSON.parse(readFileSync(ROOT + path, 'utf8')) as { scripts?: Record<string, string> };
    return Object.keys(scripts);
  }),
);

/** Words of each call of a program, without what follows a pipe, a redirection or the end of the command. */
function callsOf(text: string, program: string): string[][] {
  const call = new RegExp(`(?:^|[\\s(;|&])(?:[\\w./-]*/)?${program}(?=\\s|$)([^\\n|&;<>()#]*)`, 'gm');
  return [...text.replaceAll('\\\n', ' ').matchAll(call)].map(([, rest = '']) =>
    [...rest.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word),
  );
}

const optionsIn = (words: readonly string[]) =>
  words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/=.*/, ''));

function serverProblems(words: readonly string[]): string[] {
  const options = optionsIn(words);
  const [first, second] = words;
  if (first === undefined || first === 'help' || /^-|^[A-Z[]/.test(first)) {
    return options
      .filter((one) => !['--begin-anew', '--version', '--help'].includes(one))
      .map((one) => `no such option: ${one}`);
  }
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  if (command === undefined) return [`no such command: quarterdeckd ${[first, second].filter(Boolean).join(' ')}`];
  const known = Object.keys(command.options ?? {}).map((name) => `--${name}`);
  return options.filter((one) => !known.includes(one)).map((one) => `no such option: ${one}`);
}

/** Options of the dashboard, which begin a call without a command. */
const OF_DASHBOARD = [
  '--ascii',
  '--demo',
  '--help',
  '--json',
  '--once',
  '--profile',
  '--read-only',
  '--screen-reader',
  '--version',
];

function programProblems(words: readonly string[]): string[] {
  const [first, second = ''] = words;
  const unknown = (known: readonly string[]) =>
    optionsIn(words)
      .filter((one) => !known.includes(one.replace('--no-', '--')))
      .map((one) => `no such option: ${one}`);
  if (first === undefined || /^-|^[A-Z[]/.test(first)) return unknown(OF_DASHBOARD);
  const entry = ENTRIES[first];
  if (entry === undefined) return [`no such command: quarterdeck ${first}`];
  const command = isNoun(entry) ? entry.verbs[/^[a-z]/.test(second) ? second : (entry.fallback ?? '')] : entry;
  if (command === undefined) return second === '' ? [] : [`no such command: quarterdeck ${first} ${second}`];
  return unknown([...command.flags.map(({ name }) => optionName(name)), '--help']);
}

function agentProblems(words: readonly string[]): string[] {
  const [first = 'run'] = words;
  const isKnown = /^-|^(run|enroll|uninstall|upgrade|rollback)$/.test(first);
  return [
    ...(isKnown ? [] : [`no such command: quarterdeck-agent ${first}`]),
    ...optionsIn(words)
      .filter((one) => !AGENT_HELP.includes(one))
      .map((one) => `no such option: ${one}`),
  ];
}

function pnpmProblems([first = 'install']: readonly string[]): string[] {
  const isKnown = SCRIPTS.has(first) || OF_PNPM.includes(first) || /^-|^[A-Z]/.test(first);
  return isKnown ? [] : [`no such script: ${first}`];
}

/** Problems of the commands in a shell text; empty when all exist. */
export const problemsOf = (text: string): string[] => [
  ...callsOf(text, 'quarterdeck').flatMap(programProblems),
  ...callsOf(text, 'quarterdeckd').flatMap(serverProblems),
  ...callsOf(text, 'quarterdeck-agent').flatMap(agentProblems),
  ...callsOf(text, 'pnpm(?:@12)?(?: run)?').flatMap(pnpmProblems),
];
