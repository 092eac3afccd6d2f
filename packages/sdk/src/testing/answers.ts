// The answers that a test has given to a fake.
import { sleep, systemClock } from '../request/clock.ts';
import type { AnswerOptions } from './fake-types.ts';

/** Computes an answer from the parsed input and the headers. The signal is that of the request. */
export type Compute = (call: object, signal: AbortSignal) => unknown;

interface Answer {
  readonly compute: Compute;
  readonly delayMs: number;
  left: number;
}

/** Answers by the name of their endpoint. */
export interface Answers {
  add(name: string, compute: Compute, options: AnswerOptions): void;
  /** Computes the answer to a call; `otherwise` where the test gave none. */
  compute(name: string, call: object, signal: AbortSignal, otherwise: Compute): Promise<unknown>;
}

/** Creates a store of answers. */
export function createAnswers(): Answers {
  const stacks = new Map<string, Answer[]>();
  return {
    add(name, compute, { times = Number.POSITIVE_INFINITY, delayMs = 0 }) {
      // An answer for all calls replaces the others, one for some calls precedes them.
      const others = Number.isFinite(times) ? (stacks.get(name) ?? []) : [];
      stacks.set(name, [{ compute, delayMs, left: times }, ...others]);
    },
    async compute(name, call, signal, otherwise) {
      const answer = stacks.get(name)?.find(({ left }) => left > 0);
      if (answer === undefined) return otherwise(call, signal);
      answer.left -= 1;
      if (answer.delayMs > 0) await sleep(systemClock, answer.delayMs, signal);
      return answer.compute(call, signal);
    },
  };
}
