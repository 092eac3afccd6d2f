import { describe, expect, it } from 'vitest';
import { steppedClock } from '../../test/stepped-clock.ts';
import { sleep, systemClock } from './clock.ts';

describe('systemClock', () => {
  it('runs a task after its time, unless it is canceled or its time is more than a timer can hold', async () => {
    const unexpected: string[] = [];
    systemClock.after(0, () => unexpected.push('canceled'))();
    const cancel = systemClock.after(Number.POSITIVE_INFINITY, () => unexpected.push('endless'));
    await new Promise<void>((resolve) => systemClock.after(5, resolve));
    cancel();
    expect(unexpected).toEqual([]);
  });
});

describe('sleep', () => {
  it.each(['before', 'after'])('leaves no timer where the signal is aborted %s it begins', async (when) => {
    const clock = steppedClock();
    const controller = new AbortController();
    if (when === 'before') controller.abort('enough');
    const sleeping = sleep(clock, 1, controller.signal);
    controller.abort('enough');
    await expect(sleeping).rejects.toBe('enough');
    expect(clock.pending).toBe(0);
  });
});
