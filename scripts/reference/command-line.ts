// docs/reference/command-line.md: the commands of the program `quarterdeck`.
import { type Command, type Entry, type Flag, isNoun, optionName } from '../../apps/cli/src/command/command.ts';
import { describeFlag } from '../../apps/cli/src/command/flags.ts';
import { exampleText } from '../../apps/cli/src/command/parser.ts';
import { ENTRIES } from '../../apps/cli/src/commands/index.ts';
import { EXIT_CODES } from '../../apps/cli/src/process/exit-codes.ts';
import { COMMON, ownFlags } from '../../apps/cli/src/shell/man.ts';
import { code, page, table } from './markdown.ts';

interface Path {
  readonly path: string;
  readonly command: Command;
}

const commandsOf = (name: string, entry: Entry): Path[] =>
  isNoun(entry)
    ? Object.entries(entry.verbs).map(([verb, command]) => ({ path: `${name} ${verb}`, command }))
    : [{ path: name, command: entry }];

function optionText({ name, short, type, negatable, placeholder = type }: Flag): string {
  const option = negatable === true ? optionName(name).replace('--', '--[no-]') : optionName(name);
  const value = type === 'flag' ? '' : ` <${placeholder}>`;
  return code(`${short === undefined ? '' : `-${short}, `}${option}${value}`);
}

const flagTable = (flags: readonly Flag[]) =>
  table(
    ['option', 'meaning'],
    flags.map((flag) => [optionText(flag), describeFlag(flag)]),
  );

function section([name, entry]: [string, Entry]): string[] {
  const commands = commandsOf(name, entry);
  const options = commands.flatMap(({ path, command }) =>
    ownFlags(command).map((flag) => [code(path), optionText(flag), describeFlag(flag)]),
  );
  const examples = commands.flatMap(({ command }) => (command.examples ?? []).map(exampleText));
  return [
    `## ${name}`,
    `${entry.about}.`,
    table(
      ['command', 'effect'],
      commands.map(({ path, command: { about, args } }) => [
        code(args === undefined ? path : `${path} ${args}`),
        about,
      ]),
    ),
    ...(options.length === 0 ? [] : [table(['command', 'option', 'meaning'], options)]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``]),
  ];
}

export const commandLinePage = (): string =>
  page(
    '# quarterdeck: the command line',
    `\`quarterdeck\` without arguments opens the [dashboard](dashboard.md); its commands serve scripts and people. Filters are those of the
[filter language](filter.md). \`quarterdeck login\` stores a credential for the commands; \`QUARTERDECK_URL\` and \`QUARTERDECK_TOKEN\`, also with the
suffix \`_FILE\`, replace it. \`QUARTERDECK_KEYRING=off\` stores credentials in a file and not in the keyring of the system.
\`QUARTERDECK_APPLY\` names the folder of \`apply\` and \`export\`: [alerts as code](../how-to/alerts-as-code.md). The server has
[commands of its own](quarterdeckd.md).`,
    `A name that does not exist is refused with exit code 2, and the message lists those that do. This holds for \`--columns\`, \`--sort\`, the fields
of \`--body\`, and \`--filter\` of lists whose rows have fixed fields. Lines may have any field, and agents any label. If
no stored line of the last day has a field of the filter, or no agent a label, a line on standard error says so.`,
    ...COMMON.flatMap(([title, flags]) => [`## ${title}`, flagTable(flags)]),
    ...Object.entries(ENTRIES).flatMap(section),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      Object.values(EXIT_CODES).map(([number, meaning]) => [String(number), meaning]),
    ),
  );
