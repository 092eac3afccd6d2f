// After an upgrade with new rules of fingerprints: changes all groups while the server answers. Log lines are refused
// meanwhile, and their senders try again: they would open groups that exist under a former fingerprint.
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@quarterdeck/core';
import { errlogStore } from '@quarterdeck/store';
import type { ErrlogNeeds } from './needs.ts';

const RETRY_MS = 1_000;
const RETRY_AFTER_S = 5;

/** The change of all groups to the rules of this version. */
export interface FingerprintUpgrade {
  /** Starts the change where it is needed. Resolves when it has begun, not when it is done. */
  start(): Promise<void>;
  /** @throws AppError `overloaded` while the change runs */
  checkDone(): void;
  close(): Promise<void>;
}

export function createFingerprintUpgrade({ db, log }: Pick<ErrlogNeeds, 'db' | 'log'>): FingerprintUpgrade {
  const store = errlogStore(db);
  let isClosed = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    const startMs = performance.now();
    log.info('Groups of errors get the fingerprints of this version; log lines are taken again afterwards.');
    while (!isClosed) {
      try {
        await store.refingerprint(() => isClosed);
        break;
      } catch (error) {
        log.warn({ err: error }, 'The fingerprints of groups could not be changed; trying again.');
        await delay(RETRY_MS);
      }
    }
    if (isClosed) return;
    running = undefined;
    log.info({ ms: Math.round(performance.now() - startMs) }, 'All groups of errors have their new fingerprints.');
  }

  return {
    async start() {
      if (await store.hasOldFingerprints()) running = run();
    },
    checkDone() {
      if (running === undefined) return;
      const message = 'The server is changing its groups of errors after an upgrade. Send the lines again later.';
      throw new AppError('overloaded', { message, retryAfterS: RETRY_AFTER_S });
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}
