// The content of a message as plain text, for services without a form of their own.
import type { Fact } from './facts.ts';
import type { Summary } from './summary.ts';

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
