// Bound on the long answers of a user: event streams and exports. Each lives in one process, and so does its count.
import { type Actor, AppError } from '@quarterdeck/core';
import type { Request, Response } from 'express';

/** Seconds after which a refused client may try again. */
const RETRY_AFTER_S = 10;

/** Counts the long answers of one kind. */
export interface UserLimit {
  /**
   * Counts an answer of a user until it is closed. HEAD ends at once and does not count.
   *
   * @throws AppError with the code of the kind, where the user has as many already
   */
  count(req: Pick<Request, 'method'>, res: Response, actor: Actor): void;
}

/** Creates {@link UserLimit} for at most `max` answers of a user; `noun` names them in the refusal. */
export function createUserLimit(
  max: number,
  code: 'stream_limit_reached' | 'export_limit_reached',
  noun: string,
): UserLimit {
  const counts = new Map<number, number>();
  return {
    count({ method }, res, actor) {
      // The `close` of a client that has left was emitted already.
      if (method === 'HEAD' || actor.kind !== 'user' || res.destroyed) return;
      const { userId } = actor;
      const open = counts.get(userId) ?? 0;
      if (open >= max) {
        throw new AppError(code, { detail: `At most ${max} ${noun} at this server.`, retryAfterS: RETRY_AFTER_S });
      }
      counts.set(userId, open + 1);
      res.once('close', () => {
        const left = (counts.get(userId) ?? 1) - 1;
        if (left === 0) counts.delete(userId);
        else counts.set(userId, left);
      });
    },
  };
}
