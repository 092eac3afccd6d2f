// Describes a window in a few sentences: the error, its hosts and its time, the change that explains it, the next step.
import type { ChangeWindow, OverLimit, SharedLabel, SuspectedChange } from '@quarterdeck/core';
import { actionOf, plural } from './change-text.ts';

/** A window without its text. */
export interface DescribedWindow {
  readonly window: Pick<ChangeWindow, 'kind' | 'affected' | 'label'>;
  readonly changes: readonly SuspectedChange[];
  readonly vitals: readonly Pick<OverLimit, 'explanation'>[];
  /** Text of the error. */
  readonly log: string;
  /** Some of the affected hosts. */
  readonly hostnames: readonly string[];
  /** First and last beginning on an agent (Unix seconds). */
  readonly span: readonly [number, number];
  /** Number of affected hosts whose agents have not reported since before it began. */
  readonly silent: number;
}

/** Most characters of an error that are repeated. */
const LOG_MAX = 100;
const HOSTS_MAX = 3;
/** Least score of a change that stands out. */
const STANDS_OUT_FROM = 0.2;
/** Two changes cannot be distinguished if one is at most so many times as probable as the other. */
const ALIKE = 2;

/** Returns lines of text: the error, its explanation, resources over their limits, how sure it is and what to do. */
export function describeWindow(described: DescribedWindow): string {
  const { window, changes, vitals } = described;
  if (window.affected === 0) return `${beginning(described)}.`;
  const [explanation, ...sure] = verdict(window.label, changes);
  const lines = [
    `${beginning(described)} on ${hostsText(described)}${timeText(described)}.`,
    explanation,
    ...vitals.map((over) => over.explanation),
    [...sure, ...silenceText(described), nextStep(described)].join(' '),
  ];
  return lines.join('\n');
}

function beginning({ window: { kind }, log }: DescribedWindow): string {
  const line = log.split('\n', 1)[0] ?? '';
  const text = line.length > LOG_MAX ? `${line.slice(0, LOG_MAX)}…` : line;
  return `“${text}” ${kind === 'first_seen' ? 'began' : 'became more frequent'}`;
}

function hostsText({ window: { affected }, hostnames }: DescribedWindow): string {
  const named = hostnames.slice(0, HOSTS_MAX);
  const more = affected - named.length;
  const names = [...named, ...(more > 0 && named.length > 0 ? [`${more} more`] : [])];
  return `${affected} ${plural(affected, 'host')}${names.length === 0 ? '' : ` (${names.join(', ')})`}`;
}

function timeText({ span: [first, last] }: DescribedWindow): string {
  const [from, to] = [first, last].map((time) => new Date(time * 1000).toISOString().slice(0, 19).replace('T', ' '));
  return from === to ? ` at ${from} UTC` : ` between ${from} and ${to} UTC`;
}

/** True where the first of some changes, or one of the first two, is more than chance. */
export function standsOut([best, second]: readonly SuspectedChange[]): boolean {
  return best !== undefined && best.score + (isAlike(best, second) ? (second?.score ?? 0) : 0) >= STANDS_OUT_FROM;
}

const isAlike = (best: SuspectedChange, second: SuspectedChange | undefined): boolean =>
  second !== undefined && best.score <= second.score * ALIKE;

/** States what explains the error, and how sure that is. */
function verdict(label: SharedLabel | null, changes: readonly SuspectedChange[]): string[] {
  const [best, second] = changes;
  if (best !== undefined && best.strength !== 'weak') return [best.explanation, `A ${best.strength} cause.`];
  if (label !== null) return [labelText(label)];
  if (best === undefined || !standsOut(changes)) return ['Nothing stands out.'];
  if (second === undefined || !isAlike(best, second)) return [best.explanation, 'Weak evidence.'];
  const names = [best, second].map((change) => actionOf({ ...change, values: 1 }));
  return [best.explanation, `Two changes cannot be distinguished: ${names.join(', and ')}.`];
}

function labelText({ name, value, affected }: SharedLabel): string {
  const who = affected.with === affected.of ? 'All' : `${affected.with} of ${affected.of}`;
  return `${who} on ${name}=${value}; no change explains it.`;
}

function silenceText({ window: { affected }, silent }: DescribedWindow): string[] {
  if (silent === 0) return [];
  const who = `${silent} of ${affected} ${plural(affected, 'host')} ${silent === 1 ? 'has' : 'have'}`;
  return [`${who} not reported since before it began: changes there are not known yet.`];
}

function nextStep({ changes: [best], hostnames }: DescribedWindow): string {
  const host = best?.agents[0]?.hostname ?? hostnames[0];
  if (best !== undefined && best.url !== '') return `Next: open ${best.url}.`;
  return best?.has_diff === true
    ? `Next: read the changed lines of ${best.field} on ${host}.`
    : `Next: look at ${host}.`;
}
