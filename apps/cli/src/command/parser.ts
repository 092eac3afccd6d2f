// Parses command lines: commander with the commands of the table.
import { Command as Commander, type Help, Option } from 'commander';
import { EXIT_CODES } from '../process/exit-codes.ts';
import { type Command, type Entry, type Flag, isNoun, optionName } from './command.ts';
import { describeFlag } from './flags.ts';
import type { Program } from './program.ts';
import { isRepeated, readValue } from './values.ts';

/** A parser: runs a command line and resolves with its exit code. */
type Parser = (args: readonly string[]) => Promise<number>;

const ABOUT = `Quarterdeck in the terminal. Without a command it opens the dashboard.`;

/** The end of the help of the program. */
export const NOTES = `Exit codes
${Object.values(EXIT_CODES)
  .map(([code, meaning]) => `  ${String(code).padStart(2)}  ${meaning}`)
  .join('\n')}

Environment (QUARTERDECK_URL and QUARTERDECK_TOKEN also with the suffix _FILE, for a file that contains the value)
  QUARTERDECK_URL      address of the server, instead of the profile in use
  QUARTERDECK_TOKEN    API token, instead of a sign-in
  QUARTERDECK_KEYRING  off: store credentials in a file, not in the keyring of the system
  QUARTERDECK_APPLY    folder of apply and export, instead of -f
  NO_COLOR             no colours

Dashboard: quarterdeck [options]
  --profile name   start with this profile
  --read-only      refuse every change on the server
  --demo           run on an invented fleet; no server is needed
  --ascii          draw with ASCII only; the default where the locale is not UTF-8
  --glyphs         draw with glyphs in any locale
  --screen-reader  linear text without drawings
  --once, --json   print an overview as text or JSON and exit; text where TERM is dumb

Start with: quarterdeck login https://your.server
`;

/** Creates a parser. Only the command that is called gets its options, which keeps the start short. */
export function parserOf(entries: Readonly<Record<string, Entry>>, program: Program): Parser {
  return async (args) => {
    const [word = ''] = args;
    let code = 0;
    const run = async (command: Command, flags: readonly FlagOption[], parsed: Commander, own: readonly string[]) => {
      code = (await command.run({ args: own, values: valuesOf(flags, parsed, program.now()), program })) ?? 0;
    };
    const root = rootOf(program);
    for (const [name, entry] of Object.entries(entries)) {
      if (name === word) addEntry(root, name, entry, run);
      else root.addCommand(new Commander(name).description(entry.about));
    }
    await root.parseAsync(withFallback(entries[word], args), { from: 'user' });
    return code;
  };
}

type Run = (
  command: Command,
  flags: readonly FlagOption[],
  parsed: Commander,
  args: readonly string[],
) => Promise<void>;

/** Inserts the verb that runs when none is given. */
function withFallback(entry: Entry | undefined, args: readonly string[]): string[] {
  const [noun = '', verb, ...rest] = args;
  const isMissing = verb === undefined || (verb.startsWith('-') && verb !== '--help' && verb !== '-h');
  if (entry === undefined || !isNoun(entry) || entry.fallback === undefined || !isMissing) return [...args];
  return [noun, entry.fallback, ...(verb === undefined ? [] : [verb]), ...rest];
}

/** Secrets in arguments are a mistake; the message about it must not spread them. */
const hideSecrets = (text: string): string =>
  text.replaceAll(/qd_[a-z]_\w+/g, '[credential]').replaceAll(/'(--[\w-]+)=[^']*'/g, "'$1'");

function rootOf({ io: { stdout, stderr } }: Program): Commander {
  return new Commander('quarterdeck')
    .description(ABOUT)
    .usage('[command] [options]')
    .helpCommand(false)
    .option('-V, --version', 'show the version')
    .exitOverride()
    .configureHelp({ optionTerm })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(hideSecrets(text.replace(/^error: /, 'quarterdeck: '))),
    })
    .showHelpAfterError('Add --help for the commands and options.')
    .addHelpText('after', `\n${NOTES}`);
}

/** Shows that an option has a negative form. */
function optionTerm(this: Help, option: Option): string {
  const { flags } = option;
  return option instanceof FlagOption && option.isNegatable ? flags.replace('--', '--[no-]') : flags;
}

/** An option of commander that knows its flag. */
class FlagOption extends Option {
  readonly flag: Flag;
  readonly isNegatable: boolean;

  constructor(flag: Flag) {
    const { name, short, type, placeholder = placeholderOf(type) } = flag;
    const option = `${short === undefined ? '' : `-${short}, `}${optionName(name)}`;
    super(type === 'flag' ? option : `${option} <${placeholder}>`, describeFlag(flag));
    this.flag = flag;
    this.isNegatable = type === 'flag' && flag.negatable === true;
    if (isRepeated(flag)) {
      this.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
    }
  }
}

function placeholderOf(type: Flag['type']): string {
  switch (type) {
    case 'pairs':
      return 'name=value';
    case 'texts':
    case 'numbers':
      return 'values';
    case 'expiry':
      return 'time';
    default:
      return type;
  }
}

function addEntry(root: Commander, name: string, entry: Entry, run: Run): void {
  if (!isNoun(entry)) {
    addCommand(root, name, entry, run, name);
    return;
  }
  const noun = root.command(name).description(entry.about).helpCommand(false);
  noun.configureHelp({ optionTerm }).showHelpAfterError(`Add --help for the commands of ${name}.`);
  for (const [verb, command] of Object.entries(entry.verbs)) addCommand(noun, verb, command, run, `${name} ${verb}`);
}

function addCommand(parent: Commander, name: string, command: Command, run: Run, path: string): void {
  const flags = command.flags.map((flag) => new FlagOption(flag));
  const added = parent.command(`${name}${command.args === undefined ? '' : ` ${command.args}`}`);
  added.description([command.about, command.argsAbout].filter(Boolean).join('\n\nArguments: '));
  added
    .summary(command.about)
    .aliases([...(command.aliases ?? [])])
    .configureHelp({ optionTerm });
  added.showHelpAfterError(`Add --help for the options of ${path}.`);
  for (const option of flags) {
    added.addOption(option);
    if (option.isNegatable) added.addOption(new Option(`--no-${optionName(option.flag.name).slice(2)}`).hideHelp());
  }
  added.addHelpText('after', examplesText(command));
  added.action(async (...given: unknown[]) =>
    run(command, flags, added, given.slice(0, -2).flat().map(textOf).filter(isGiven)),
  );
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));
const isGiven = (text: string | undefined): text is string => text !== undefined;

/** An example that is no pipe needs no name of the program before it. */
export const exampleText = (example: string): string =>
  /(?:^|[|(] ?)quarterdeck |^(?:source|quarterdeck) /.test(example) ? example : `quarterdeck ${example}`;

const examplesText = ({ examples = [] }: Command): string =>
  examples.length === 0 ? '' : `\nExamples\n${examples.map((example) => `  ${exampleText(example)}`).join('\n')}\n`;

function valuesOf(flags: readonly FlagOption[], parsed: Commander, nowMs: number): Record<string, unknown> {
  const given = parsed.opts<Record<string, unknown>>();
  return Object.fromEntries(
    flags.flatMap((option) => {
      const value = given[option.attributeName()];
      return value === undefined ? [] : [[option.flag.name, readValue(option.flag, value, nowMs)]];
    }),
  );
}
