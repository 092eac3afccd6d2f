import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { hiddenText } from './hidden-notice.ts';

describe('the text in the place of hidden rows', () => {
  it.each(
    nonEmpty([
      [3, ['/zzz'], 'Esc', '3 hidden by /zzz; Esc clears.'],
      [
        4526,
        ['/zzz', '[ERROR or worse]', 'the time range'],
        'Esc',
        '4,526 hidden by /zzz, [ERROR or worse] and the time range; Esc clears.',
      ],
      [undefined, ['/a', '[open]'], undefined, 'No error matches /a and [open].'],
    ]),
  )('names %s rows and %j', (count, by, key, text) => {
    expect(hiddenText({ count, noun: 'error' }, by, key)).toBe(text);
  });
});
