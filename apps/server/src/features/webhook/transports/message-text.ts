// Text from outside in messages: without control characters, and bounded.
import { visibleText } from '@quarterdeck/core';

/** Characters read of a text at most for each one that is kept: the rest is spaces or invisible. */
const READ_FACTOR = 8;

/** One line of visible text of at most `max` characters; a longer text ends with an ellipsis. */
export function oneLine(text: string, max: number): string {
  const start = text.slice(0, max * READ_FACTOR);
  const line = visibleText(start).replaceAll(/\s+/g, ' ').trim();
  const isCut = line.length > max || start.length < text.length;
  return isCut ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
}

/** Escapes a text so that the result has at most `max` characters. It cuts between escaped characters. */
export function escapeWithin(text: string, escapes: Readonly<Record<string, string>>, max: number): string {
  let result = '';
  for (const character of text) {
    const escaped = escapes[character] ?? character;
    if (result.length + escaped.length >= max) return `${result}…`;
    result += escaped;
  }
  return result;
}
