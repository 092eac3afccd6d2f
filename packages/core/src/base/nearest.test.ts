import { expect, it } from 'vitest';
import { distance, nearest } from './nearest.ts';

const FIELDS = ['level', 'level_max', 'start_time', 'dry_run', 'q', 'at', 'env', 'allowed_cidrs', 'when'];

it.each([
  ['levle', 'level'],
  ['dryrun', 'dry_run'],
  ['dry-run', 'dry_run'],
  ['startTime', 'start_time'],
  ['LEVEL', 'level'],
  ['wen', 'when'],
  ['allowed_cidr', 'allowed_cidrs'],
  ['levelmax', 'level_max'],
])('finds the name that %s was meant to be', (name, meant) => {
  expect(nearest(name, FIELDS)).toBe(meant);
});

it.each(['', 'x', 'ta', 'since', 'note', 'constructor', 'e'.repeat(100_000)])('finds none for another name', (name) => {
  expect(nearest(name, FIELDS)).toBeUndefined();
});

it.each([
  ['name', 'nmae', 1],
  ['name', 'name', 0],
  ['expire', 'expires_at', 3],
  ['', 'ab', 2],
  ['abcdef', 'ghijkl', 3],
])('counts the letters between %s and %s, up to a maximum', (a, b, letters) => {
  expect(distance(a, b, 2)).toBe(letters);
});
