// The moment at which hosts are looked at: now, or a time of the last 30 days.
import './moment.css';
import { useEffect, useState } from 'react';
import { hostsText } from '../text/hosts.ts';
import { fullTime } from '../words/format.ts';
import { Button } from './button.tsx';

const DAYS = 30;
/** Steps of the slider, seconds. */
const STEP_S = 300;
/** Wait before a moved slider counts, milliseconds. */
const REST_MS = 250;

export interface MomentProps {
  /** Unix seconds; undefined for now. */
  readonly at: number | undefined;
  readonly onChange: (at: number | undefined) => void;
}

/** Reads a moment of an address; undefined for now. */
export function momentOf(params: URLSearchParams): number | undefined {
  const at = params.get('at') ?? '';
  return /^\d{1,12}$/.test(at) ? Number(at) : undefined;
}

const stepOf = (timeS: number): number => Math.floor(timeS / STEP_S) * STEP_S;

export function Moment({ at, onChange }: MomentProps) {
  const [endS] = useState(() => stepOf(Date.now() / 1000));
  const startS = endS - DAYS * 86_400;
  const [moved, setMoved] = useState<number | null>(null);
  const value = moved ?? at ?? endS;
  useEffect(() => {
    if (moved === null) return;
    const timer = setTimeout(() => {
      setMoved(null);
      onChange(moved >= endS ? undefined : moved);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [moved, endS, onChange]);
  const shown = value >= endS ? hostsText.atNow : fullTime(value * 1000);
  return (
    <div className="moment">
      <label>
        <span>{hostsText.at}</span>
        <input
          type="range"
          min={startS}
          max={endS}
          step={STEP_S}
          value={Math.min(endS, Math.max(startS, value))}
          title={hostsText.atHint}
          aria-valuetext={shown}
          onChange={({ target }) => setMoved(Number(target.value))}
        />
      </label>
      <output>{shown}</output>
      {at !== undefined && <Button onClick={() => onChange(undefined)}>{hostsText.atNow}</Button>}
    </div>
  );
}
