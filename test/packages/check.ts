// Results of the tests of packages: a line for each check, and the exit code.
import { spawnSync } from 'node:child_process';

/** Prints a result; a failure sets the exit code. */
export function check(ok: boolean, what: string): void {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}`);
  if (!ok) process.exitCode = 1;
}

/** Ends a test that cannot run on this machine. Its message completes "skipped: NAME, because ...". */
export class Skip extends Error {}

/** True where a program is installed. */
export const hasProgram = (name: string): boolean => spawnSync('which', [name], { stdio: 'ignore' }).status === 0;

/** Skips a test where a program is not installed. */
export function needPrograms(...programs: readonly string[]): void {
  const missing = programs.filter((name) => !hasProgram(name));
  if (missing.length > 0) throw new Skip(`${missing.join(', ')} not installed`);
}

/** Skips a test that root alone can run. */
export function needRoot(): void {
  if (process.getuid?.() !== 0) throw new Skip('it needs root');
}

/** Seconds since a time of `performance.now()`, as text. */
export const secondsSince = (startMs: number): string => `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
