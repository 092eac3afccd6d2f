// The examples of a guide, read from it, so that the tests run the documented text.
import { readFileSync } from 'node:fs';

const DOCS = new URL('../../../docs/', import.meta.url);

/**
 * The first example in a language below a heading, with addresses and paths of this test in place of the guide's.
 * Each of these must be in the example.
 */
export function exampleBelow(
  heading: string,
  language: string,
  replacements: Readonly<Record<string, string>>,
  guide: string,
): string {
  const [, section] = readFileSync(new URL(guide, DOCS), 'utf8').split(`\n${heading}\n`);
  const [, block] = section?.split(`\n\`\`\`${language}\n`) ?? [];
  const example = block?.split('\n```\n')[0];
  if (example === undefined) throw new Error(`no example in ${language} below ${heading}`);
  return `${withReplacements(example, replacements, `the example below ${heading}`)}\n`;
}

/** The text with addresses and paths of this test in place of its own. Each of these must be in the text. */
export function withReplacements(text: string, replacements: Readonly<Record<string, string>>, place: string): string {
  let replaced = text;
  for (const [theirs, ours] of Object.entries(replacements)) {
    if (!replaced.includes(theirs)) throw new Error(`not in ${place}: ${theirs}`);
    replaced = replaced.replaceAll(theirs, ours);
  }
  return replaced;
}
