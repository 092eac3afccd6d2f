// Logs one line per request: address, method, path and outcome. With the access log its level is info, else debug.
// Queries may hold personal text and headers hold credentials, so neither is logged. Secrets of this server in a path
// are removed.

import { pathOf, type Step } from '@quarterdeck/express/parts';
import type { Logger } from 'pino';
import { addressOf } from './caller.ts';

const SECRET = /(qd_[a-z]_)\w+/g;
const SECOND_MS = 1000;

/**
 * Logs each request when it is done. Beyond `accessLogRate` requests in a second the access log leaves requests out,
 * and its next line says how many.
 */
export function requestLog(log: Logger, accessLogRate: number | undefined): Step {
  const sample = accessLogRate === undefined ? undefined : new Sample(accessLogRate);
  const level = sample === undefined ? 'debug' : 'info';
  return (req, res) => {
    if (!log.isLevelEnabled(level)) return;
    const startedAt = performance.now();
    const { method } = req;
    const path = pathOf(req).replace(SECRET, '$1...');
    res.once('close', () => {
      const endedAt = performance.now();
      const skipped = sample === undefined ? 0 : sample.take(endedAt);
      if (skipped === undefined) return;
      const duration_ms = Math.round(endedAt - startedAt);
      const line = { request_id: req.id, address: addressOf(req), method, path, status: res.statusCode, duration_ms };
      log[level](skipped === 0 ? line : { ...line, skipped }, 'request');
    });
  };
}

/** Lets a number of requests through in each second. */
class Sample {
  readonly #rate: number;
  #second = 0;
  #taken = 0;
  #skipped = 0;

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Takes a request at a time. Returns the number left out before it; undefined where it is left out itself. */
  take(atMs: number): number | undefined {
    const second = Math.floor(atMs / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#taken = 0;
    }
    if (this.#taken >= this.#rate) {
      this.#skipped += 1;
      return undefined;
    }
    this.#taken += 1;
    const skipped = this.#skipped;
    this.#skipped = 0;
    return skipped;
  }
}
