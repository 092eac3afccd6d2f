/** Characters with a meaning in regular expressions of JavaScript. */
const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;

/**
 * Compiles a literal search: ASCII letters match in any case, all else exactly. The engine searches for the classes
 * `[aA]` without a copy of the text in lower case. The flag `i` would also fold letters that are not ASCII.
 */
export function textMatcher(text: string): (log: string) => boolean {
  const pattern = textPattern(text);
  return (log) => pattern.test(log);
}

/** Compiles a text to an expression of JavaScript that matches it as {@link textMatcher} does. */
export function textPattern(text: string, flags = ''): RegExp {
  const classes = text
    .replaceAll(SPECIAL, String.raw`\$&`)
    .replaceAll(/[A-Za-z]/g, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  return new RegExp(classes, flags);
}
