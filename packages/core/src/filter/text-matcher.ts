/** Characters with a meaning in regular expressions of JavaScript. */
const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;

/**
 * Compiles a literal search: ASCII letters match in any case, all else exactly. The engine searches for the classes
 * `[aA]` without a copy of the text in lower case. The flag `i` would also fold letters that are not ASCII.
 */
export function textMatcher(text: string): (log: string) => boolean {
  const classes = text
    .replaceAll(SPECIAL, String.raw`\$&`)
    .replaceAll(/[A-Za-z]/g, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  const pattern = new RegExp(classes);
  return (log) => pattern.test(log);
}
