// Reads from the server: at once, on events, after a temporary failure, and when the device wakes up.
import type { Client } from '@quarterdeck/sdk';
import { type Failure, failureOf } from '@quarterdeck/views/failures';
import { useCallback, useEffect, useRef, useState } from 'react';
import { keepAnswer, keptAnswer } from '../api/kept-answers.ts';
import { useSession } from '../session/session.tsx';
import { type Concerns, useLive } from './live.tsx';

/** Longest wait before a failed read is repeated, milliseconds. */
const RETRY_MAX_MS = 15_000;
/** Data older than this is read again when the page becomes visible, milliseconds. */
const FRESH_MS = 10_000;
/** Shortest time between two reads because of events, milliseconds. */
const LIVE_MS = 1_000;

export interface ReadOptions {
  /** If false, nothing is read. */
  readonly enabled?: boolean;
  /** Events that make the data stale. */
  readonly concerns?: Concerns;
  /** Name under which the answer is kept for the way back. */
  readonly key?: string;
  /** If true, the answer of the function before is shown until that of this one is there. */
  readonly showsBefore?: boolean;
}

/** State of a read. The last data is kept when a later read fails. */
interface Query<T> {
  readonly data: T | undefined;
  /** Time of the data, Unix milliseconds. */
  readonly atMs: number | undefined;
  /** Failure of the latest read; undefined if that succeeded, or is the first. */
  readonly failure: Failure | undefined;
}

export interface Read<T> extends Query<T> {
  readonly refresh: () => void;
}

interface State<T> extends Query<T> {
  /** The function that read the data. */
  readonly of: unknown;
}

const NOTHING = { data: undefined, atMs: undefined, failure: undefined };
const NEVER: Concerns = () => false;

/** Reads, and again when one of `inputs` changes, as with the inputs of an effect. Unmounting aborts the read. */
export function useRead<T>(
  request: (client: Client, call: { readonly signal: AbortSignal }) => Promise<T>,
  inputs: readonly unknown[],
  options: ReadOptions = {},
): Read<T> {
  const { enabled = true, concerns = NEVER, key, showsBefore = false } = options;
  const { client, onFailure } = useSession();
  const read = useCallback((signal: AbortSignal) => request(client, { signal }), [client, ...inputs]);
  const [state, setState] = useState<State<T>>(() => {
    const kept = keptAnswer(key);
    return { ...NOTHING, ...(kept as Partial<Query<T>> | undefined), of: read };
  });
  const [turn, setTurn] = useState(0);
  const failures = useRef(0);
  const atMs = useRef(0);
  const isReading = useRef(false);
  /** True where an event came while a read was on its way. */
  const isStale = useRef(false);
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = useCallback(() => setTurn((n) => n + 1), []);
  const refreshIn = useCallback(
    (delayMs: number) => {
      clearTimeout(later.current);
      later.current = setTimeout(refresh, delayMs);
    },
    [refresh],
  );

  // A change of the number starts a read.
  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    isReading.current = true;
    read(controller.signal)
      .then((data) => {
        if (controller.signal.aborted) return;
        failures.current = 0;
        atMs.current = Date.now();
        if (key !== undefined) keepAnswer(key, { data, atMs: atMs.current });
        setState({ data, atMs: atMs.current, failure: undefined, of: read });
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        const failure = failureOf(error);
        onFailure(error);
        setState((before) => ({ ...(before.of === read ? before : NOTHING), failure, of: read }));
        if (failure.kind === 'unreachable') refreshIn(Math.min(RETRY_MAX_MS, 1000 * 2 ** failures.current++));
      })
      .finally(() => {
        if (controller.signal.aborted) return;
        isReading.current = false;
        if (isStale.current) refreshIn(LIVE_MS);
        isStale.current = false;
      });
    return () => {
      controller.abort();
      clearTimeout(later.current);
    };
  }, [read, enabled, turn, key, onFailure, refreshIn]);

  useEffect(() => {
    const wake = (): void => {
      if (document.visibilityState === 'visible' && Date.now() - atMs.current > FRESH_MS) refresh();
    };
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('online', wake);
    return () => {
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('online', wake);
    };
  }, [refresh]);

  // A storm of events is one read at a time, and never ends one that is on its way.
  useLive(concerns, () => {
    if (isReading.current) isStale.current = true;
    else refreshIn(Math.max(0, atMs.current + LIVE_MS - Date.now()));
  });
  const { of, ...query } = state;
  return { ...(of === read || showsBefore ? query : NOTHING), refresh };
}
