// The help, generated from the commands.

import { EXIT } from '../process/exit-codes.ts';
import type { Command } from './command.ts';

/** The program's name. */
export const PROGRAM = 'quarterdeckd';

/** Exit code -> its meaning. */
export const EXIT_MEANINGS: readonly (readonly [code: string, meaning: string])[] = [
  [String(EXIT.done), 'done'],
  [String(EXIT.refused), 'refused'],
  [String(EXIT.badUsage), 'wrong usage or settings'],
  [String(EXIT.auditBroken), 'the audit log is broken (audit verify)'],
  [String(EXIT.unreachable), 'the server or the database cannot be reached'],
  [String(EXIT.output), 'the output or a file could not be written'],
  [String(EXIT.tryAgain), 'busy; try again'],
];

/** Returns the usage line of a command. */
export const usageOf = ({ name, parameters, options }: Command): string =>
  [PROGRAM, name, ...(options === undefined ? [] : ['[OPTIONS]']), ...parameters].join(' ');

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

export function helpFor(command: Command): string {
  const options = Object.entries(command.options ?? {}).map(
    ([name, { value, help }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, help] as const,
  );
  const tail = options.length === 0 ? '' : `\n\n${columns(options)}`;
  return `Usage: ${usageOf(command)}\n\n${command.summary}.${tail}`;
}

/** Returns the help of the program. */
export function helpForAll(commands: readonly Command[]): string {
  const rows = commands.map((command) => [[command.name, ...command.parameters].join(' '), command.summary] as const);
  return `Usage: ${PROGRAM} [COMMAND]
       ${PROGRAM} --begin-anew

Without a command the server starts. QUARTERDECK_... variables configure the server and the commands.
On SQLite, a running server runs the commands with its own settings; stop it before compact.
With --begin-anew the server creates a new installation where the database was lost; give it once.

${columns([...rows, ['help [COMMAND]', 'Show this, or more about one command'], ['--version', 'Show the version']])}

Exit codes:
${columns(EXIT_MEANINGS)}`;
}
