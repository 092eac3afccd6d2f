import { describe, expect, it } from 'vitest';
import { nameKey } from './name-key.ts';

describe('nameKey', () => {
  it.each([
    ['ISIL', 'isil'],
    ['STRASSE', 'straße', 'STRAẞE'],
    ['ÅSA', 'a\u030asa', 'åsa'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς', 'Οδυσσεύσ'.normalize('NFD').replaceAll('\u0301', '')],
    ['ЖАННА', 'жанна'],
    ['ſam', 'SAM'],
    ['İ', 'i\u0307'],
  ])('is the same for %s and %s', (...names) => {
    expect(new Set(names.map(nameKey)).size).toBe(1);
  });

  it.each([
    ['ısıl', 'isil'],
    ['İsil', 'isil'],
    ['åsa', 'asa'],
  ])('tells %s from %s', (a, b) => {
    expect(nameKey(a)).not.toBe(nameKey(b));
  });
});
