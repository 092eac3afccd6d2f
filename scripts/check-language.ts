// Checks the parts of the writing rules (CONTRIBUTING.md) that a program can check: openings, sentences and widths of
// comments, words, and the subjects of commits. The formatter checks the width of code.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const WIDTH_MAX = 120;
const WORDS_MAX = 25;
const SUBJECT_MAX = 72;
/** The last commit before the rules applied. */
const RULES_SINCE = '8f90b1f8f984e5966960687db68b2245a431e1ac';
/** Question words that open a comment instead of its noun or verb. */
const OPENING = /^(?:What|Where|Who|Whose|Whom|Whether|Whoever|Whatever|How|That)\b/;
/** A line of a comment, and its text without the marks. */
const COMMENT = /^\s*(?:\/\*\*?|\*\/|\*|\/\/)\s?(?<text>.*?)(?:\s*\*\/)?$/;
const TRAILING = /\S\s+\/(?:\/|\*\*?)\s+(?<text>.*)$/;
/** An item of a list, a tag, or an indented example: it begins a paragraph without an opening. */
const ITEM = /^(?:- |@|\s)/;

/** Words that readers stumble over, with the term to use. They hold for comments, names, texts and documents. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:[Uu]n)?[Tt]old\b|(?:^|[^a-z])told[A-Z]|[a-z]Told\b/, 'notified, reported, shown'],
  [/\bhangs? under\b/, 'is grouped under'],
  [/\bdear(?:er|est)\b/, 'costs more'],
  [/\bone too many\b/, 'over the limit'],
  [/\b(?:[Bb]egin of|(?:its|the) begin)\b/, 'start of'],
  [/enrolment/i, 'enrollment'],
];

/** A paragraph of a comment, or an item of a list. */
type Paragraph = { readonly line: number; text: string };

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' });

/** Collects the paragraphs of all comments of a file. */
function paragraphsOf(lines: readonly string[]): Paragraph[] {
  const found: Paragraph[] = [];
  let open: Paragraph | undefined;
  for (const [index, line] of lines.entries()) {
    const isComment = COMMENT.test(line);
    const text = (COMMENT.exec(line) ?? TRAILING.exec(line))?.groups?.['text'] ?? '';
    const isNew = !isComment || /^\s*\/\*/.test(line) || ITEM.test(text);
    if (text === '') open = undefined;
    else if (open !== undefined && !isNew) open.text += ` ${text}`;
    else open = found[found.push({ line: index + 1, text }) - 1];
    if (!isComment) open = undefined;
  }
  return found;
}

/** Finds the problems of one source file, each with its line. */
function problemsOf(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const wide = [...lines.entries()].filter(([, line]) => COMMENT.test(line) && line.length > WIDTH_MAX);
  return [
    ...wide.map(([index]) => `${file}:${index + 1}: wider than ${WIDTH_MAX} characters`),
    ...paragraphsOf(lines).flatMap(({ line, text }) => {
      // A code span is one word, and so is a link.
      const sentences = text.replaceAll(/`[^`]*`|\{@link [^}]*\}/g, 'X').split(/(?<=[.:;!?])\s+/);
      const isLong = !text.startsWith(' ') && sentences.some((sentence) => sentence.split(' ').length > WORDS_MAX);
      return [
        ...(OPENING.test(text) ? [`${file}:${line}: open the comment with its noun or verb`] : []),
        ...(isLong ? [`${file}:${line}: a sentence has more than ${WORDS_MAX} words`] : []),
      ];
    }),
  ];
}

/** Finds words of {@link WORDS} in a source or a document. */
function wordsOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      WORDS.flatMap(([word, term]) =>
        word.test(line) ? [`${file}:${index + 1}: ${word.exec(line)?.[0]}: say ${term}`] : [],
      ),
    );
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
const documents = git('ls-files', '*.md').split('\n').filter(Boolean);
/** The changelog keeps its history; this file has the words. */
const WITH_WORDS = /^CHANGELOG\.md$|^scripts\/check-language\.ts$|\/generated\//;
const problems = [
  ...files.filter((file) => !file.includes('/generated/')).flatMap(problemsOf),
  ...[...files, ...documents].filter((file) => !WITH_WORDS.test(file)).flatMap(wordsOf),
  ...subjects()
    .filter((subject) => subject.length > SUBJECT_MAX || subject.endsWith('.'))
    .map((subject) => `commit "${subject}": at most ${SUBJECT_MAX} characters, no period`),
];
if (problems.length > 0) {
  console.log(problems.join('\n'));
  console.error(`${problems.length} places do not follow the writing rules; see CONTRIBUTING.md.`);
  // Not process.exit(), which would cut off what a pipe has not read yet.
  process.exitCode = 1;
}
