// The chart over the list.
import { use, useMemo, useState } from 'react';
import { useFrame } from '../../components/frame/screen-frame.tsx';
import { DrawingContext } from '../../components/text.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import type { ErrlogFilter } from '../../data/errlog.ts';
import type { Line } from '../../text/lines.ts';
import { type ChartWindow, LAST_DAY } from './chart-window.ts';
import { chartBuckets, chartLines, chartRows } from './errlog-chart.ts';
import { useHistogram } from './use-errlog-extras.ts';

/** The chart, its rows on the screen, and its time. */
export interface ErrlogChart {
  readonly lines: readonly Line[];
  /** 0 where there is no room for it. */
  readonly rows: number;
  readonly window: ChartWindow;
  readonly setWindow: (window: ChartWindow) => void;
  readonly toggle: () => void;
}

interface ErrlogChartOptions {
  readonly visible: boolean;
  readonly hasDetail: boolean;
  readonly nowMs: number;
}

/** Counts over time of the entries that pass the filter. */
export function useErrlogChart(filter: ErrlogFilter, { visible, hasDetail, nowMs }: ErrlogChartOptions): ErrlogChart {
  const { width, height } = useFrame();
  const { glyphs } = useDashboard();
  const [window, setWindow] = useState<ChartWindow>(LAST_DAY);
  const [isOpen, setOpen] = useState(true);
  // A screen reader cannot read a chart.
  const isDrawn = use(DrawingContext) !== 'words';
  const rows = chartRows(height, isOpen && isDrawn, hasDetail);
  const histogram = useHistogram(filter, window, chartBuckets(width, glyphs), visible && rows > 0);
  const lines = useMemo(
    () => (histogram === undefined ? [] : chartLines(histogram, { width, rows, window, glyphs, nowMs })),
    [histogram, width, rows, window, glyphs, nowMs],
  );
  return { lines, rows, window, setWindow, toggle: () => setOpen((open) => !open) };
}
