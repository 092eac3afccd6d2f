import { describe, expect, it } from 'vitest';
import { WriteSize } from './write-size.ts';

/** A size, and a function that lets a write of some errors take a time. */
function sizeOf(dialect: 'sqlite' | 'postgresql') {
  let nowMs = 0;
  const size = new WriteSize(dialect, () => nowMs);
  const write = (errors: number, ms: number, error?: Error) =>
    size.measure(errors, async () => {
      nowMs += ms;
      if (error !== undefined) throw error;
    });
  return { size, write };
}

describe('the size of a write', () => {
  it('doubles at most, while writes take less than a second', async () => {
    const { size, write } = sizeOf('postgresql');
    expect(size.errors).toBe(6_000);
    await write(6_000, 100);
    expect(size.errors).toBe(12_000);
    await write(12_000, 800);
    expect(size.errors).toBe(15_000);
    await write(15_000, 500);
    expect(size.errors).toBe(24_000);
  });

  it('stays small on SQLite, where everything else waits', async () => {
    const { size, write } = sizeOf('sqlite');
    await write(6_000, 10);
    expect(size.errors).toBe(6_000);
  });

  it('falls to what a slow database stores in a second', async () => {
    const { size, write } = sizeOf('sqlite');
    await write(6_000, 3_000);
    expect(size.errors).toBe(2_000);
    await write(2_000, 60_000);
    expect(size.errors).toBe(500);
  });

  it('falls when a write takes too long, and does not rise when one is refused at once', async () => {
    const { size, write } = sizeOf('postgresql');
    const busy = new Error('busy');
    await expect(write(6_000, 4_500, busy)).rejects.toBe(busy);
    expect(size.errors).toBe(1_333);
    await expect(write(1_333, 1, busy)).rejects.toBe(busy);
    expect(size.errors).toBe(1_333);
  });

  it('does not judge by writes of few errors', async () => {
    const { size, write } = sizeOf('postgresql');
    await write(20, 900);
    expect(size.errors).toBe(6_000);
  });
});
