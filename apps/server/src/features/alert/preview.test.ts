import { describe, expect, it } from 'vitest';
import { firingTimes } from './preview.ts';

const NOW = 100_000_000;
const episode = (key: string, sinceS: number, untilS: number | null) => ({
  key,
  title: key,
  sinceMs: sinceS * 1000,
  untilMs: untilS === null ? null : untilS * 1000,
});
const timesOf = (episodes: Parameters<typeof firingTimes>[0], forS: number, cooldown: number) =>
  firingTimes(episodes, { for: forS, cooldown }, NOW).map(({ time, key }) => [time, key]);

describe('firingTimes', () => {
  it('notifies of what lasts long enough', () => {
    const episodes = [episode('a', 1_000, 1_030), episode('b', 1_000, 1_200), episode('c', 1_010, null)];
    expect(timesOf(episodes, 60, 0)).toEqual([
      [1_060, 'b'],
      [1_070, 'c'],
    ]);
  });

  it('notifies of moments once within their cooldown', () => {
    const episodes = [1_000, 1_100, 1_700].map((time) => episode('a', time, time));
    expect(timesOf(episodes, 0, 600)).toEqual([
      [1_000, 'a'],
      [1_700, 'a'],
    ]);
  });

  it('notifies of a cause that comes back after its cooldown, if it still lasts', () => {
    const episodes = [episode('a', 1_000, 1_010), episode('a', 1_100, 1_200), episode('a', 1_300, 2_000)];
    expect(timesOf(episodes, 0, 600)).toEqual([
      [1_000, 'a'],
      [1_600, 'a'],
    ]);
  });
});
