// Standard streams of a program that people and scripts read. Node only.

/** Exit code of output that could not be written: EX_IOERR of sysexits.h. */
export const EXIT_OUTPUT = 74;

/**
 * Ends the process when standard output cannot be written: with one line and {@link EXIT_OUTPUT}, so that a script does
 * not take an incomplete file for a result. A reader such as `head` that has read enough ends it silently with 0. What
 * standard error cannot take is lost: there is nowhere to say so.
 */
export function guardOutput(program: string, { stdout, stderr, exit }: Output = process): void {
  stderr.on('error', () => undefined);
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return exit(0);
    stderr.write(`${program}: standard output cannot be written: ${message}\n`);
    exit(EXIT_OUTPUT);
  });
}

type Output = Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>;
