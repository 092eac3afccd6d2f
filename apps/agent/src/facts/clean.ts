// Cleans text of the host, which is untrusted: a server stores it and terminals show it.
import { visibleName } from '@quarterdeck/core/lines';

/** Makes one line of visible text, at most `max` UTF-16 units. */
export function clean(text: string, max = 200): string {
  return visibleName(text.slice(0, max * 8).toWellFormed())
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}

/** Returns the first line that is not blank. */
export function firstLine(text: string): string {
  return clean(text.split(/[\r\n]+/).find((line) => line.trim() !== '') ?? '');
}
