// The time range: one of the usual spans, or one that was dragged over a chart.
import { LAST, type Range } from '../data/range.ts';
import { rangeText } from '../text/range.ts';
import { minuteTime } from '../words/format.ts';

/** Properties of {@link TimeRange}. */
export interface TimeRangeProps {
  readonly range: Range;
  readonly onChange: (range: Range) => void;
}

const SPAN = 'span';

/** The choice of the range. */
export function TimeRange({ range, onChange }: TimeRangeProps) {
  const choose = (value: string): void => {
    const seconds = LAST.get(value);
    if (value === 'all') onChange({ kind: 'all' });
    else if (seconds !== undefined) onChange({ kind: 'last', span: value, seconds });
  };
  return (
    <label className="choice">
      <span className="visually-hidden">{rangeText.label}</span>
      <select
        value={range.kind === 'last' ? range.span : range.kind === 'all' ? 'all' : SPAN}
        onChange={({ target }) => choose(target.value)}
      >
        {[...LAST.keys()].map((last) => (
          <option key={last} value={last}>
            {rangeText.last(last)}
          </option>
        ))}
        <option value="all">{rangeText.all}</option>
        {range.kind === 'span' && (
          <option value={SPAN}>
            {rangeText.span(
              minuteTime(range.startS * 1000),
              range.endS === undefined ? rangeText.now : minuteTime(range.endS * 1000),
            )}
          </option>
        )}
      </select>
    </label>
  );
}
