// Checks the parts of the writing rules (CONTRIBUTING.md) that a program can check: openings and widths of
// comments, and the subjects of commits. The formatter sees to the width of code.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const WIDTH_MAX = 120;
const SUBJECT_MAX = 72;
/** The last commit before the rules applied. */
const RULES_SINCE = '8f90b1f8f984e5966960687db68b2245a431e1ac';
/** A comment or docstring that opens with a question word instead of its noun or verb. */
const OPENING = /(?:^|\s)\/(?:\*\*?|\/)\s+(?:What|Where|Who|Whose|Whom|Whether|Whoever|Whatever|How|That)\b/;
const COMMENT_LINE = /^\s*(?:\*|\/\/|\/\*)/;
const DOCSTRING_START = /^\s*\/\*\*\s*$/;

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' });

/** Finds the problems of one source file, each with its line. */
function problemsOf(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const previous = lines[index - 1] ?? '';
    // A docstring of several lines opens on the line after `/**`; a run of `//` opens with its first line.
    const text = DOCSTRING_START.test(previous) ? line.replace('*', '/**') : line;
    const isOpening = DOCSTRING_START.test(previous) || !(COMMENT_LINE.test(line) && COMMENT_LINE.test(previous));
    const place = `${file}:${index + 1}:`;
    return [
      ...(COMMENT_LINE.test(line) && line.length > WIDTH_MAX ? [`${place} wider than ${WIDTH_MAX} characters`] : []),
      ...(isOpening && OPENING.test(text) ? [`${place} open the comment with its noun or verb`] : []),
    ];
  });
}

/** Subjects of the commits since the rules apply; none without the history, as in a shallow clone. */
function subjects(): string[] {
  try {
    return git('log', '--no-merges', '--format=%s', `${RULES_SINCE}..HEAD`).split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

const files = git('ls-files', '*.ts', '*.tsx').split('\n').filter(Boolean);
const problems = [
  ...files.filter((file) => !file.includes('/generated/')).flatMap(problemsOf),
  ...subjects()
    .filter((subject) => subject.length > SUBJECT_MAX || subject.endsWith('.'))
    .map((subject) => `commit "${subject}": at most ${SUBJECT_MAX} characters, no period`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`${problems.length} places do not follow the writing rules; see CONTRIBUTING.md.`);
  process.exit(1);
}
