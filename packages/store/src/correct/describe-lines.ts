// Finds what tells some lines of a group from the others: a word at one place, described as an expression.

/** Most characters of a text that are compared, words of it, and values that an expression lists. */
const TEXT_MAX = 2_000;
const WORDS_MAX = 200;
const VALUES_MAX = 20;

/** A word: what stands between blanks, brackets, quotes and signs that separate names from values. */
const WORD = /[^\s=:,;()[\]{}"'<>|/?&#@]+/gu;

/** Words of a text, each with the separators before it. */
interface Words {
  readonly words: readonly string[];
  readonly gaps: readonly string[];
}

function wordsOf(text: string): Words {
  const words: string[] = [];
  const gaps: string[] = [];
  let end = 0;
  for (const match of text.slice(0, TEXT_MAX).matchAll(WORD)) {
    if (words.length === WORDS_MAX) break;
    words.push(match[0]);
    gaps.push(text.slice(end, match.index));
    end = match.index + match[0].length;
  }
  return { words, gaps };
}

/** A place in the texts, and the words that the chosen lines have there. */
interface Place {
  readonly at: number;
  readonly values: readonly string[];
  /** Other lines that have one of these words there: the more, the less it is a number of the single line. */
  readonly alike: number;
}

/**
 * Returns an expression that the chosen lines match and not all others; undefined where there is none. The place is
 * the one with the fewest words among the chosen, then the one that the most other lines share.
 */
export function describeLines(chosen: readonly string[], others: readonly string[]): string | undefined {
  const [first, ...more] = chosen.map(wordsOf);
  if (first === undefined || more.some(({ words }) => words.length !== first.words.length)) return undefined;
  const lines = [first, ...more];
  const known = new Set(chosen);
  const rest = others.filter((text) => !known.has(text)).map(wordsOf);
  const comparable = rest.filter(({ words }) => words.length === first.words.length);
  const places = first.words.flatMap((_, at): Place[] => {
    const values = [...new Set(lines.map(({ words }) => words[at] ?? ''))];
    const alike = comparable.filter(({ words }) => values.includes(words[at] ?? '')).length;
    return values.length > VALUES_MAX || alike === comparable.length ? [] : [{ at, values, alike }];
  });
  const sorted = places.sort((a, b) => a.values.length - b.values.length || b.alike - a.alike || a.at - b.at);
  for (const place of sorted) {
    const expression = expressionOf(first, place, [...lines, ...comparable]);
    const test = new RegExp(expression, 'u');
    if (chosen.every((text) => test.test(text)) && others.some((text) => !test.test(text))) return expression;
  }
  return undefined;
}

/** Characters with a meaning in expressions. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;
const quoted = (text: string) => text.replaceAll(SPECIAL, String.raw`\$&`);
const SEPARATOR = String.raw`[\s=:,;()\[\]{}"'<>|/?&#@]`;
const NO_SEPARATOR = SEPARATOR.replace('[', '[^');

/** The word before anchors the expression where all lines have it, else the number of words. */
function expressionOf({ words, gaps }: Words, { at, values }: Place, lines: readonly Words[]): string {
  const value = values.length === 1 ? quoted(values[0] ?? '') : `(?:${values.map(quoted).join('|')})`;
  const end = `(?:${SEPARATOR}|$)`;
  const before = words[at - 1];
  const isAnchor =
    before !== undefined &&
    words.indexOf(before) === at - 1 &&
    lines.every((line) => line.words[at - 1] === before && line.gaps[at] === gaps[at]);
  if (isAnchor) return `(?:^|${SEPARATOR})${quoted(before)}${quoted(gaps[at] ?? '')}${value}${end}`;
  return `^${SEPARATOR}*(?:${NO_SEPARATOR}+${SEPARATOR}+){${at}}${value}${end}`;
}
