/** Returns the code of an error of the system, such as `ENOENT`; `unknown` for any other error. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
