// Ends of a command that this program decides, with their exit codes.
import type { ExitName } from './exit-codes.ts';

/** A failure that its message explains completely. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string) {
    super(message);
    this.exit = exit;
  }
}

/** A wrong command, option or value. */
export const usage = (message: string): CommandError => new CommandError('usage', message);
