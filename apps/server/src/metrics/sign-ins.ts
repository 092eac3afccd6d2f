// Counts sign-ins by outcome: `ok`, or the code of the error.
import { AppError } from '@quarterdeck/core';

/** A method with its count. */
export interface CountedSignIn<Login> {
  readonly login: Login;
  /** Sign-ins since the start by outcome. */
  readonly outcomes: () => Readonly<Record<string, number>>;
}

/** Counts the calls of a login. */
export function countSignIns<Call, Result>(
  login: (call: Call) => Promise<Result>,
): CountedSignIn<(call: Call) => Promise<Result>> {
  const counts = new Map<string, number>();
  const count = (outcome: string) => counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return {
    async login(call) {
      try {
        const result = await login(call);
        count('ok');
        return result;
      } catch (error) {
        count(error instanceof AppError ? error.code : 'failed');
        throw error;
      }
    },
    outcomes: () => Object.fromEntries(counts),
  };
}
