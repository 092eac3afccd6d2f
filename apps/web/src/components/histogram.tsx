// Counts over time as bars. A drag over the bars chooses a span; with keys, the field of the time range does. A table
// has the same numbers for those who do not see the bars.
import './histogram.css';
import { type PointerEvent, useRef, useState } from 'react';
import { chartText } from '../text/chart.ts';
import { minuteTime, numberText } from '../words/format.ts';
import { levelTone } from './badges.tsx';

export interface Bar {
  /** Start, Unix seconds. */
  readonly time: number;
  readonly count: number;
  /** Part of the count that is drawn as bad. */
  readonly bad: number;
}

export interface HistogramProps {
  readonly bars: readonly Bar[];
  /** Seconds of a bar. */
  readonly step: number;
  /** Noun of what is counted, in the plural. */
  readonly noun: string;
  /** Called with the ends of a dragged span, Unix seconds, the end exclusive. */
  readonly onSelect?: (startS: number, endS: number) => void;
}

/** Bars of lines or errors by level. */
export const levelBars = (
  buckets: readonly { readonly time: number; readonly count: number; readonly levels: readonly number[] }[],
): Bar[] =>
  buckets.map(({ time, count, levels }) => ({
    time,
    count,
    bad: levels.reduce((sum, n, level) => (levelTone(level) === 'bad' ? sum + n : sum), 0),
  }));

/** Height of the drawing, in its own units. */
const HEIGHT = 100;

interface Drag {
  readonly from: number;
  readonly to: number;
}

export function Histogram({ bars, step, noun, onSelect }: HistogramProps) {
  const startS = bars[0]?.time ?? 0;
  const endS = (bars.at(-1)?.time ?? 0) + step;
  const [drag, setDrag] = useState<Drag | null>(null);
  const area = useRef<HTMLDivElement>(null);
  const max = Math.max(1, ...bars.map(({ count }) => count));
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  if (bars.length === 0) return null;

  const barAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = area.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return Math.min(bars.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * bars.length)));
  };
  const spanOf = ({ from, to }: Drag): [startS: number, endS: number] => {
    const timeAt = (index: number): number => bars[index]?.time ?? startS;
    return [timeAt(Math.min(from, to)), timeAt(Math.max(from, to)) + step];
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (onSelect === undefined || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ from: barAt(event), to: barAt(event) });
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (drag !== null) setDrag({ ...drag, to: barAt(event) });
  };
  const onPointerUp = (): void => {
    setDrag(null);
    if (drag !== null && drag.from !== drag.to) onSelect?.(...spanOf(drag));
  };
  const times = drag === null ? [startS, endS] : spanOf(drag);
  const [from, to] = times.map((timeS) => minuteTime(timeS * 1000));
  const summary = chartText.summary(numberText(total), noun, minuteTime(startS * 1000), minuteTime(endS * 1000));

  return (
    <figure className="histogram">
      <div
        ref={area}
        className="histogram-area"
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => setDrag(null)}
      >
        <svg viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
          {bars.map(({ time, count, bad }, index) => {
            const height = (count / max) * HEIGHT;
            const badHeight = count === 0 ? 0 : height * (bad / count);
            return (
              <g key={time}>
                <rect className="bar" x={index + 0.1} y={HEIGHT - height} width={0.8} height={height - badHeight} />
                <rect className="bar bar-bad" x={index + 0.1} y={HEIGHT - badHeight} width={0.8} height={badHeight} />
              </g>
            );
          })}
          {drag !== null && (
            <rect
              className="histogram-drag"
              x={Math.min(drag.from, drag.to)}
              y={0}
              width={Math.abs(drag.to - drag.from) + 1}
              height={HEIGHT}
            />
          )}
        </svg>
      </div>
      <figcaption>
        <span>{from}</span>
        <span>{chartText.most(numberText(max))}</span>
        <span>{to}</span>
      </figcaption>
      <details>
        <summary>{chartText.table}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{chartText.time}</th>
              <th scope="col">{noun}</th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter(({ count }) => count > 0)
              .map(({ time, count }) => (
                <tr key={time}>
                  <td>{minuteTime(time * 1000)}</td>
                  <td>{numberText(count)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
