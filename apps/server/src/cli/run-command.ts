// The command line of the server: finds a command, parses its options, runs it, and prints a failure as one line.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { Environment } from '@quarterdeck/core/environment';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { UsageError } from '../process/refusal.ts';
import { VERSION } from '../process/version.ts';
import type { Command, CommandCall, Installation, Streams } from './command.ts';
import { COMMANDS } from './commands.ts';
import { explain } from './failure.ts';
import { helpFor, helpForAll, PROGRAM, usageOf } from './help.ts';

const INPUT_MAX = 64 * 1024;

const STREAMS: Streams = {
  out: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${line}\n`),
  async drained() {
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  },
  async readInput() {
    // Typed input would be visible on the terminal.
    if (process.stdin.isTTY) throw new UsageError('standard input is a terminal; pipe the text in');
    let text = '';
    process.stdin.setEncoding('utf8');
    for await (const chunk of process.stdin) {
      text += chunk;
      if (text.length > INPUT_MAX) throw new UsageError(`standard input is longer than ${INPUT_MAX} characters`);
    }
    return text;
  },
};

/** Runs a command line, with settings from `env` or else from this process; returns the exit code. */
export const runCommand = (argv: readonly string[], streams: Streams = STREAMS, env?: Environment): Promise<ExitCode> =>
  toExitCode(streams, () => dispatch(argv, streams, env));

/** Runs a command on open data, for a process that has not; returns the exit code. */
export const runCommandOn = (
  installation: Installation,
  argv: readonly string[],
  streams: Streams,
): Promise<ExitCode> =>
  toExitCode(streams, async () => {
    const { command, ...given } = parseCommand(argv);
    if (!isOnData(command, given.args)) throw new UsageError(`the server does not run ${command.name}`);
    await command.run({ ...streams, ...given, ...installation });
    return EXIT.done;
  });

async function toExitCode(streams: Streams, run: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    const { text, exitCode } = await explain(error);
    streams.say(`${PROGRAM}: ${text}`);
    return exitCode;
  }
}

async function dispatch(argv: readonly string[], streams: Streams, env: Environment | undefined): Promise<ExitCode> {
  const help = helpOf(argv);
  if (help !== undefined) {
    streams.out(help);
    return EXIT.done;
  }
  const { command, ...given } = parseCommand(argv);
  if (given.flag('help')) {
    streams.out(helpFor(command));
    return EXIT.done;
  }
  const { readConfig } = await import('../settings/config.ts');
  const config = () => readConfig(env);
  const openData = async () => await (await import('./open-data.ts')).openData(config());
  const run = (io: Streams) => command.run({ ...io, ...given, config, openData, inServer: false, env });
  if (isOnData(command, given.args)) {
    const { runOnData } = await import('./run-on-data.ts');
    return await runOnData(config(), argv, streams, run);
  }
  await run(streams);
  return EXIT.done;
}

/** Returns the text that a command line asks for instead of a run; undefined where it asks for none. */
function helpOf(argv: readonly string[]): string | undefined {
  const [first = '', ...rest] = argv;
  if (first === '--version' || first === '-V') return `${PROGRAM} ${VERSION}`;
  if (first !== 'help' && first !== '--help' && first !== '-h') return undefined;
  return rest.length === 0 ? helpForAll(COMMANDS) : helpFor(commandOf(rest));
}

function commandOf(words: readonly string[]): Command {
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, i) => words[i] === word));
  if (command !== undefined) return command;
  throw new UsageError(`unknown command; the commands are ${COMMANDS.map(({ name }) => name).join(', ')} and help`);
}

const isOnData = ({ onData = false }: Command, args: readonly string[]): boolean =>
  typeof onData === 'boolean' ? onData : onData(args);

interface ParsedCommand extends Pick<CommandCall, 'args' | 'option' | 'flag'> {
  readonly command: Command;
}

function parseCommand(argv: readonly string[]): ParsedCommand {
  const command = commandOf(argv);
  const { values, positionals: args } = parse(command, argv.slice(command.name.split(' ').length));
  const flag = (name: string) => values[name] === true;
  const required = command.parameters.filter((name) => !name.startsWith('[')).length;
  const fits = args.length >= required && args.length <= command.parameters.length;
  if (!flag('help') && !fits) throw new UsageError(`usage: ${usageOf(command)}`);
  const option = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  return { command, args, option, flag };
}

interface Parsed {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

function parse(command: Command, args: string[]): Parsed {
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...command.options, help: HELP } });
  } catch (error) {
    // The first sentence of Node's message names the option; the rest is advice.
    const reason = error instanceof Error ? error.message.split(/\. |\n/)[0] : '';
    throw new UsageError(`${reason}; usage: ${usageOf(command)}`);
  }
}

const HELP = { type: 'boolean', short: 'h' } as const;
