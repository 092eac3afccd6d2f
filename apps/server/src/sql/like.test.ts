import { describe, expect, it } from 'vitest';
import { likePattern } from './like.ts';

describe('likePattern', () => {
  it.each([
    ['timed out', '%timed out%'],
    ['100%', '%100\\%%'],
    ['a_b', '%a\\_b%'],
    ['C:\\temp', '%C:\\\\temp%'],
    ['\\%_', '%\\\\\\%\\_%'],
    ["it's", "%it's%"],
    ['', '%%'],
  ])('escapes wildcards in %j', (q, pattern) => {
    expect(likePattern(q)).toBe(pattern);
  });
});
