import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const FROM = /(?:from|import)\s*\(?'([^']+)'/g;

/** Packages that a module and those it imports load, by their specifiers. */
function packagesOf(file: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(file)) return packages;
  seen.add(file);
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(FROM)) {
    if (specifier.startsWith('.')) packagesOf(fileURLToPath(new URL(specifier, `file://${file}`)), seen, packages);
    else if (specifier === '@quarterdeck/core/plain') packagesOf(PLAIN, seen, packages);
    else packages.add(specifier);
  }
  return packages;
}

const entrance = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const PLAIN = entrance('../../core/src/plain.ts');

describe('the main entrance', () => {
  it('loads no zod, neither to run nor for its types', () => {
    expect([...packagesOf(entrance('../src/index.ts'))]).toEqual(['eventsource-parser']);
  });

  it('is distinguished from the one with schemas', () => {
    expect(packagesOf(entrance('../src/contract.ts'))).toContain('zod/mini');
  });
});
