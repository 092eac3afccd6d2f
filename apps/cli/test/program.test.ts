// The built program, without a start of it.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Packages in a file of the bundle, and in all files that it always loads. */
function packagesOf(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return new Set();
  seen.add(path);
  // A file that only passes others on has no map.
  const map = existsSync(`${path}.map`) ? readFileSync(`${path}.map`, 'utf8') : '{"sources": []}';
  const { sources } = JSON.parse(map) as { sources: string[] };
  const found = sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  const imports = [...readFileSync(path, 'utf8').matchAll(/(?:import|from)\s*["'](\.\/[\w./-]+\.js)["']/g)];
  return new Set([...found, ...imports.flatMap(([, name = '']) => [...packagesOf(join(dirname(path), name), seen)])]);
}

it.skipIf(!existsSync(MAIN))('loads no package at the start that it does not need yet', () => {
  expect([...packagesOf(MAIN)].sort()).toEqual(['env-paths', 'is-safe-filename']);
  const commands = packagesOf(join(dirname(MAIN), 'chunks/command-line.js'));
  expect(commands).toContain('commander');
  const list = packagesOf(join(dirname(MAIN), 'chunks/list.js'));
  expect(list).toContain('smol-toml');
  const late = ['zod', 'eventsource-parser', 'ink', 'react', 'yaml', 'jq-wasm', 're2js'];
  expect([...commands, ...list].filter((name) => late.includes(name))).toEqual([]);
});
