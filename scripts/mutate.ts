// Mutates the code of one part and reports the mutants that no test detects: `node scripts/mutate.ts PART [FILES]`,
// where FILES is a pattern of files of the part. vitest.mutate.config.ts defines the parts and their tests.
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { matchesGlob, resolve } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { PARTS } from '../vitest.mutate.config.ts';

const TIME_LIMIT_MS = 3_600_000;
const REPORTS = 'reports/mutation';
/** Error of a run whose file no test of the part imports. */
const UNTESTED = 'No tests were executed';

const [name = '', wanted = '**'] = process.argv.slice(2);
const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
if (part === undefined) {
  console.error(`Usage: pnpm mutate PART [FILES]\nPART is one of ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}
// Vitest reads it in the processes that Stryker starts.
process.env['QUARTERDECK_MUTATE'] = name;

const files = globSync(part.files, { exclude: [...part.except, '**/*.test.ts', '**/*.test-d.ts'] })
  .filter((file) => matchesGlob(file, wanted))
  .sort();
const start = Date.now();
const counts = { noticed: 0, survived: 0 };
const untested: string[] = [];
let left = files.length;
// File by file, because Stryker saves its results at the end of a run.
for (const file of files) {
  if (Date.now() - start > TIME_LIMIT_MS) break;
  const run = new Stryker({
    mutate: [file],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'vitest.mutate.config.ts' },
    coverageAnalysis: 'perTest',
    // Known results are kept; only changed code is tested again.
    incremental: true,
    incrementalFile: `${REPORTS}/${name}.json`,
    // Stryker would read tsconfig.json with an API that TypeScript 7 does not have; nothing here needs it.
    tsconfigFile: 'none',
    concurrency: Math.max(1, availableParallelism() - 1),
    timeoutMS: 10_000,
    tempDirName: `${REPORTS}/copy-${name}`,
    ignorePatterns: ['/reports', '/data', '/docs', '/bench', 'dist', '.turbo'],
    reporters: ['clear-text'],
    clearTextReporter: { reportTests: false, reportScoreTable: false },
  });
  left -= 1;
  const all = await run.runMutationTest().catch((error: unknown) => {
    if (!String(error).includes(UNTESTED)) throw error;
  });
  if (all === undefined) {
    untested.push(file);
    continue;
  }
  // With the known results of the other files.
  const results = all.filter(({ fileName }) => resolve(fileName) === resolve(file));
  const noticed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const survived = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').length;
  console.log(`${file}: ${noticed} of ${noticed + survived} mutants noticed`);
  counts.noticed += noticed;
  counts.survived += survived;
}

if (left > 0) console.log(`Stopped after an hour, ${left} files before the end. Run it again: known results are kept.`);
if (untested.length > 0) console.log(`No test of the part imports ${untested.join(', ')}.`);
const total = counts.noticed + counts.survived;
const score = total === 0 ? 100 : (100 * counts.noticed) / total;
console.log(`${name}: ${counts.noticed} of ${total} mutants noticed, ${score.toFixed(1)} %; the target is 85 %.`);
// Vitest's global set-up keeps the process of a run alive.
process.exit(left === 0 ? 0 : 1);
