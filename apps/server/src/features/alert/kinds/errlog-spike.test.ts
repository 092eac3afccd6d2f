import { describe, expect, it } from 'vitest';
import { spikeLimit } from './errlog-spike.ts';

const minutesOf = (count: number, n: (minute: number) => number) =>
  new Map(Array.from({ length: count }, (_, minute) => [minute, n(minute)] as const).filter(([, each]) => each > 0));

describe('spikeLimit', () => {
  it('is four times an even rate', () => {
    expect(
      spikeLimit(
        minutesOf(600, () => 2),
        600,
        5,
      ),
    ).toBe(40);
  });

  it('does not know what is usual for something new', () => {
    const fresh = new Map([...minutesOf(600, () => 2)].filter(([minute]) => minute > 550));
    expect(spikeLimit(fresh, 600, 5)).toBeUndefined();
    expect(spikeLimit(new Map(), 600, 5)).toBeUndefined();
  });

  it('is above the burst of each hour', () => {
    const hourly = minutesOf(1440, (minute) => (minute % 60 === 0 ? 50 : 0));
    expect(spikeLimit(hourly, 1440, 5)).toBe(100);
  });
});
