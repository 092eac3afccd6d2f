// `pnpm test:flaky [N] [FILES...]`: each test file that a change touches, N times (default 20) in random order. The
// change is what is not committed, or else the last commit.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { report, runVitest } from './vitest.ts';

const git = (...args: readonly string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

function changedTests(): string[] {
  const uncommitted = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
  const changed = uncommitted.length > 0 ? uncommitted : git('diff', '--name-only', 'HEAD~1');
  return changed.filter((path) => /\.test\.tsx?$/.test(path) && existsSync(path));
}

const given = process.argv.slice(2);
const rounds = /^\d+$/.test(given[0] ?? '') ? Number(given.shift()) : 20;
const files = given.length > 0 ? given : changedTests();
if (files.length === 0) console.log('The change touches no test file.');
else {
  process.env['QUARTERDECK_TESTS'] = 'all';
  report(Array.from({ length: rounds }, () => runVitest(['--reporter=dot', ...files])));
}
