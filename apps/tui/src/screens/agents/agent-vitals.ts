// Vitals of a host in the last hours: a sparkline of each resource. Pure.
import { type AgentVitalsRead, VITALS_HOURS, type VitalsRow, vitalsRows } from '@quarterdeck/views/agents';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { momentText } from '@quarterdeck/views/text';
import { sparkline } from '../../components/charts/sparkline.ts';
import { paragraph, queryLines } from '../../components/list/detail-lines.ts';
import { fit, width as widthOf } from '../../text/width.ts';
import type { Glyphs } from '../../theme/glyphs.ts';
import type { Line, Run } from '../../theme/lines.ts';

/** Widths of a chart, columns. Where there is less room, the words are below it. */
const CHART = { least: 12, most: 72 };
/** Widest label, columns. */
const LABEL_MAX = 24;

/** A chart whose steps over the limit have another tone: runs of equal tones. */
function chartRuns({ steps, limit }: VitalsRow, { spark }: Glyphs): Run[] {
  const runs: { values: number[]; isOver: boolean }[] = [];
  for (const step of steps) {
    const isOver = step !== null && step > limit;
    const last = runs.at(-1);
    if (last?.isOver === isOver) last.values.push(step ?? 0);
    else runs.push({ values: [step ?? 0], isOver });
  }
  // A load may be far over 100 %.
  const top = Math.max(100, ...steps.map((step) => step ?? 0));
  return runs.map(({ values, isOver }) => ({
    text: sparkline(values, values.length, spark, top),
    tone: isOver ? 'bad' : 'accent',
  }));
}

/** The vitals as rows: a label, a chart and words. */
export function vitalsLines(query: Query<AgentVitalsRead>, glyphs: Glyphs, nowMs: number, width: number): Line[] {
  if (!hasData(query)) return queryLines(query, 'Reading how busy it was…', width);
  const { startS, endS } = query.data;
  const known = vitalsRows(query.data, 1);
  if (known.length === 0) {
    return paragraph(`The host has not reported how busy it was in these ${VITALS_HOURS} hours.`, width, 'muted');
  }
  const label = Math.min(LABEL_MAX, Math.max(...known.map((row) => widthOf(row.label))));
  const words = Math.max(...known.map(({ text }) => widthOf(text))) + 2;
  const room = width - label - 2;
  const isBeside = room - words >= CHART.least;
  const columns = Math.max(1, Math.min(CHART.most, isBeside ? room - words : room));
  const span = `From ${momentText(startS, nowMs)} to ${momentText(endS, nowMs)}, the highest of each step`;
  return [
    ...paragraph(span, width, 'strong'),
    ...vitalsRows(query.data, columns).flatMap((row): Line[] => {
      const chart: Line = [{ text: `${fit(row.label, label)}  `, tone: 'muted' }, ...chartRuns(row, glyphs)];
      const tone = row.isOver ? 'bad' : 'plain';
      if (isBeside) return [[...chart, { text: '  ' }, { text: row.text, tone }]];
      return [chart, ...paragraph(row.text, width - 2, tone).map((line): Line => [{ text: '  ' }, ...line])];
    }),
  ];
}
