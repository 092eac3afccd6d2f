// Passwords: argon2id, with a bound on how many are computed at once, so that a flood of logins can take neither all
// memory (64 MiB each) nor all cores.
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '@quarterdeck/core';

/** Cost of a hash. OWASP's floor is 19,456 KiB, 2 passes, 1 lane. */
export interface Argon2Cost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** What the server uses; about 40 ms of one core. */
export const ARGON2_COST: Argon2Cost = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };

const QUEUE_MAX = 16;

/** Makes and checks password hashes. */
export interface Passwords {
  /** A PHC string. */
  hash(password: string): Promise<string>;
  /**
   * Whether the password fits the hash. Without a hash (no such user) the same work is done and the answer is no, so
   * that the time of the answer does not tell which names exist.
   *
   * @throws AppError `overloaded` where too many are waiting
   */
  verify(storedHash: string | undefined, password: string): Promise<boolean>;
}

/** One form for what a person types, whatever their keyboard composes it of (NIST SP 800-63B 3.1.1.2). */
const normalise = (password: string): string => password.normalize('NFC');

/** Passwords with a cost. The library's default algorithm is argon2id. */
export async function createPasswords(cost: Argon2Cost = ARGON2_COST): Promise<Passwords> {
  const slots = Math.max(1, availableParallelism() - 1);
  const waiting: (() => void)[] = [];
  let running = 0;

  const exclusively = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= slots) {
      if (waiting.length >= QUEUE_MAX)
        throw new AppError('overloaded', { message: 'Too many sign-ins at once; try again shortly.' });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // The slot passes straight to the next in line, so nobody can slip in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };

  const make = (password: string) => hash(normalise(password), cost);
  const nobody = await make('nobody has this password');

  return {
    hash: (password) => exclusively(() => make(password)),
    verify: (storedHash, password) =>
      exclusively(async () => {
        const fits = await verify(storedHash ?? nobody, normalise(password));
        return fits && storedHash !== undefined;
      }),
  };
}
