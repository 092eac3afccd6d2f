// Links between documents, and paths of documents in the code, lead somewhere.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { nonEmpty } from '../non-empty.ts';
import { anchorsOf, gitFiles, linksOf, ROOT, readDocument, readDocuments } from './documents.ts';

const documents = readDocuments();
const anchors = new Map(documents.map(({ path, prose }) => [path, anchorsOf(prose)]));

it('has links that lead somewhere', () => {
  const broken = nonEmpty(documents).flatMap(({ path, prose }) =>
    linksOf(prose)
      .filter((link) => {
        if (/^[a-z]+:/.test(link)) return false;
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? path : normalize(join(dirname(path), file));
        return !existsSync(ROOT + target) || (anchor !== undefined && anchors.get(target)?.has(anchor) !== true);
      })
      .map((link) => `${link} in ${path}`),
  );
  expect(broken).toEqual([]);
});

it('lists every page in docs/README.md', () => {
  const index = readDocument('docs/README.md');
  const linked = new Set(linksOf(index.prose).map((link) => join('docs', link.split('#')[0] ?? '')));
  const pages = documents.map(({ path }) => path).filter((path) => /^docs\/(?!decisions\/|README)/.test(path));
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter((path) => !linked.has(path))).toEqual([]);
});

it('names documents that exist in code and configuration', () => {
  const files = gitFiles(/^(?!docs\/).*\.(?:tsx?|mjs|ya?ml|prisma|service|json)$/);
  const named = files.flatMap((file) =>
    [...readFileSync(ROOT + file, 'utf8').matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md\b/g)].map(
      ([path]) => `${path} in ${file}`,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((one) => !existsSync(ROOT + one.split(' ')[0]))).toEqual([]);
});
