// The defects that scripts of `test/faults` are tried with replace code of the built programs. They are compared with
// the sources, so that a change of the code is noticed before the next long run.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, it } from 'vitest';
import { staleDefects } from '../faults/broken-server.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Code without the blanks in which sources and built files differ. */
const packed = (code: string): string => code.replaceAll(/\s+/g, '');

const sourceOf = (file: string): string => file.replace('/dist/', '/src/').replace(/\.m?js$/, '.ts');

it('finds the code of every defect', () => {
  const read = new Map<string, string>();
  const stale = staleDefects((file, code) => {
    const source = sourceOf(file);
    const text = read.get(source) ?? packed(stripTypeScriptTypes(readFileSync(`${ROOT}${source}`, 'utf8')));
    read.set(source, text);
    return text.includes(packed(code));
  });
  expect(read.size).toBeGreaterThan(15);
  expect(stale).toEqual([]);
});
