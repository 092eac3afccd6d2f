// Reads the lines: the newest, older and newer ones near the ends, again after a failure, and the stream of new lines.

import { failureOf } from '@quarterdeck/views/failures';
import {
  cursorOf,
  EMPTY,
  isOpenEnded,
  LINES_PER_PAGE,
  type LineQuery,
  type LinesAction,
  type LinesState,
  linesReducer,
  listLines,
} from '@quarterdeck/views/lines';
import { locateCursor } from '@quarterdeck/views/lists';
import { createFeed } from '@quarterdeck/views/live';
import { retryDelayMs } from '@quarterdeck/views/reads';
import { type Dispatch, useCallback, useEffect, useReducer, useRef } from 'react';
import { useDashboard } from '../../context/dashboard.ts';

/** Lines of a request on the way to an old line. */
const SEEK_PAGE = 1_000;
/** Shortest time between two changes of the screen by new lines, milliseconds. */
const BATCH_MS = 500;

/** The lines and their actions. */
export interface LinesModel {
  readonly state: LinesState;
  readonly dispatch: Dispatch<LinesAction>;
  /** True while new lines can come: the range of time does not end in the past. */
  readonly isLive: boolean;
}

interface Reads {
  readonly state: LinesState;
  readonly dispatch: Dispatch<LinesAction>;
  readonly report: (error: unknown) => void;
  readonly active: boolean;
}

/** Reads the newest lines, and again whenever the state asks. */
function useNewest({ state, dispatch, report, active }: Reads): void {
  const { client, now } = useDashboard();
  const { query, reads, meta } = state;
  // Lines that are loaded already are not read again because the screen is opened again.
  const wanted = active || meta !== null;
  useEffect(() => {
    if (!wanted || query === EMPTY.query) return;
    const controller = new AbortController();
    listLines(client, query, controller.signal)
      .then((page) => {
        if (!controller.signal.aborted) dispatch({ type: 'loaded', page, atMs: now() });
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) report(error);
      });
    return () => controller.abort();
    // A change of the number starts a read.
  }, [client, query, reads, wanted, now, dispatch, report]);
}

/** Reads again after a temporary failure, at growing intervals. */
function useRetry({ state: { failure }, dispatch, active }: Reads): void {
  const failures = useRef(0);
  useEffect(() => {
    if (failure === null) failures.current = 0;
    if (failure?.kind !== 'unreachable' || !active) return;
    const timer = setTimeout(() => dispatch({ type: 'refresh' }), retryDelayMs(failures.current++));
    return () => clearTimeout(timer);
  }, [failure, active, dispatch]);
}

/** Reads older lines when the selection comes near the first row, or on the way to the oldest line. */
function useOlder({ state, dispatch, report, active }: Reads, height: number): void {
  const { client } = useDashboard();
  const { query, older, meta, rows, failure, seekS } = state;
  const isSeeking = seekS !== null;
  const { index } = locateCursor(
    cursorOf(state, height),
    rows.map(({ id }) => id),
    height,
  );
  const wanted = active && meta !== null && failure === null && (isSeeking || index < 2 * height);
  const place = wanted ? older : null;
  useEffect(() => {
    if (place === null) return;
    const controller = new AbortController();
    const limit = isSeeking ? SEEK_PAGE : LINES_PER_PAGE;
    listLines(client, { ...query, ...place, limit }, controller.signal)
      .then((page) => {
        if (!controller.signal.aborted) dispatch({ type: 'loadedOlder', place, page });
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) report(error);
      });
    return () => controller.abort();
  }, [client, query, place, isSeeking, dispatch, report]);
}

/** Reads newer lines that were removed, when the selection comes near the last row. */
function useNewer({ state, dispatch, report, active }: Reads, height: number): void {
  const { client } = useDashboard();
  const { query, newer, rows, failure, cursor } = state;
  const index = cursor === null ? rows.length : rows.findIndex(({ id }) => id === cursor.id);
  const after = typeof newer === 'object' ? newer.after : null;
  const wanted = active && failure === null && index + 2 * height >= rows.length;
  useEffect(() => {
    if (after === null || !wanted) return;
    const controller = new AbortController();
    listLines(client, { ...query, after }, controller.signal)
      .then((page) => {
        if (!controller.signal.aborted) dispatch({ type: 'loadedNewer', page });
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) report(error);
      });
    return () => controller.abort();
  }, [client, query, after, wanted, dispatch, report]);
}

/** Reads the stream of new lines while the screen is visible. */
function useStream({ state: { query }, dispatch, active }: Reads, isLive: boolean): void {
  const { client, fail, now } = useDashboard();
  const { filter = '' } = query;
  const wanted = active && isLive && query !== EMPTY.query;
  useEffect(() => {
    if (!wanted) return;
    const feed = createFeed(client, { now, fail, everyMs: BATCH_MS, lines: filter });
    const stopReading = feed.onEvents((events) => dispatch({ type: 'events', events }));
    feed.start();
    return () => {
      stopReading();
      feed.stop();
    };
  }, [client, fail, now, wanted, filter, dispatch]);
}

/** The lines of a query, which must be stable, in a table of `height` rows. */
export function useLines(query: LineQuery, height: number, visible: boolean): LinesModel {
  const { online, fail, now } = useDashboard();
  const [state, dispatch] = useReducer(linesReducer, EMPTY);
  useEffect(() => dispatch({ type: 'reset', query }), [query]);
  const report = useCallback(
    (error: unknown): void => {
      fail(error);
      dispatch({ type: 'failed', failure: failureOf(error) });
    },
    [fail],
  );
  const isLive = isOpenEnded(query, now() / 1000);
  const reads: Reads = { state, dispatch, report, active: online && visible };
  useNewest(reads);
  useRetry(reads);
  useOlder(reads, height);
  useNewer(reads, height);
  useStream(reads, isLive);
  return { state, dispatch, isLive };
}
