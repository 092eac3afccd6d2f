// The section of CHANGELOG.md about a version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './release-folder.ts';

/** Heading of what no version has yet. */
export const UNRELEASED = 'Unreleased';

/**
 * Returns the newest section of a changelog without its heading.
 *
 * @throws Error if its heading is not about this version
 */
export function newestSection(changelog: string, version: string): string {
  const [heading = '', ...lines] = changelog.slice(changelog.indexOf('\n## ') + 4).split('\n');
  const found = heading.trim().split(' ')[0];
  if (found !== version) throw new Error(`CHANGELOG.md begins with "${heading.trim()}", not with ${version}.`);
  const end = lines.findIndex((line) => line.startsWith('## '));
  return `${lines
    .slice(0, end === -1 ? undefined : end)
    .join('\n')
    .trim()}\n`;
}

export const readChangelog = (): string => readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
