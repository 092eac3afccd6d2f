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

/** A secret of a server, wherever it comes from; its form is defined in `auth/secret.ts` of core. */
const ANY_SECRET = /qd_[a-z]_[0-9A-Za-z]{49}/g;
/** Characters of another credential from which on it is masked: a shorter one may be an ordinary word. */
const SECRET_LENGTH_MIN = 16;
const MASK = '[credential]';

/** Masks secrets in a text from an answer: those of a server, and the given ones where they cannot be words. */
export function redact(text: string, secrets: readonly string[]): string {
  const isNoWord = (secret: string) => secret.startsWith('qd_') || secret.length >= SECRET_LENGTH_MIN;
  const masked = secrets.filter(isNoWord).reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  return masked.replaceAll(ANY_SECRET, MASK);
}
