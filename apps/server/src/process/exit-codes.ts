// The program's exit codes. 69, 74 and 75 are EX_UNAVAILABLE, EX_IOERR and EX_TEMPFAIL of sysexits.h.
import { EXIT_OUTPUT } from '@quarterdeck/core/output';

/** Exit codes of the server and its commands; the help lists them. */
export const EXIT = {
  done: 0,
  refused: 1,
  badUsage: 2,
  auditBroken: 3,
  unreachable: 69,
  output: EXIT_OUTPUT,
  tryAgain: 75,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
