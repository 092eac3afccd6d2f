import { describe, expect, it } from 'vitest';
import { chipsThatFit } from './crumbs.tsx';

const shown = (room: number): string =>
  chipsThatFit([{ text: 'following' }, { text: '/level:>=error timeout', shrinks: true }, { text: '1 of 9' }], room)
    .map(({ text }) => text)
    .join('');

describe('the chips of a screen', () => {
  it('are dropped from the end, and a filter is shortened before it is dropped', () => {
    expect(shown(41)).toBe('following  /level:>=error timeout  1 of 9');
    expect(shown(40)).toBe('following  /level:>=error timeout');
    expect(shown(30)).toBe('following  /level:>=error tim…');
    expect(shown(20)).toBe('following');
  });
});
