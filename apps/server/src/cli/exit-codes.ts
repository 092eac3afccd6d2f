// The program's exit codes. 69 and 75 are EX_UNAVAILABLE and EX_TEMPFAIL of sysexits.h.

/** Exit codes of the server and its commands; the help lists them. */
export const EXIT = {
  done: 0,
  refused: 1,
  badUsage: 2,
  auditBroken: 3,
  unreachable: 69,
  tryAgain: 75,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
