// Tells errors that a host has not had lately from those that it goes on having.

import { LEVEL_ERROR } from '@quarterdeck/core';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import type { WireLine } from './wire-line.ts';

/** An error that was away for this long is new again. */
const AWAY_MS = 3_600_000;
/** Errors that are remembered; the oldest are forgotten. */
const REMEMBERED_MAX = 500;
/** Lines that are examined in a second, so that a flood of errors costs little. */
const EXAMINED_PER_S = 100;

export class NewErrors {
  readonly #now: () => number;
  /** Time of the last line of each error, the oldest first. */
  readonly #seenMs = new Map<string, number>();
  #second = 0;
  #examined = 0;

  /** `now` is the time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a line; returns whether it is a new error. */
  note({ level, log, service }: Pick<WireLine, 'level' | 'log' | 'service'>): boolean {
    if (typeof level !== 'number' || level > LEVEL_ERROR) return false;
    const nowMs = this.#now();
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) [this.#second, this.#examined] = [second, 0];
    this.#examined += 1;
    if (this.#examined > EXAMINED_PER_S) return false;
    const error = fingerprint(log, service);
    const seenMs = this.#seenMs.get(error);
    this.#seenMs.delete(error);
    this.#seenMs.set(error, nowMs);
    const [oldest] = this.#seenMs.keys();
    if (this.#seenMs.size > REMEMBERED_MAX && oldest !== undefined) this.#seenMs.delete(oldest);
    return seenMs === undefined || nowMs - seenMs > AWAY_MS;
  }
}
