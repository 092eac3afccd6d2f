import { formatFilter, parseFilter } from '@quarterdeck/core/filter';
import { describe, expect, it } from 'vitest';
import { mildestLevel, withMildestLevel, withoutValue, withText, withValue } from './filter-values.ts';

describe('a filter of lines', () => {
  it.each([
    ['', 'client', '10.9.8.7', 'client:10.9.8.7'],
    ['group:5', 'client', '10.9.8.7', 'group:5 client:10.9.8.7'],
    ['timeout client:10.9.8.8', 'client', '10.9.8.7', 'timeout client:10.9.8.7'],
    ['-client:10.9.8.8', 'client', '10.9.8.7', '-client:10.9.8.8 client:10.9.8.7'],
    ['a OR b', 'host', 'web-1', '(a OR b) host:web-1'],
    ['', 'request', 'GET / "x"', 'request:"GET / \\"x\\""'],
    ['', 'fields.host', 'example.com', 'fields.host:example.com'],
    ['', 'user', '', '-user:*'],
  ])('%s is narrowed to %s of %s', (filter, field, value, expected) => {
    expect(withValue(filter, field, value)).toBe(expected);
    expect(formatFilter(parseFilter(expected))).toBe(expected);
  });

  it.each([
    ['group:5', 'client', '10.9.8.7', 'group:5 -client:10.9.8.7'],
    ['-client:a', 'client', 'b', '-client:a -client:b'],
    ['', 'user', '', 'user:*'],
  ])('%s leaves out %s %s', (filter, field, value, expected) => {
    expect(withoutValue(filter, field, value)).toBe(expected);
  });

  it('asks for a text with quotes and lines', () => {
    expect(withText('host:a', 'said "no"\nand left')).toBe('host:a "said \\"no\\"\\nand left"');
  });

  it('goes through the levels', () => {
    expect(mildestLevel('timeout')).toBeUndefined();
    expect(withMildestLevel('timeout', 4)).toBe('timeout level:>=error');
    expect(mildestLevel('timeout level:>=error')).toBe(4);
    expect(withMildestLevel('level:error timeout', 5)).toBe('timeout level:>=warn');
    expect(withMildestLevel('timeout level:>=error', undefined)).toBe('timeout');
  });
});
