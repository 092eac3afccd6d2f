// Latency of the server, for the frame.
import type { RequestInfo } from '@quarterdeck/sdk';
import { useEffect, useState } from 'react';
import type { Log } from './log.ts';
import { latencyMs } from './requests.ts';

/** Delay of an update, because answers come in bursts, milliseconds. */
const SETTLE_MS = 1_000;

/** Returns the latency, milliseconds; undefined before the first answers. */
export function useLatency(requests: Log<RequestInfo>): number | undefined {
  const [latency, setLatency] = useState(() => latencyMs(requests.entries()));
  useEffect(() => {
    let timer: NodeJS.Timeout | undefined;
    const unsubscribe = requests.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setLatency(latencyMs(requests.entries()));
      }, SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [requests]);
  return latency;
}
