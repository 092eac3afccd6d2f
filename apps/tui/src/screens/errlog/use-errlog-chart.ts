// The chart over the list.

import type { ErrlogFilter } from '@quarterdeck/views/errlog';
import type { Completeness } from '@quarterdeck/views/reads';
import type { TimeRange } from '@quarterdeck/views/times';
import { type ChartWindow, rangeOf, rangeText, windowOf } from '@quarterdeck/views/times';
import { use, useMemo, useState } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import { DrawingContext } from '../../components/text.tsx';
import { useDashboard } from '../../context/dashboard.ts';
import type { Line } from '../../theme/lines.ts';
import { type ChartSize, chartBuckets, chartLines, chartRows } from '../shared/errlog-chart.ts';
import { useHistogram } from './use-errlog-extras.ts';

/** The chart, its rows on the screen, and its time. */
export interface ErrlogChart {
  readonly lines: readonly Line[];
  /** 0 where there is no room for it. */
  readonly rows: number;
  /** Completeness of the counts; undefined without them. */
  readonly meta: Completeness | undefined;
  readonly window: ChartWindow;
  readonly setWindow: (window: ChartWindow) => void;
  /** The time of a chart that was moved, in words; empty for others. */
  readonly moved: string;
  /** Makes the chart high, hides it, and makes it low again. */
  readonly toggle: () => void;
}

/** The size after each one. */
const NEXT: Readonly<Record<ChartSize, ChartSize>> = { low: 'high', high: 'closed', closed: 'low' };

interface ErrlogChartOptions {
  readonly visible: boolean;
  readonly hasDetail: boolean;
  readonly nowMs: number;
}

/** Counts over time of the entries that pass the filter. */
export function useErrlogChart(filter: ErrlogFilter, { visible, hasDetail, nowMs }: ErrlogChartOptions): ErrlogChart {
  const { width, height } = useFrame();
  const { glyphs, range, zone } = useDashboard();
  // A chart that was moved stays there until the range changes.
  const [moved, setMoved] = useState<{ readonly range: TimeRange | null; readonly window: ChartWindow } | null>(null);
  const nowS = range?.kind === 'since' ? Math.ceil(nowMs / 60_000) * 60 : 0;
  const ranged = useMemo(() => windowOf(range, nowS), [range, nowS]);
  const isMoved = moved?.range === range;
  const window = isMoved ? moved.window : ranged;
  const [size, setSize] = useState<ChartSize>('low');
  // A screen reader cannot read a chart.
  const isDrawn = use(DrawingContext) !== 'words';
  const rows = isDrawn ? chartRows(height, size, hasDetail) : 0;
  const histogram = useHistogram(filter, window, chartBuckets(width, glyphs), visible && rows > 0);
  const lines = useMemo(
    () =>
      histogram === undefined
        ? []
        : chartLines(histogram, {
            width,
            rows,
            isNow: window.endS === null,
            fits: range === null && !isMoved,
            glyphs,
            nowMs,
          }),
    [histogram, width, rows, window, range, isMoved, glyphs, nowMs, zone],
  );
  return {
    lines,
    rows,
    meta: histogram?.meta,
    window,
    setWindow: (next) => setMoved({ range, window: next }),
    moved: isMoved && rows > 0 ? `chart: ${rangeText(rangeOf(window), nowMs)}` : '',
    toggle: () => setSize((present) => NEXT[present]),
  };
}
