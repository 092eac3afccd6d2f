// Waits until the verdict on a change is settled.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeEffects } from '@quarterdeck/core';

/** Time between two looks at least ... */
const PAUSE_MS = 2_000;
/** ... and as a multiple of the time that one takes: a wait is at most a sixth of a processor. */
const PAUSE_FACTOR = 5;
/** Requests that wait at one time. Further ones are answered at once, as those without a wait are. */
const WAITING_MAX = 200;

/** Length of a wait, and its early end. */
export interface Wait {
  readonly waitS: number;
  /** Aborted when the server stops or the caller has gone: the present state is the answer. */
  readonly ended: AbortSignal;
}

/** Creates the function that looks at effects until they are settled or the time is over. */
export function createVerdictWait(): (look: () => Promise<ChangeEffects>, wait: Wait) => Promise<ChangeEffects> {
  let waiting = 0;
  return async (look, { waitS, ended }) => {
    const endMs = performance.now() + waitS * 1000;
    const mayWait = waitS > 0 && waiting < WAITING_MAX;
    waiting += 1;
    try {
      for (;;) {
        const startMs = performance.now();
        const effects = await look();
        const nowMs = performance.now();
        const pauseMs = Math.min(endMs - nowMs, Math.max(PAUSE_MS, PAUSE_FACTOR * (nowMs - startMs)));
        if (effects.settled || !mayWait || pauseMs <= 0 || ended.aborted) return effects;
        // It rejects when it is aborted; the next look is then the answer.
        await sleep(pauseMs, undefined, { signal: ended }).catch(() => undefined);
      }
    } finally {
      waiting -= 1;
    }
  };
}
