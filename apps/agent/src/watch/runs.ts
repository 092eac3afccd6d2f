// Compares services that run: started, stopped, failed and restarted ones.
import type { HostChangeKind } from '@quarterdeck/core';
import type { FoundChange, Look, Observed } from '../observe/watcher.ts';

/** A service, as whatever runs it tells. */
export interface Run {
  /** State, with the reason of a failure. */
  readonly state: string;
  /** Identifies one run of the service; '' where nothing runs. */
  readonly run: string;
  /** Automatic restarts. */
  readonly restarts: number;
  /** Unix milliseconds of the last change of its state. */
  readonly changedMs: number;
}

const RESTARTING = 'restarted automatically';

/** The state that was reported last, the run and the restarts, as one value. */
const pack = (state: string, { run, restarts }: Run): string => [state, run, restarts].join('\t');

/** Reads a service from an observation. The time of its change is not in it. */
export function unpackRun(value = ''): Run {
  const [state = '', run = '', restarts = ''] = value.split('\t');
  return { state, run, restarts: Number(restarts), changedMs: 0 };
}

/** Compares one service. Automatic restarts are one state until a look finds no new one. */
function compareRun(one: Run, last: string): { value: string; from?: string; to: string } {
  const before = unpackRun(last);
  const state = one.restarts > before.restarts ? RESTARTING : one.state;
  const value = pack(state, one);
  const isNewRun = one.run !== before.run && one.run !== '' && before.run !== '';
  if (state !== before.state) return { value, from: before.state, to: state };
  return isNewRun && state !== RESTARTING ? { value, from: state, to: `${state}, restarted` } : { value, to: state };
}

/** Compares services with their last observation. */
export function compareRuns(kind: HostChangeKind, before: Observed | undefined, runs: ReadonlyMap<string, Run>): Look {
  const observed: Record<string, string> = {};
  const changes: FoundChange[] = [];
  for (const [field, one] of runs) {
    const last = before?.[field];
    const { value, from, to } =
      last === undefined ? { value: pack(one.state, one), to: one.state } : compareRun(one, last);
    observed[field] = value;
    const isNew = last === undefined && before !== undefined;
    const atMs = one.changedMs;
    if (from !== undefined || isNew) changes.push({ kind, field, from: from ?? '', to, ...(atMs > 0 ? { atMs } : {}) });
  }
  for (const field of Object.keys(before ?? {}).filter((name) => !runs.has(name))) {
    changes.push({ kind, field, from: unpackRun(before?.[field]).state, to: '' });
  }
  return { observed, changes };
}
