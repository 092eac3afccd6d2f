// Describes a change and its numbers in a sentence.
import type { AgentEventKind, SuspectedChange } from '@quarterdeck/core';

/** Parts of the sentence. */
export interface Explained extends Pick<SuspectedChange, 'kind' | 'field' | 'from' | 'to' | 'affected' | 'unaffected'> {
  /** Number of different values. */
  readonly values: number;
  /** Seconds to look back. */
  readonly withinS: number;
}

/** Returns the sentence. */
export function explain(change: Explained): string {
  const { affected, unaffected, withinS } = change;
  const who =
    affected.of === 1 ? 'The only agent with this error' : `${affected.with} of ${affected.of} agents with this error`;
  const others =
    unaffected.of === 0
      ? 'there are no other agents'
      : `${unaffected.with === 0 ? 'none' : unaffected.with} of ${unaffected.of} ${plural(unaffected.of, 'other')} did`;
  return `${who} ${actionOf(change)} within ${span(withinS)} before it; ${others}.`;
}

const plural = (n: number, noun: string) => (n === 1 ? noun : `${noun}s`);

function span(seconds: number): string {
  if (seconds === 3600) return 'an hour';
  if (seconds % 3600 === 0) return `${seconds / 3600} hours`;
  if (seconds === 60) return 'a minute';
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}

const ACTIONS: Partial<Record<AgentEventKind, string>> = {
  registered: 'registered',
  restored: 'came back from deletion',
  online: 'came online',
  restarted: 'restarted the agent',
  rebooted: 'rebooted',
  cloned: 'turned up twice',
};

/** Returns the change in the past tense, for one agent as for many. */
function actionOf({ kind, field, from, to, values }: Explained): string {
  const simple = ACTIONS[kind];
  if (simple !== undefined) return simple;
  if (kind === 'offline') return field === '' ? 'went offline' : `went offline (${field})`;
  if (kind === 'operation') return `had the operation ${field} ${to}`.trimEnd();
  const what = kind === 'changed' || field === '' ? field || kind : `${nouns[kind] ?? kind} ${field}`;
  if (values > 1) return `changed ${what} to ${values} different values`;
  return `changed ${what}${from === '' ? '' : ` from ${from}`}${to === '' ? '' : ` to ${to}`}`;
}

const nouns: Partial<Record<AgentEventKind, string>> = { settings: 'the setting', labels: 'the label' };
