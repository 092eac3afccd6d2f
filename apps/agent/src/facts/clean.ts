// Text of a host is text of a stranger: it goes to a server that keeps it and to terminals that show it.

/**
 * One line of printable text, at most `max` UTF-16 units: control characters and line ends become spaces, invisible and
 * direction-changing characters go, runs of spaces shrink to one.
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

/** The first line that has something on it. */
export function firstLine(text: string): string {
  return clean(text.split(/[\r\n]+/).find((line) => line.trim() !== '') ?? '');
}
