import { columnFields, LINE_FIELDS } from '@quarterdeck/core/filter';
import { describe, expect, it } from 'vitest';
import { nextCompletion } from './next-completion.ts';
import { type FilterSource, suggestFilter } from './suggest-filter.ts';

const LOCAL: FilterSource = {
  names: columnFields(
    ['state', 'role', 'created'].map((id) => ({ id, isTime: id === 'created' })),
    1_800_000_000,
  ),
  values: (name) =>
    name === 'role'
      ? [
          { value: 'viewer', count: 3 },
          { value: 'site admin', count: 1 },
        ]
      : [],
};
const SERVED: FilterSource = {
  names: LINE_FIELDS,
  readNames: async () => [
    { value: 'client', count: 1204 },
    { value: 'fields.level', count: 2 },
  ],
  values: (name) => async (begun) => [{ value: `${begun}${name}`, count: 5 }],
};

const suggested = (text: string, source = LOCAL) => {
  const { from, completions } = suggestFilter(text, source) ?? { from: 0, completions: [] };
  return completions.map((completion) => text.slice(0, from) + completion.text);
};

describe('the completion of a filter', () => {
  it.each<[string, string[]]>([
    ['ro', ['role:']],
    ['x -RO', ['x -role:']],
    ['(st', ['(state:']],
    ['role:', ['role:viewer', 'role:"site admin"']],
    ['role:v', ['role:viewer']],
    ['role:"site a', ['role:"site admin"']],
    ['role:viewer,s', ['role:viewer,"site admin"']],
    ['since:', ['since:15m', 'since:1h', 'since:24h', 'since:7d', 'since:30d']],
    ['created:', ['created:>=15m', 'created:>=1h', 'created:>=24h', 'created:>=7d', 'created:>=30d']],
    ['colour:', []],
    ['"ro', []],
    ['/ro', []],
    ['x (', ['x (state:', 'x (role:', 'x (created:', 'x (since:', 'x (until:']],
  ])('of %s', (text, whole) => {
    expect(suggested(text)).toEqual(whole);
  });

  it('compares levels by name', () => {
    expect(suggested('level:>=e', SERVED)).toEqual(['level:>=emerg', 'level:>=error']);
  });

  it('reads names and values from the server, with their counts', async () => {
    const read = (text: string) => suggestFilter(text, SERVED)?.read?.(new AbortController().signal);
    expect(await read('c')).toEqual([{ text: 'client:', note: '1,204' }]);
    expect(await read('client:10')).toEqual([{ text: '10client', note: '5' }]);
  });
});

describe('Tab', () => {
  const step = (text: string, cycle: Parameters<typeof nextCompletion>[2] = null, by: 1 | -1 = 1) =>
    nextCompletion({ text, caret: text.length }, suggestFilter(text, LOCAL), cycle, by);

  it('completes as far as everything agrees', () => {
    expect(step('ro')).toMatchObject({ text: 'role:', cycle: null });
  });

  it('goes through the completions, also back', () => {
    const first = step('role:');
    expect(first?.text).toBe('role:viewer');
    const second = step('role:viewer', first?.cycle);
    expect(second?.text).toBe('role:"site admin"');
    expect(step('role:"site admin"', second?.cycle, -1)?.text).toBe('role:viewer');
  });

  it('shows all names on demand', () => {
    expect(suggestFilter('', LOCAL)?.isQuiet).toBe(true);
    expect(step('')).toMatchObject({ text: 'state:', cycle: { index: 0 } });
  });

  it('keeps what is behind the caret', () => {
    const suggestion = suggestFilter('ro', LOCAL);
    expect(nextCompletion({ text: 'ro x', caret: 2 }, suggestion, null, 1)).toMatchObject({
      text: 'role: x',
      caret: 5,
    });
  });

  it('does nothing without completions', () => {
    expect(step('zz')).toBeNull();
  });
});
