import { LINE_FIELDS } from '@quarterdeck/core/filter';
import { describe, expect, it } from 'vitest';
import { filterProblem, isFilter, readFilter, shownFilter } from './read-filter.ts';

const problem = (text: string) => filterProblem(text, LINE_FIELDS);

describe('the text of a filter', () => {
  it.each(['', '  '])('selects everything if blank: "%s"', (text) => {
    expect(readFilter(text, LINE_FIELDS)).toBeNull();
  });

  it('has one canonical form', () => {
    expect(readFilter('Level:error   "timeout"', LINE_FIELDS)).toMatchObject({ words: 'level:error timeout' });
  });

  it('names the place of a problem and what is allowed there', () => {
    expect(problem('x level:loud y')).toEqual({
      text: expect.stringMatching(/^At character 9 \("loud"\): There is no such level\. Allowed: stderr, /),
      isIncomplete: false,
    });
  });

  it.each(['"timed', 'level:', '(a OR b', 'a OR', 'level:err'])('knows that more can follow: %s', (text) => {
    expect(problem(text)?.isIncomplete ?? true).toBe(true);
  });

  it.each([
    ['!timed', '-timed leaves out; "!..." finds the sign. See :help filter.'],
    ['~tmd', 'Type a part of the text, or an /expression/; "~..." finds the sign. See :help filter.'],
  ])('explains what replaces %s', (text, explanation) => {
    expect(problem(text)).toEqual({ text: explanation, isIncomplete: false });
    expect(problem(`"${text}"`)).toBeNull();
  });

  it('is literal where the server does not know the language', () => {
    expect(readFilter('!a level:loud', null)).toMatchObject({ filter: { kind: 'text', text: '!a level:loud' } });
  });

  it('is shortened in a chip', () => {
    expect(shownFilter('a'.repeat(100))).toHaveLength(41);
  });
});

it.each([
  ['zzz((', 'as text'],
  ['foo.*bar', 'as text'],
  ['level=error', 'as text'],
  ['a && b', 'as text'],
  ['"zzz(("', ''],
  ['connect() failed', ''],
  ['/foo.*bar/', ''],
  ['level:error host:web-1', ''],
])('notes of %s where signs are read as text', (text, note) => {
  const read = readFilter(text, LINE_FIELDS);
  expect(isFilter(read) && read.note).toBe(note);
});
