// Tells errors that a host has not had lately from those that it goes on having.

import { LEVEL_ERROR } from '@quarterdeck/core';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import type { WireLine } from './wire-line.ts';

/** An error that was away for this long is new again. */
const AWAY_MS = 3_600_000;
/** Errors that are remembered; the oldest are forgotten. */
const REMEMBERED_MAX = 500;
/** Texts that are examined in a second, so that a flood of errors costs little. A known text needs no examination. */
const EXAMINED_PER_S = 25;
/** Texts whose error is known, and the length of a text that is kept. */
const TEXTS_MAX = 500;
const TEXT_LENGTH_MAX = 1_000;

export class NewErrors {
  readonly #now: () => number;
  /** Time of the last line of each error, the oldest first. */
  readonly #seenMs = new Map<string, number>();
  /** Errors by their texts, each behind its service. */
  readonly #known = new Map<string, string>();
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
    const error = this.#errorOf(log, service ?? '', nowMs);
    if (error === undefined) return false;
    const seenMs = this.#seenMs.get(error);
    this.#seenMs.delete(error);
    this.#seenMs.set(error, nowMs);
    const [oldest] = this.#seenMs.keys();
    if (this.#seenMs.size > REMEMBERED_MAX && oldest !== undefined) this.#seenMs.delete(oldest);
    return seenMs === undefined || nowMs - seenMs > AWAY_MS;
  }

  /** Returns the fingerprint of a text; undefined when too many were examined in this second. */
  #errorOf(log: string, service: string, nowMs: number): string | undefined {
    const text = `${service}\0${log}`;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) [this.#second, this.#examined] = [second, 0];
    this.#examined += 1;
    if (this.#examined > EXAMINED_PER_S) return undefined;
    const error = fingerprint(log, service);
    if (this.#known.size >= TEXTS_MAX) this.#known.clear();
    if (text.length <= TEXT_LENGTH_MAX) this.#known.set(text, error);
    return error;
  }
}
