import { describe, expect, it } from 'vitest';
import { doEach } from './each.ts';

const WORDS = { done: 'Deleted', noun: 'token', name: (id: number) => `token-${id}` };

/** Fails for these objects. */
const failingFor =
  (...ids: number[]) =>
  async (id: number): Promise<void> => {
    if (ids.includes(id)) throw new TypeError('canary');
  };

describe('a change of several things', () => {
  it('runs for each object and names the one that failed', async () => {
    const tried: number[] = [];
    const act = async (id: number): Promise<void> => {
      tried.push(id);
      await failingFor(2)(id);
    };
    expect(await doEach([1, 2, 3], act, WORDS)).toBe(
      'Deleted 2 tokens; 1 failed: token-2, Internal error of the dashboard: TypeError.',
    );
    expect(tried).toEqual([1, 2, 3]);
  });

  it('names a single object', async () => {
    expect(await doEach([1], failingFor(), WORDS)).toBe('Deleted token-1.');
    expect(await doEach([1, 2], failingFor(), WORDS)).toBe('Deleted 2 tokens.');
  });

  it('fails if all fail', async () => {
    await expect(doEach([1, 2], failingFor(1, 2), WORDS)).rejects.toThrow('canary');
  });
});
