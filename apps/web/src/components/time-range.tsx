// The time range: one of the usual spans, or one that was dragged over a chart.
import './form.css';
import { type FormEvent, useState } from 'react';
import { LAST, type Range, readRange } from '../data/range.ts';
import { text } from '../text/common.ts';
import { rangeText } from '../text/range.ts';
import { minuteTime } from '../words/format.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FormProblem } from './form-problem.tsx';

export interface TimeRangeProps {
  readonly range: Range;
  readonly onChange: (range: Range) => void;
}

const SPAN = 'span';
const OTHER = 'other';

/** The choice of the range. */
export function TimeRange({ range, onChange }: TimeRangeProps) {
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const choose = (value: string): void => {
    if (value === OTHER) setAsking(true);
    const seconds = LAST.get(value);
    if (value === 'all') onChange({ kind: 'all' });
    else if (seconds !== undefined) onChange({ kind: 'last', span: value, seconds });
  };
  const take = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const read = readRange(String(new FormData(event.currentTarget).get('range') ?? ''), Date.now());
    if ('problem' in read) {
      setProblem(read.problem);
      return;
    }
    setProblem(null);
    setAsking(false);
    onChange(read.value);
  };
  return (
    <>
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
          {range.kind === 'last' && !LAST.has(range.span) && (
            <option value={range.span}>{rangeText.last(range.span)}</option>
          )}
          <option value="all">{rangeText.all}</option>
          {range.kind === 'span' && (
            <option value={SPAN}>
              {rangeText.span(
                minuteTime(range.startS * 1000),
                range.endS === undefined ? rangeText.now : minuteTime(range.endS * 1000),
              )}
            </option>
          )}
          <option value={OTHER}>{rangeText.other}</option>
        </select>
      </label>
      {isAsking && (
        <Dialog title={rangeText.label} onClose={() => setAsking(false)}>
          <form onSubmit={take}>
            <FormProblem text={problem} />
            <label className="field">
              {rangeText.typed}
              <input name="range" placeholder={rangeText.examples} autoComplete="off" autoCapitalize="none" required />
            </label>
            <div className="buttons">
              <Button type="submit" look="main">
                {rangeText.take}
              </Button>
              <Button onClick={() => setAsking(false)}>{text.actions.cancel}</Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
