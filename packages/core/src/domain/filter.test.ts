import { beforeAll, describe, expect, it } from 'vitest';
import { loadExpressions } from '../filter/index.ts';
import { FilterText } from './filter.ts';

beforeAll(loadExpressions);

describe('FilterText', () => {
  it('accepts a filter as it is written', () => {
    expect(FilterText.parse(' level:ERR  x ')).toBe(' level:ERR  x ');
  });

  it('refuses another text with the place and all that is allowed there', () => {
    const message = (text: string) => FilterText.safeParse(text).error?.issues[0]?.message;
    expect(message('src:a')).toBe('at character 5 ("a"): src: takes whole numbers. Allowed: a number, >=number, *.');
    expect(message('a OR')).toMatch(/^at character 5: A term is missing here\. Allowed: text, /);
    expect(message(`"${'😀'.repeat(100)}`)?.isWellFormed()).toBe(true);
    expect(message(`"${'x'.repeat(100)}`)).toContain(`("\\"${'x'.repeat(39)}")`);
  });

  it('refuses what is no text', () => {
    expect(FilterText.safeParse(5).success).toBe(false);
  });
});
