// Describes a change and its numbers in a sentence.
import type { AgentEventKind, MergedChange, SuspectedChange } from '@quarterdeck/core';
import { isStop } from './evidence.ts';

/** Parts of the sentence. */
export interface Explained extends MergedChange, Pick<SuspectedChange, 'affected' | 'unaffected' | 'before'> {
  /** Number of different values. */
  readonly values: number;
  /** Seconds to look back. */
  readonly withinS: number;
}

/** Returns the sentence. */
export function explain(change: Explained): string {
  const { affected, withinS } = change;
  const who =
    affected.of === 1 ? 'The only agent with this error' : `${affected.with} of ${affected.of} agents with this error`;
  return `${who} ${actionOf(change)} within ${spanText(withinS)} before it; ${othersText(change)}.`;
}

/** Tells how many of the other agents did it too. */
function othersText({ affected, unaffected, before }: Explained): string {
  if (unaffected.of === 0) return 'there are no other agents';
  if (affected.with === affected.of && unaffected.with === unaffected.of) {
    return before === 0 ? 'everybody did, as it began' : `everybody did, ${spanText(rounded(before))} before`;
  }
  const number = unaffected.with === 0 ? 'none' : unaffected.with;
  return `${number} of ${unaffected.of} ${plural(unaffected.of, 'other')} did`;
}

/** Rounds to minutes what is longer than one. */
const rounded = (seconds: number) => (seconds < MINUTE_S ? seconds : Math.round(seconds / MINUTE_S) * MINUTE_S);

/** Returns the form of a noun for a number. */
export const plural = (n: number, noun: string) => (n === 1 ? noun : `${noun}s`);

const HOUR_S = 3600;
const MINUTE_S = 60;
const NUMBERS = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Returns a length of time in whole units: `an hour`, `two minutes`, `90 seconds`. */
function spanText(seconds: number): string {
  if (seconds === HOUR_S) return 'an hour';
  if (seconds % HOUR_S === 0) return `${seconds / HOUR_S} hours`;
  if (seconds === MINUTE_S) return 'a minute';
  if (seconds % MINUTE_S === 0) return `${NUMBERS[seconds / MINUTE_S] ?? seconds / MINUTE_S} minutes`;
  return `${seconds} ${plural(seconds, 'second')}`;
}

const ACTIONS: Partial<Record<AgentEventKind, string>> = {
  registered: 'registered',
  restored: 'came back from deletion',
  online: 'came online',
  restarted: 'restarted the agent',
  rebooted: 'rebooted',
  cloned: 'turned up twice',
};
const NOUNS: Partial<Record<AgentEventKind, string>> = {
  settings: 'the setting',
  labels: 'the label',
  config: 'the file',
  program: 'the program',
  package: 'the package',
  certificate: 'the certificate',
  unit: 'the unit',
  disk: 'the space of',
  dns: 'the name servers',
  time_zone: 'the time zone',
  container: 'the container',
};
/** Kinds of which there is one on a host: their field says nothing more. */
const SINGLE: ReadonlySet<AgentEventKind> = new Set(['dns', 'time_zone']);

/** Returns the change in the past tense, for one agent as for many. */
export function actionOf({ kind, field, name, from, to, values }: MergedChange & { values: number }): string {
  const simple = ACTIONS[kind];
  if (simple !== undefined) return simple;
  if (kind === 'offline') return field === '' ? 'went offline' : `went offline (${field})`;
  if (kind === 'operation') return `had the operation ${field} ${to}`.trimEnd();
  if (kind === 'package' && values <= 1 && (from === '') !== (to === '')) {
    return from === '' ? `installed the package ${field} ${to}` : `removed the package ${field} ${from}`;
  }
  if (values <= 1 && isStop({ kind, field, to })) return `no longer ran ${field.replace(/ \(running\)$/, '')}`;
  // The values of clocks are steps, such as `set forward by 2 s`.
  if (kind === 'clock') return `had the clock ${values <= 1 && to !== '' ? to : 'set'}`;
  const what = subjectOf(kind, field, name);
  // The values of files are hashes.
  if (kind === 'config') return `changed ${what}`;
  const verb = kind === 'change' ? 'had' : 'changed';
  if (values > 1) return `${verb} ${what} to ${values} different values`;
  return `${verb} ${what}${from === '' ? '' : ` from ${from}`}${to === '' ? '' : ` to ${to}`}`;
}

function subjectOf(kind: AgentEventKind, field: string, name: string): string {
  if (kind === 'change') return `the ${field} of ${name}`;
  if (kind === 'changed' || field === '') return field || kind;
  const noun = NOUNS[kind] ?? kind;
  return SINGLE.has(kind) ? noun : `${noun} ${field}`;
}
