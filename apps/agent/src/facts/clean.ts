// Cleans text of the host, which is untrusted: a server stores it and terminals show it.

/**
 * Makes one line of printable text, at most `max` UTF-16 units. Control characters and line ends become spaces.
 * Invisible and direction-changing characters are removed, and runs of spaces shrink to one.
 */
export function clean(text: string, max = 200): string {
  return text
    .slice(0, max * 8)
    .toWellFormed()
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}

/** Returns the first line that is not blank. */
export function firstLine(text: string): string {
  return clean(text.split(/[\r\n]+/).find((line) => line.trim() !== '') ?? '');
}
