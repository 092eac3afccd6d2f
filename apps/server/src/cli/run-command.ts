// The command line of the server: finds a command, parses its options, runs it, and prints a failure as one line.
import { parseArgs } from 'node:util';
import type { Environment } from '@quarterdeck/core/environment';
import { VERSION } from '../version.ts';
import { type Command, Refusal, type Streams, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { helpFor, helpForAll, usageOf } from './help.ts';

const EXIT_REFUSED = 1;
const EXIT_BAD_USAGE = 2;

const INPUT_MAX = 64 * 1024;

const STREAMS: Streams = {
  out: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${line}\n`),
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
export async function runCommand(
  argv: readonly string[],
  streams: Streams = STREAMS,
  env?: Environment,
): Promise<number> {
  try {
    await dispatch(argv, streams, env);
    return 0;
  } catch (error) {
    const { line, isBadUsage } = await explain(error);
    streams.say(`quarterdeck: ${line}`);
    return isBadUsage ? EXIT_BAD_USAGE : EXIT_REFUSED;
  }
}

interface Explanation {
  readonly line: string;
  /** The arguments or the settings are wrong. */
  readonly isBadUsage: boolean;
}

/** Describes an error: in one line where the user can fix it, with its stack where it is a bug. */
async function explain(error: unknown): Promise<Explanation> {
  if (error instanceof UsageError) return { line: error.message, isBadUsage: true };
  if (error instanceof Refusal) return { line: error.message, isBadUsage: false };
  // A thrown error's module is loaded already, so these imports cost nothing.
  const { ConfigError } = await import('@quarterdeck/core/environment');
  if (error instanceof ConfigError) return { line: error.message, isBadUsage: true };
  const { AppError } = await import('@quarterdeck/core');
  const { DatabaseError } = await import('@quarterdeck/core/db');
  if (error instanceof AppError || error instanceof DatabaseError) return { line: error.message, isBadUsage: false };
  return { line: error instanceof Error ? (error.stack ?? error.message) : String(error), isBadUsage: false };
}

async function dispatch(argv: readonly string[], streams: Streams, env: Environment | undefined): Promise<void> {
  const [first = '', ...rest] = argv;
  if (first === '--version' || first === '-V') return streams.out(`quarterdeck ${VERSION}`);
  if (first === 'help' || first === '--help' || first === '-h') {
    return streams.out(rest.length === 0 ? helpForAll(COMMANDS) : helpFor(commandOf(rest)));
  }
  const command = commandOf(argv);
  const words = command.name.split(' ').length;
  const { values, positionals } = parse(command, argv.slice(words));
  if (values['help'] === true) return streams.out(helpFor(command));
  if (positionals.length !== command.parameters.length) throw new UsageError(`usage: ${usageOf(command)}`);
  const { readConfig } = await import('../config.ts');
  await command.run({
    ...streams,
    args: positionals,
    option: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    flag: (name) => values[name] === true,
    config: () => readConfig(env),
  });
}

function commandOf(words: readonly string[]): Command {
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, i) => words[i] === word));
  if (command !== undefined) return command;
  throw new UsageError(`unknown command; the commands are ${COMMANDS.map(({ name }) => name).join(', ')} and help`);
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
