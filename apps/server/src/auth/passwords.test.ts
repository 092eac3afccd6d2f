import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createPasswords } from './passwords.ts';

const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const PASSWORD = 'correct horse battery staple';

describe('passwords', () => {
  it('are hashed with argon2id, 64 MiB and three passes', async () => {
    const { hash, verify } = await createPasswords();
    const stored = await hash(PASSWORD);
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
    expect(await verify(stored, PASSWORD)).toBe(true);
  });

  it('match as a whole, in every Unicode form of the same characters, and otherwise not', async () => {
    const { hash, verify } = await createPasswords(CHEAP);
    const stored = await hash('crème brûlée'.normalize('NFD'));
    expect(await verify(stored, 'crème brûlée'.normalize('NFC'))).toBe(true);
    expect(await verify(stored, 'creme brulee')).toBe(false);
    expect(await verify(stored, '')).toBe(false);
    expect(await verify(await hash('x'.repeat(200)), 'x'.repeat(199))).toBe(false);
  });

  it('never match without a user', async () => {
    const { verify } = await createPasswords(CHEAP);
    for (const password of ['', PASSWORD, 'nobody has this password']) {
      expect(await verify(undefined, password)).toBe(false);
    }
  });

  it('are not verified after too long a wait, which leaves room for the next', async () => {
    let isLate = false;
    const { hash, verify } = await createPasswords(CHEAP, () => isLate);
    const stored = await hash(PASSWORD);
    isLate = true;
    for (let n = 0; n < 30; n += 1)
      await expect(verify(stored, PASSWORD)).rejects.toMatchObject({ code: 'overloaded' });
    isLate = false;
    expect(await verify(stored, PASSWORD)).toBe(true);
  });

  it('are hashed a few at a time; sixteen wait, and more are refused', async () => {
    const { hash, verify } = await createPasswords(CHEAP);
    const room = Math.max(1, availableParallelism() - 1) + 16;
    const stored = await hash(PASSWORD);
    // A hash that cannot be read fails, and gives its room back.
    await expect(verify('no hash', PASSWORD)).rejects.toThrow();
    for (let round = 0; round < 2; round += 1) {
      const outcomes = await Promise.allSettled(Array.from({ length: room + 2 }, () => verify(stored, PASSWORD)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual(
        Array(room).fill({ status: 'fulfilled', value: true }),
      );
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(reasons).toHaveLength(2);
      for (const reason of reasons) {
        expect(reason).toMatchObject({ code: 'overloaded', message: expect.stringContaining('try again') });
      }
    }
  });
});
