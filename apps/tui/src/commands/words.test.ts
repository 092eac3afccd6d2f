import { describe, expect, it } from 'vitest';
import { fillWords, splitWords, wordsText } from './words.ts';

describe('a line', () => {
  it.each([
    ['ping -c 3 {hostname}', ['ping', '-c', '3', '{hostname}']],
    ['  ssh\t"my user"@{hostname}  ', ['ssh', 'my user@{hostname}']],
    [`jq '.a | "b"' ''`, ['jq', '.a | "b"', '']],
    ['echo $HOME `id` $(id) a;b a|b *.txt \\n', ['echo', '$HOME', '`id`', '$(id)', 'a;b', 'a|b', '*.txt', '\\n']],
    ['say "open', null],
    ['   ', null],
  ])('becomes words without a shell: %j', (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });
});

describe('the fields of a row', () => {
  const row = {
    id: 7,
    hostname: 'web 1',
    online: true,
    note: '',
    fields: { client: '10.0.0.1', 'a.b': 'dotted' },
    list: [1],
  };
  const fill = (...words: string[]) => fillWords(words, row, 'https://ops.example');

  it('stay within their words', () => {
    expect(
      fill('x', '{hostname}', 'a{id}b{fields.client}', '{fields.a.b}', '{online}', '{server}/x', '{}', '{a b}'),
    ).toEqual({ words: ['x', 'web 1', 'a7b10.0.0.1', 'dotted', 'true', 'https://ops.example/x', '{}', '{a b}'] });
  });

  it.each(['{note}', '{nothing}', '{fields}', '{list}', '{fields.nothing}', '{constructor}', '{hostname.length}'])(
    'are refused where there is no value: %s',
    (word) => {
      expect(fill('x', word)).toEqual({ problem: `The selected row has no ${word.slice(1, -1)}.` });
    },
  );

  it.each(['-oProxyCommand=id', '--help', '-'])('are refused where they look like an option: %j', (hostname) => {
    for (const word of ['{hostname}', 'user@{hostname}']) {
      expect(fillWords(['ssh', word], { hostname }, '')).toEqual({
        problem: 'The value of hostname begins with "-", as options do. Nothing was run.',
      });
    }
  });

  it.each(['a\nb', 'a\0', '\u001B[2J', 'a\u009B', 'a\u202Eb', 'a\u2028'])(
    'are refused with control characters: %j',
    (hostname) => {
      expect(fillWords(['x', '{hostname}'], { hostname }, '')).toEqual({
        problem: 'The value of hostname holds control characters. Nothing was run.',
      });
    },
  );

  it('need a row', () => {
    expect(fillWords(['x', '{hostname}'], undefined, '')).toEqual({ problem: 'Select a row of a list first.' });
    expect(fillWords(['x', '{server}'], undefined, 'http://a')).toEqual({ words: ['x', 'http://a'] });
  });
});

it('shows words with their borders', () => {
  expect(wordsText(['ssh', 'a b', "it's", ''])).toBe('ssh "a b" "it\'s" ""');
});
