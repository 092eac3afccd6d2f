import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ENOUGH_LINES, FEW_LINES, Gathering, LONGEST_MS } from './gathering.ts';

let isReading = true;
const start = (lines = FEW_LINES + 1) => {
  const gathering = new Gathering(() => isReading);
  gathering.add(lines);
  let isDone = false;
  const done = gathering.gathered().then(() => {
    isDone = true;
  });
  return { gathering, done, isDone: () => isDone };
};

describe('a write', () => {
  beforeEach(() => {
    isReading = true;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('begins at once where nothing is read', async () => {
    isReading = false;
    await start().done;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins at once with few lines, whatever is read', async () => {
    await start(FEW_LINES).done;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for bodies that are read, until it has enough lines', async () => {
    const { gathering, done, isDone } = start(ENOUGH_LINES - 1);
    await vi.advanceTimersByTimeAsync(LONGEST_MS - 1);
    expect(isDone()).toBe(false);
    gathering.add(1);
    await done;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins when the last body is read, also one without lines', async () => {
    const { gathering, done } = start();
    isReading = false;
    gathering.look();
    await done;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins in time when a body takes long, and the next one waits again', async () => {
    const { gathering, done, isDone } = start(ENOUGH_LINES - 1);
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    await done;
    expect(isDone()).toBe(true);
    gathering.add(ENOUGH_LINES - 1);
    let isNext = false;
    const next = gathering.gathered().then(() => {
      isNext = true;
    });
    await vi.advanceTimersByTimeAsync(LONGEST_MS - 1);
    expect(isNext).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await next;
  });
});
