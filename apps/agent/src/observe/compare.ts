// Compares two observations of a host.
import type { HostChangeKind } from '@quarterdeck/core';
import { clean } from '../facts/clean.ts';
import type { FoundChange, Observed } from './watcher.ts';

/** Most characters of a field or value of a change. */
const TEXT_MAX = 500;
/** Most changes of one look; more become one that counts them. */
const CHANGES_MAX = 200;

/** Cleans text of the host for an observation. */
export const cleanValue = (text: string, max = TEXT_MAX): string => clean(text, max);

interface CompareOptions {
  readonly kind: HostChangeKind;
  /** Unix milliseconds at which a value changed, where the host tells. */
  readonly timeOf?: (field: string) => number | undefined;
  /** Name of the values in the change that counts many, such as `packages`. */
  readonly plural: string;
}

/**
 * Finds the values that differ, are new or have gone. Keys that begin with `#` are notes of the watcher, not values of
 * the host.
 */
export function compare(before: Observed | undefined, now: Observed, options: CompareOptions): FoundChange[] {
  if (before === undefined) return [];
  const { kind, plural, timeOf = () => undefined } = options;
  const change = (field: string, from: string, to: string): FoundChange => {
    const atMs = timeOf(field);
    return { kind, field, from, to, ...(atMs === undefined ? {} : { atMs }) };
  };
  const changes: FoundChange[] = [];
  for (const field of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const from = before[field] ?? '';
    const to = now[field] ?? '';
    if (from !== to && !field.startsWith('#')) changes.push(change(field, from, to));
  }
  if (changes.length <= CHANGES_MAX) return changes;
  return [change(plural, '', countsOf(changes))];
}

function countsOf(changes: readonly FoundChange[]): string {
  const added = changes.filter(({ from }) => from === '').length;
  const removed = changes.filter(({ to }) => to === '').length;
  return `${added} added, ${removed} removed, ${changes.length - added - removed} changed`;
}
