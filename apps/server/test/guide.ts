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
  let example = block?.split('\n```\n')[0];
  if (example === undefined) throw new Error(`no example in ${language} below ${heading}`);
  for (const [theirs, ours] of Object.entries(replacements)) {
    if (!example.includes(theirs)) throw new Error(`not in the example below ${heading}: ${theirs}`);
    example = example.replaceAll(theirs, ours);
  }
  return `${example}\n`;
}
