import { describe, expect, it, vi } from 'vitest';
import { startProgress } from './progress.ts';

/** Draws progress while time passes as given; returns what was written. */
function draw(isTTY: boolean, total: number | undefined, steps: readonly (readonly [ms: number, count: number])[]) {
  const written: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 } as unknown as NodeJS.WriteStream;
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const progress = startProgress(stream, 'rows', total);
  for (const [ms, count] of steps) {
    now.mockReturnValue(ms);
    progress.add(count);
  }
  progress.end();
  now.mockRestore();
  return written.map((text) => text.replaceAll('\r\u001B[2K', ''));
}

describe('progress', () => {
  it('draws a bar of long work, and removes it', () => {
    expect(
      draw(true, 2_000, [
        [100, 500],
        [500, 500],
        [520, 100],
        [700, 900],
      ]),
    ).toEqual([
      '[############............] 50 % 1,000 of 2,000 rows',
      '[########################] 100 % 2,000 of 2,000 rows',
      '',
    ]);
  });

  it('counts where the total is unknown', () => {
    expect(draw(true, undefined, [[500, 1_200]])).toEqual(['1,200 rows', '']);
  });

  it('draws nothing for short work, or in a pipe', () => {
    expect(draw(true, 10, [[300, 10]])).toEqual([]);
    expect(draw(false, 10, [[900, 10]])).toEqual([]);
  });
});
