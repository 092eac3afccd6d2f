// Bounds the memory of answers that their clients have not taken yet, over all connections of this process.
import type { ServerResponse } from 'node:http';
import { AppError } from '@quarterdeck/core';

/** Bytes that wait to be sent at most; beyond, answers are refused. */
export const UNSENT_MAX = 64 * 1024 * 1024;
/** Bytes that the system takes at once where nothing waits on a connection: such an answer is sent in any case. */
export const TAKEN_AT_ONCE = 32 * 1024;

let total = 0;
const held = new WeakMap<ServerResponse, number>();

/** Bytes that wait to be sent. */
export const unsentBytes = (): number => total;

/** Sets the bytes that an answer holds now, until it is closed. */
export function holdUnsent(res: ServerResponse, bytes: number): void {
  const before = held.get(res);
  if (before === undefined) {
    if (bytes === 0 || res.destroyed) return;
    res.once('close', () => {
      total -= held.get(res) ?? 0;
      held.delete(res);
    });
  }
  total += bytes - (before ?? 0);
  held.set(res, bytes);
}

/**
 * Admits an answer, and holds its bytes until it is sent. An answer larger than the limit is admitted while no other
 * waits: it could never be sent otherwise.
 *
 * @throws AppError `overloaded` while other answers hold too much
 */
export function admitUnsent(res: ServerResponse, bytes: number): void {
  const isTaken = bytes <= TAKEN_AT_ONCE && res.socket !== null && res.writableLength === 0;
  if (!isTaken && total > 0 && total + bytes > UNSENT_MAX) throw new AppError('overloaded');
  holdUnsent(res, bytes);
}
