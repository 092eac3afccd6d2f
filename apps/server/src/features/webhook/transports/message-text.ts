// Text from outside in messages: without control characters, and bounded.
import { visibleText } from '@quarterdeck/core';
import type { Fact } from './facts.ts';
import type { Summary } from './summary.ts';

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

const factLines = (facts: readonly Fact[]): string => facts.map(({ name, value }) => `${name}: ${value}`).join('\n');

/** Sections of a message below its heading: facts, log lines, notes, and links where `links` is true. */
export function plainSections({ facts, lines, notes, links }: Summary, hasLinks: boolean): string[] {
  const sections = [
    factLines(facts),
    lines.map((line) => `  ${line}`).join('\n'),
    factLines(notes),
    hasLinks ? links.map(({ title, url }) => `${title}: ${url}`).join('\n') : '',
  ];
  return sections.filter((text) => text !== '');
}

/** Cuts a text to so many bytes of UTF-8, between characters. */
export function withinBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  const mark = '…';
  const start = bytes
    .subarray(0, max - Buffer.byteLength(mark))
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `${start}${mark}`;
}

/** Cuts a text to so many characters. */
export const withinCharacters = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
