// The lines of the same source around a line, in the place of the list. More are read near both ends.
import type { Line } from '@quarterdeck/core';
import { reportFailure } from '@quarterdeck/views/actions';
import {
  AROUND,
  appendLines,
  LINES_AROUND,
  type LineRow,
  linesAround,
  prependLines,
  rowOf,
} from '@quarterdeck/views/lines';
import { type Cursor, locateCursor, moveBy, moveTo } from '@quarterdeck/views/lists';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';

export interface AroundLines {
  readonly line: Line;
  readonly rows: readonly LineRow[];
  readonly cursor: Cursor;
  /** True for the ends of which all lines are loaded. */
  readonly isWhole: { readonly before: boolean; readonly after: boolean };
}

/** The lines around one, and the way there and back. */
export interface Around {
  /** Null while the list is shown. */
  readonly shown: AroundLines | null;
  /** Shows the lines around the line with an id. */
  readonly enter: (id: string) => void;
  readonly leave: () => void;
  readonly by: (delta: number) => void;
  readonly to: (index: number) => void;
}

/** The lines as they are shown first: the line itself is selected, in the middle of `height` rows. */
function firstShown(lines: readonly Line[], id: string, height: number): AroundLines | null {
  const index = lines.findIndex((one) => one.id === id);
  const line = lines[index];
  if (line === undefined) return null;
  const rows = lines.map(rowOf);
  return {
    line,
    rows,
    cursor: { id: rows[index]?.id ?? null, index, line: Math.floor(height / 2) },
    isWhole: { before: index < LINES_AROUND, after: lines.length - 1 - index < LINES_AROUND },
  };
}

/** Adds lines that were read at one end. */
function withMore(before: AroundLines, lines: readonly Line[], end: 'before' | 'after'): AroundLines {
  const isWhole = { ...before.isWhole, [end]: lines.length <= LINES_AROUND };
  const { rows } = before;
  return {
    ...before,
    isWhole,
    rows: end === 'before' ? prependLines(lines.toReversed(), rows) : appendLines(rows, lines),
  };
}

/** The end to read at, with the id of its line; null while the selection is far from both. */
function endToRead({ rows, cursor, isWhole }: AroundLines, height: number) {
  const { index } = locateCursor(
    cursor,
    rows.map(({ id }) => id),
    height,
  );
  if (!isWhole.before && index < height) return { end: 'before', id: rows[0]?.line.id ?? '' } as const;
  if (!isWhole.after && index + height >= rows.length) return { end: 'after', id: rows.at(-1)?.line.id ?? '' } as const;
  return null;
}

/** Reads the lines around a line when asked. */
export function useAround(height: number): Around {
  const { client, fail, say } = useDashboard();
  const [shown, setShown] = useState<AroundLines | null>(null);
  const reading = useRef<AbortController | null>(null);
  useEffect(() => () => reading.current?.abort(), []);
  const read = useCallback(
    (id: string, sides: typeof AROUND, signal: AbortSignal, onLines: (lines: readonly Line[]) => void): void => {
      linesAround(client, id, sides, signal)
        .then((lines) => {
          if (!signal.aborted) onLines(lines);
        })
        .catch((error: unknown) => {
          if (!signal.aborted) reportFailure({ say, fail })(error);
        });
    },
    [client, fail, say],
  );
  const enter = (id: string): void => {
    reading.current?.abort();
    const controller = new AbortController();
    reading.current = controller;
    read(id, AROUND, controller.signal, (lines) => setShown(firstShown(lines, id, height)));
  };
  const wanted = shown === null ? null : endToRead(shown, height);
  const { end, id = '' } = wanted ?? {};
  useEffect(() => {
    if (end === undefined) return;
    const controller = new AbortController();
    read(id, { before: 0, after: 0, [end]: LINES_AROUND }, controller.signal, (lines) =>
      setShown((before) => before && withMore(before, lines, end)),
    );
    return () => controller.abort();
  }, [end, id, read]);
  const move = (next: (cursor: Cursor, ids: readonly number[]) => Cursor): void =>
    setShown((before) => {
      if (before === null) return null;
      const ids = before.rows.map((row) => row.id);
      return { ...before, cursor: next(before.cursor, ids) };
    });
  return {
    shown,
    enter,
    leave: useCallback(() => {
      reading.current?.abort();
      setShown(null);
    }, []),
    by: (delta) => move((cursor, ids) => moveBy(cursor, ids, height, delta)),
    to: (index) => move((cursor, ids) => moveTo(cursor, ids, height, index)),
  };
}
