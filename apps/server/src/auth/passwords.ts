// Hashes passwords with argon2id. Few hashes run in parallel, so that a flood of sign-ins takes neither all memory (64
// MiB each) nor all cores.
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '@quarterdeck/core';

/** Cost of a hash. OWASP's floor is 19,456 KiB, 2 passes, 1 lane. */
export interface Argon2Cost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** Cost of the server's hashes; about 40 ms of one core. */
export const ARGON2_COST: Argon2Cost = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };

const QUEUE_MAX = 16;

/** Hashes and verifies passwords. */
export interface Passwords {
  /** Hashes a password; returns a PHC string. */
  hash(password: string): Promise<string>;
  /**
   * Verifies a password. Without a hash (unknown user) it does the same work and returns false: the time of the answer
   * must not reveal which usernames exist.
   *
   * @throws AppError `overloaded` where too many are waiting
   */
  verify(storedHash: string | undefined, password: string): Promise<boolean>;
  stats(): PasswordStats;
}

/** Hashes of now. */
export interface PasswordStats {
  readonly running: number;
  readonly waiting: number;
}

const tooMany = () => new AppError('overloaded', { message: 'Too many sign-ins at once; try again in a few seconds.' });

/** Normalises typed text, which keyboards compose in different ways (NIST SP 800-63B 3.1.1.2). */
const normalise = (password: string): string => password.normalize('NFC');

/**
 * Creates {@link Passwords} of a cost. The library's default algorithm is argon2id. `isLate` tells whether a hash that
 * waited for so many milliseconds is to be refused.
 */
export async function createPasswords(
  cost: Argon2Cost = ARGON2_COST,
  isLate: (waitedMs: number) => boolean = () => false,
): Promise<Passwords> {
  const slots = Math.max(1, availableParallelism() - 1);
  const waiting: (() => void)[] = [];
  let running = 0;

  const exclusively = async <T>(work: () => Promise<T>): Promise<T> => {
    const sinceMs = performance.now();
    if (running >= slots) {
      if (waiting.length >= QUEUE_MAX) throw tooMany();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      if (isLate(performance.now() - sinceMs)) throw tooMany();
      return await work();
    } finally {
      // The slot passes straight to the next in line.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };

  const make = (password: string) => hash(normalise(password), cost);
  const nobody = await make('nobody has this password');

  return {
    stats: () => ({ running, waiting: waiting.length }),
    hash: (password) => exclusively(() => make(password)),
    verify: (storedHash, password) =>
      exclusively(async () => {
        const fits = await verify(storedHash ?? nobody, normalise(password));
        return fits && storedHash !== undefined;
      }),
  };
}
