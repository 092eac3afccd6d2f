// The folder of a release, and the values that every script of a release shares.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the repository. */
export const ROOT = join(import.meta.dirname, '../..');
/** Folder of the release: packages, archives, images and their checksums. */
export const RELEASE = join(ROOT, 'release');
/** Time of every file in the tarballs, as npm sets it. */
export const MTIME = new Date('1985-10-26T08:15:00Z');
/** Name of the list of checksums, in the format of `sha256sum`. */
export const SUMS = 'SHA256SUMS';

/** The environment without what the pnpm that runs this has set, which would also rule a pnpm and an npm elsewhere. */
export const OUTSIDE = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^p?npm_/i.test(name)));

/** Hexadecimal SHA-256 of bytes. */
export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Time of the commit, in whole seconds: the time of files that only this commit has. */
export const commitTime = (): Date =>
  new Date(execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: ROOT, encoding: 'utf8' }).trim());

/** Relative paths of all files below a folder, sorted. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

/** Paths of the npm tarballs of a release by the names of their packages, for example `server`. */
export const tarballs = (...names: readonly string[]): string[] =>
  readdirSync(RELEASE)
    .filter((file) => names.some((name) => file.startsWith(`quarterdeck-${name}-`) && file.endsWith('.tgz')))
    .map((file) => join(RELEASE, file));

/** Writes the checksums of all files of the release again. Returns the lines. */
export function writeSums(): string[] {
  const names = filesBelow(RELEASE).filter((name) => name !== SUMS);
  const lines = names.map((name) => `${sha256(readFileSync(join(RELEASE, name)))}  ${name}`);
  writeFileSync(join(RELEASE, SUMS), `${lines.join('\n')}\n`);
  return lines;
}
