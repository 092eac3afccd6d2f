// Exit codes, for scripts. Their numbers never change meaning.

/** Exit code -> its meaning, as the help states it. */
export const EXIT_CODES = {
  done: [0, 'done'],
  refused: [1, 'the server refused, or a part failed'],
  usage: [2, 'unknown command or option, or a wrong value'],
  auditBroken: [3, 'the audit log is broken'],
  notAllowed: [4, 'not signed in, or not allowed'],
  notFound: [5, 'not found'],
  worse: [10, 'a change made errors worse'],
  unknown: [11, 'whether a change made errors worse is unknown: data is missing'],
  unreachable: [69, 'the server does not answer'],
  output: [74, 'the output or a file could not be written'],
  tryAgain: [75, 'temporary failure; try again'],
} as const satisfies Record<string, readonly [code: number, meaning: string]>;

/** Name of an exit code. */
export type ExitName = keyof typeof EXIT_CODES;

/** Number of an exit code. */
export const exitCode = (name: ExitName): number => EXIT_CODES[name][0];
