import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Clock, sleep, systemClock } from './clock.ts';

/** A clock whose only task is run by hand. */
function oneTask() {
  const seen: { task?: (() => void) | undefined } = {};
  const clock: Clock = {
    now: () => 0,
    random: () => 0,
    after(_, task) {
      seen.task = task;
      return () => {
        seen.task = undefined;
      };
    },
  };
  return { clock, seen };
}

describe('sleep', () => {
  it('ends after its time, and leaves no listener on the signal', async () => {
    const { clock, seen } = oneTask();
    const { signal } = new AbortController();
    const sleeping = sleep(clock, 1, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    seen.task?.();
    await sleeping;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason of the signal, and cancels the timer', async () => {
    const { clock, seen } = oneTask();
    const controller = new AbortController();
    const sleeping = sleep(clock, 1, controller.signal);
    controller.abort('enough');
    await expect(sleeping).rejects.toBe('enough');
    expect(seen.task).toBeUndefined();
  });

  it('does not begin when the signal is aborted', async () => {
    const { clock, seen } = oneTask();
    await expect(sleep(clock, 1, AbortSignal.abort('enough'))).rejects.toBe('enough');
    expect(seen).toEqual({});
  });
});

describe('systemClock', () => {
  it('runs a task after its time, unless it is canceled', async () => {
    await new Promise<void>((resolve) => systemClock.after(0, resolve));
    systemClock.after(0, () => expect.unreachable())();
    await new Promise<void>((resolve) => systemClock.after(1, resolve));
  });

  it('treats a time that no timer can hold as endless', async () => {
    const callOff = systemClock.after(Number.POSITIVE_INFINITY, () => expect.unreachable());
    await new Promise<void>((resolve) => systemClock.after(5, resolve));
    callOff();
  });
});
