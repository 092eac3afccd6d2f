// Every document of the repository, with its blocks of code, headings and links.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A block of code. */
export interface Block {
  /** Document and line, for messages. */
  readonly place: string;
  readonly language: string;
  /** Words behind the language: `run` = a test runs it, `output` = what the block before prints. */
  readonly flags: readonly string[];
  readonly text: string;
}

export interface Document {
  /** Path from the folder of the repository. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The text without its blocks of code. */
  readonly prose: string;
}

const BLOCK = /^( *)```([^\n]*)\n(.*?)^\1```$/gms;

export function readDocument(path: string): Document {
  const text = readFileSync(ROOT + path, 'utf8');
  const blocks = [...text.matchAll(BLOCK)].map(([, , info = '', code = ''], index, all) => {
    const line = text.slice(0, all[index]?.index).split('\n').length;
    const [language = '', ...flags] = info.split(' ');
    return { place: `${path}:${line}`, language, flags, text: code };
  });
  return { path, text, blocks, prose: text.replaceAll(BLOCK, '') };
}

const ALL_FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 100_000_000,
})
  .split('\n')
  .filter(Boolean);

/**
 * Paths that match, of the files that Git has or would add, from the folder of the repository. Versions of Git differ
 * in how they read patterns, so the pattern is read here.
 */
export const gitFiles = (pattern: RegExp): string[] => ALL_FILES.filter((path) => pattern.test(path));

let documents: readonly Document[] | undefined;

/** Returns every document. */
export function readDocuments(): readonly Document[] {
  documents ??= gitFiles(/\.md$/).map(readDocument);
  return documents;
}

/** Blocks of all documents in these languages. */
export const blocksIn = (...languages: readonly string[]): Block[] =>
  readDocuments().flatMap(({ blocks }) => blocks.filter(({ language }) => languages.includes(language)));

/** Anchors that a Markdown renderer gives the headings of a text. */
export function anchorsOf(prose: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of prose.matchAll(/^#+ (.+)$/gm)) {
    const anchor = title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n += 1) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Targets of the links of a text. */
export const linksOf = (prose: string): string[] =>
  [...prose.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
