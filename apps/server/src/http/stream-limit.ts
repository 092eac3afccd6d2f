// Bound on the open event streams of a user. A stream lives in one process, and so does its count.
import { AppError } from '@quarterdeck/core';

/** Seconds after which a refused client may try again. */
const RETRY_AFTER_S = 10;

/** Counts open streams. */
export interface StreamLimit {
  /**
   * Counts one more stream of a user. Returns a function that ends it; call it once.
   *
   * @throws AppError `stream_limit_reached`
   */
  open(userId: number): () => void;
}

/** Creates {@link StreamLimit}. */
export function createStreamLimit(max: number): StreamLimit {
  const counts = new Map<number, number>();
  return {
    open(userId) {
      const count = counts.get(userId) ?? 0;
      if (count >= max) {
        const detail = `At most ${max} event streams at this server.`;
        throw new AppError('stream_limit_reached', { detail, retryAfterS: RETRY_AFTER_S });
      }
      counts.set(userId, count + 1);
      return () => {
        const left = (counts.get(userId) ?? 1) - 1;
        if (left === 0) counts.delete(userId);
        else counts.set(userId, left);
      };
    },
  };
}
