// `node scripts/run-tests.ts [ARGUMENTS OF VITEST]`: runs the tests. On a machine that checks, files that failed run
// once more, one at a time (docs/decisions/051).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** With more failed files than this, something is broken that a second try does not mend. */
const MOST_FILES = 5;

interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
  /** False also for an error outside of every test, which no file has. */
  readonly success: boolean;
}

/** Runs vitest with the terminal of this process; returns its exit code. */
function vitest(args: readonly string[]): number {
  const { status, error } = spawnSync('vitest', ['run', ...args], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status ?? 1;
}

/** Runs vitest; returns its exit code, and the files with a failed test. */
function vitestWithReport(args: readonly string[]): { code: number; failed: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-tests-'));
  const file = join(folder, 'report.json');
  try {
    const code = vitest([...args, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]);
    if (code === 0) return { code, failed: [] };
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name));
    return { code, failed: [...new Set(failed)] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const args = process.argv.slice(2);
if (process.env['CI'] === undefined) {
  process.exitCode = vitest(args);
} else {
  const { code, failed } = vitestWithReport(args);
  process.exitCode = code;
  if (failed.length > 0 && failed.length <= MOST_FILES) {
    console.log(`\nThese files failed. They run once more, alone:\n  ${failed.join('\n  ')}\n`);
    process.exitCode = vitest([...failed, '--maxWorkers=1']);
  }
}
