import { expect, it } from 'vitest';
import { parse } from './path-pattern.ts';

it.each<[pattern: string, path: string, parts: string[] | null]>([
  ['/', '/', []],
  ['/', '/e', null],
  ['/e', '/e/', []],
  ['/e', '/e/1', null],
  ['/a/:id', '/a/12', ['12']],
  ['/a/:id', '/a/12/x', null],
  ['/a/:id', '/a/', null],
  ['*', '/any/thing', ['/any/thing']],
])('%s matches %s as %j', (pattern, path, parts) => {
  expect(parse(pattern).pattern.exec(path)?.slice(1) ?? null).toEqual(parts);
});

it('a loose pattern matches the paths below it', () => {
  expect(parse('/prefix', true).pattern.exec('/prefix/e')?.[0]).toBe('/prefix');
  expect(parse('/prefix', true).pattern.exec('/prefixed')).toBeNull();
});
