// Reads from the server: at once, on events, after a temporary failure, and when the device wakes up.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSession } from '../session/session.tsx';
import { failureOf } from './failure.ts';
import { type Concerns, useLive } from './live.tsx';
import type { Query } from './query.ts';

/** Longest wait before a failed read is repeated, milliseconds. */
const RETRY_MAX_MS = 15_000;
/** Data older than this is read again when the page becomes visible, milliseconds. */
const FRESH_MS = 10_000;

/** Shortest time between two reads because of events, milliseconds. */
const LIVE_MS = 1_000;

/** Options of {@link useRead}. */
export interface ReadOptions {
  /** If false, nothing is read. */
  readonly enabled?: boolean;
  /** Events that make the data stale. */
  readonly concerns?: Concerns;
}

/** Result of {@link useRead}. */
export interface Read<T> extends Query<T> {
  readonly refresh: () => void;
}

interface State<T> extends Query<T> {
  /** The function that read the data: data of another one is not shown. */
  readonly of: unknown;
}

const NOTHING = { data: undefined, atMs: undefined, failure: undefined };
const NEVER: Concerns = () => false;

/** Reads with `read`, which must be stable. Unmounting aborts the read. */
export function useRead<T>(read: (signal: AbortSignal) => Promise<T>, options: ReadOptions = {}): Read<T> {
  const { enabled = true, concerns = NEVER } = options;
  const { onFailure } = useSession();
  const [state, setState] = useState<State<T>>({ ...NOTHING, of: read });
  const [turn, setTurn] = useState(0);
  const failures = useRef(0);
  const atMs = useRef(0);
  const refresh = useCallback(() => setTurn((n) => n + 1), []);

  // A change of the number starts a read.
  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    read(controller.signal)
      .then((data) => {
        if (controller.signal.aborted) return;
        failures.current = 0;
        atMs.current = Date.now();
        setState({ data, atMs: atMs.current, failure: undefined, of: read });
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        const failure = failureOf(error);
        onFailure(error);
        setState((before) => ({ ...(before.of === read ? before : NOTHING), failure, of: read }));
        if (failure.isTemporary) timer = setTimeout(refresh, Math.min(RETRY_MAX_MS, 1000 * 2 ** failures.current++));
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [read, enabled, turn, onFailure, refresh]);

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

  // A storm of events is one read at a time.
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLive(concerns, () => {
    clearTimeout(later.current);
    later.current = setTimeout(refresh, Math.max(0, atMs.current + LIVE_MS - Date.now()));
  });
  useEffect(() => () => clearTimeout(later.current), []);
  const { of, ...query } = state;
  return { ...(of === read ? query : NOTHING), refresh };
}
