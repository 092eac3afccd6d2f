// Runs Vitest for the scripts beside this file.
import { spawnSync } from 'node:child_process';

/** Runs the tests with the terminal of this process. Returns whether all passed, and the seconds it took. */
export function runVitest(args: readonly string[]): { readonly passed: boolean; readonly seconds: number } {
  const startedMs = performance.now();
  const { status, error } = spawnSync('vitest', ['run', ...args], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  return { passed: status === 0, seconds: (performance.now() - startedMs) / 1000 };
}

/** Prints the runs, and fails this process when one of them failed. */
export function report(runs: readonly { readonly passed: boolean; readonly seconds: number }[]): void {
  for (const [at, { passed, seconds }] of runs.entries()) {
    console.log(`run ${at + 1}: ${passed ? 'passed' : 'FAILED'} in ${seconds.toFixed(0)} s`);
  }
  if (runs.some(({ passed }) => !passed)) process.exitCode = 1;
}
