// Attempts that are recalled.
import { expect, it } from 'vitest';
import { createRunningAttempts } from './recall.ts';

it('aborts the attempt of a channel while it runs, and no other', async () => {
  const attempts = createRunningAttempts();
  const ends = Promise.withResolvers<void>();
  const run = (id: number) =>
    attempts.run(id, async (recalled) => {
      await ends.promise;
      return recalled.aborted;
    });
  const running = [run(1), run(2)];
  attempts.recall([1, 3]);
  ends.resolve();
  expect(await Promise.all(running)).toEqual([true, false]);
  attempts.recall([2]);
  expect(await run(2)).toBe(false);
});
