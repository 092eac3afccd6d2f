// The loaded lines of a query, newest first: read in blocks towards the past, and followed as they arrive.
import type { Client, Line } from '@quarterdeck/sdk';
import { type Failure, failureOf } from '@quarterdeck/views/failures';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { useSession } from '../../session/session.tsx';
import { type LinesQuery, requestOf } from './lines-query.ts';
import { EMPTY_LINES, type LinesState, linesReducer } from './lines-state.ts';

/** Lines of a request. */
const BLOCK = 300;
/** Shortest time between two changes of the page by new lines, milliseconds. */
const BATCH_MS = 250;
const RETRY_MS = 3_000;

/** The lines, and what can be asked of them. */
export interface Lines {
  readonly state: LinesState;
  readonly readOlder: () => void;
  readonly hold: (isHeld: boolean) => void;
  readonly refresh: () => void;
}

const nowS = (): number => Math.floor(Date.now() / 1000);

/** Reads the lines of a query, which must be stable. */
export function useLines(query: LinesQuery): Lines {
  const { client, onFailure } = useSession();
  const [state, dispatch] = useReducer(linesReducer, EMPTY_LINES);
  const { before, turn } = state;
  const isReading = useRef(false);

  const fail = useCallback(
    (error: unknown): Failure => {
      onFailure(error);
      const failure = failureOf(error);
      dispatch({ type: 'failed', failure });
      return failure;
    },
    [onFailure],
  );

  // A change of the number starts a read.
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    isReading.current = false;
    dispatch({ type: 'started', of: query });
    client.line
      .list({ query: { ...requestOf(query, nowS()), limit: BLOCK } }, { signal: controller.signal })
      .then(({ data, meta }) => {
        if (!controller.signal.aborted) dispatch({ type: 'read', lines: data, meta, atMs: Date.now() });
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        if (fail(error).kind === 'unreachable') timer = setTimeout(() => dispatch({ type: 'refresh' }), RETRY_MS);
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [client, query, turn, fail]);

  const readOlder = useCallback(() => {
    if (before === null || isReading.current) return;
    isReading.current = true;
    client.line
      .list({ query: { ...requestOf(query, nowS()), before, limit: BLOCK } })
      .then(({ data, meta }) => dispatch({ type: 'older', of: query, before, lines: data, meta }))
      .catch(fail)
      .finally(() => {
        isReading.current = false;
      });
  }, [client, query, before, fail]);

  useEffect(() => {
    if (!query.isLive) return;
    const controller = new AbortController();
    void follow(client, query, controller.signal, (lines, missed) =>
      dispatch({ type: 'arrived', lines, missed }),
    ).catch((error: unknown) => {
      if (!controller.signal.aborted) fail(error);
    });
    return () => controller.abort();
  }, [client, query, fail]);

  const hold = useCallback((isHeld: boolean) => dispatch({ type: 'hold', isHeld }), []);
  const refresh = useCallback(() => dispatch({ type: 'refresh' }), []);
  return { state, readOlder, hold, refresh };
}

/** Passes new lines on in batches, the newest first, with the number of those that came too fast. */
async function follow(
  client: Client,
  { filters }: LinesQuery,
  signal: AbortSignal,
  pass: (lines: readonly Line[], missed: number) => void,
): Promise<void> {
  let lines: Line[] = [];
  let missed = 0;
  const timer = setInterval(() => {
    if (lines.length === 0 && missed === 0) return;
    pass(lines.reverse(), missed);
    lines = [];
    missed = 0;
  }, BATCH_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  const { group, ...filter } = filters;
  const selection =
    group === undefined ? filter : { ...filter, filter: `${filter.filter ?? ''} group:${group}`.trim() };
  for await (const event of client.events({ types: ['line'], filter: selection, signal })) {
    if (event.type === 'line') lines.push(event.data);
    else if (event.type === 'line.missed') missed += event.data.count;
  }
}
