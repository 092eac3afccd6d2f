// The words of custom commands: how a line becomes words, and how fields of a row get into them. Pure.

/** A field in a word: `{hostname}`, `{fields.client}`. Other braces are text. */
const FIELD = /\{([A-Za-z_][\w.-]*)\}/g;

/** Control characters and marks that turn the direction of text around. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Returns whether a word contains a field. */
export const isField = (word: string): boolean => word.search(FIELD) !== -1;

/**
 * Splits a line into words. Blanks separate words; single and double quotes keep blanks, and are removed. Nothing else
 * has a meaning: no escapes, variables or patterns. Returns null if a quote is not closed or there is no word.
 */
export function splitWords(line: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (const character of line) {
    if (quote !== null) {
      if (character === quote) quote = null;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + character;
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words.length === 0 ? null : words;
}

/** Finds a value by its path. A name that contains dots comes before a path of the same spelling. */
function valueAt(row: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return row;
  if (typeof row !== 'object' || row === null) return undefined;
  const of = row as Readonly<Record<string, unknown>>;
  const whole = path.join('.');
  if (Object.hasOwn(of, whole)) return of[whole];
  const [first = '', ...rest] = path;
  return Object.hasOwn(of, first) ? valueAt(of[first], rest) : undefined;
}

/** Words with their fields filled in, or the reason why they cannot be as a sentence. */
export type Filled = { readonly words: readonly string[] } | { readonly problem: string };

/**
 * Fills the fields of a row into words. A value stays within its word. Rows come from other hosts, so a value that a
 * program may take for an option, or that holds control characters, is refused.
 */
export function fillWords(words: readonly string[], row: unknown, server: string): Filled {
  let problem: string | undefined;
  const fill = (_field: string, path: string): string => {
    if (path === 'server') return server;
    const value = valueAt(row, path.split('.'));
    const isValue = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    const text = isValue ? String(value) : '';
    if (row === undefined) problem ??= 'Select a row of a list first.';
    else if (text === '') problem ??= `The selected row has no ${path}.`;
    else if (text.startsWith('-')) problem ??= `The value of ${path} begins with "-", as options do. Nothing was run.`;
    else if (CONTROLS.test(text)) problem ??= `The value of ${path} holds control characters. Nothing was run.`;
    return text;
  };
  const filled = words.map((word) => word.replaceAll(FIELD, fill));
  return problem === undefined ? { words: filled } : { problem };
}

/** Formats words for display: those with blanks or quotes in double quotes. */
export const wordsText = (words: readonly string[]): string =>
  words.map((word) => (/^[^\s"']+$/.test(word) ? word : JSON.stringify(word))).join(' ');
