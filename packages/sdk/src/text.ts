// Makes foreign text fit for an error message.

/** Maximum length of foreign text, in UTF-16 units. */
const EXCERPT_MAX = 200;

/** Returns one line without markup, control characters and direction overrides, at most 200 characters. */
export function excerpt(text: string): string {
  const line = text
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  // A cut may halve a surrogate pair.
  return line.length <= EXCERPT_MAX ? line : `${line.slice(0, EXCERPT_MAX - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Masks a credential that an answer contains. */
export function redact(text: string, secret: string | undefined): string {
  return secret === undefined ? text : text.replaceAll(secret, '[credential]');
}
