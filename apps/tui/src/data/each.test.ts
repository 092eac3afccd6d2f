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
  it('is tried on each of them, and says which one it did not work on', async () => {
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

  it('names the only one', async () => {
    expect(await doEach([1], failingFor(), WORDS)).toBe('Deleted token-1.');
    expect(await doEach([1, 2], failingFor(), WORDS)).toBe('Deleted 2 tokens.');
  });

  it('fails where none of them worked', async () => {
    await expect(doEach([1, 2], failingFor(1, 2), WORDS)).rejects.toThrow('canary');
  });
});
