// The manual page, from the table of commands.
import { type Command, type Entries, type Entry, type Flag, isNoun, optionName } from '../command/command.ts';
import { CHANGE_FLAGS, describeFlag, LIST_FLAGS, OUTPUT_FLAGS, SERVER_FLAGS } from '../command/flags.ts';
import { exampleText, NOTES } from '../command/parser.ts';

/** Options that many commands have. They are described once. */
export const COMMON: readonly (readonly [title: string, flags: readonly Flag[]])[] = [
  ['Options of lists', LIST_FLAGS],
  ['Options of output', OUTPUT_FLAGS],
  ['Options of changes', CHANGE_FLAGS],
  ['Options of every command that calls a server', SERVER_FLAGS],
];

/** Options of a command that many do not have. The fields that `--columns` takes are its only difference. */
export const ownFlags = ({ flags }: Command): Flag[] =>
  flags.filter((flag) => COMMON.every(([, common]) => !common.some((one) => isSame(one, flag))));

const isSame = (one: Flag, other: Flag): boolean => one.name === other.name && one.about === other.about;

/** Text of a line of roff. */
const escaped = (text: string): string => text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&');

function flagText(flag: Flag): string {
  const { name, short, type, negatable } = flag;
  const option = negatable === true ? optionName(name).replace('--', '--[no-]') : optionName(name);
  const names = short === undefined ? option : `-${short}, ${option}`;
  return `.TP\n.B ${escaped(names)}${type === 'flag' ? '' : ' \\fIvalue\\fR'}\n${escaped(describeFlag(flag)) || '\\&'}\n`;
}

function commandText(path: string, command: Command): string {
  const { about, args, argsAbout, flags, examples = [] } = command;
  const shown = COMMON.filter(([, common]) => common.some((flag) => flags.includes(flag))).map(([title]) => title);
  return [
    `.SS ${escaped(`quarterdeck ${path}${args === undefined ? '' : ` ${args}`}`)}\n`,
    `${escaped(about)}.\n`,
    ...(argsAbout === undefined ? [] : [`.PP\nArguments: ${escaped(argsAbout)}.\n`]),
    ...ownFlags(command).map(flagText),
    ...(shown.length === 0 ? [] : [`.PP\nAlso: ${escaped(shown.join(', ').toLowerCase())}.\n`]),
    ...(examples.length === 0
      ? []
      : [`.PP\n.EX\n${examples.map((one) => escaped(exampleText(one))).join('\n')}\n.EE\n`]),
  ].join('');
}

const entryText = ([name, entry]: [string, Entry]): string =>
  isNoun(entry)
    ? Object.entries(entry.verbs)
        .map(([verb, command]) => commandText(`${name} ${verb}`, command))
        .join('')
    : commandText(name, entry);

/** Returns the page in the language of man. */
export function manText(entries: Entries): string {
  return [
    '.TH QUARTERDECK 1\n.SH NAME\nquarterdeck \\- dashboard and commands for a Quarterdeck server\n',
    '.SH SYNOPSIS\n.B quarterdeck\n[\\fIcommand\\fR] [\\fIoptions\\fR]\n',
    '.SH DESCRIPTION\nWithout a command, quarterdeck opens the dashboard.\n',
    ...COMMON.map(([title, flags]) => `.SH ${escaped(title.toUpperCase())}\n${flags.map(flagText).join('')}`),
    `.SH COMMANDS\n${Object.entries(entries).map(entryText).join('')}`,
    `.SH NOTES\n.EX\n${NOTES.split('\n').map(escaped).join('\n')}\n.EE\n`,
  ].join('');
}
