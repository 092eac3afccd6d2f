// Simple ways to name a cause from the same history, for comparison with the server's.
import type { HistoryLine } from './fleet.ts';
import type { Name } from './kinds.ts';

/** Input of a baseline. */
export interface Question {
  readonly history: readonly HistoryLine[];
  /** Time of the error on each affected agent, as far as it is known (Unix milliseconds). */
  readonly onsets: ReadonlyMap<number, number>;
  readonly agents: number;
}

/** A change, counted on agents with and without the error. */
interface Candidate extends Name {
  readonly affected: Set<number>;
  readonly unaffected: Set<number>;
  /** Seconds from the latest such change on each affected agent to the error there. */
  readonly leads: Map<number, number>;
}

const WITHIN_MS = 3_600_000;
/** An agent reports a change up to two of its intervals late. */
const LATE_MS = 61_000;
/** Each host has its own times in these. */
const VALUELESS = new Set(['registered', 'restored', 'online', 'restarted', 'rebooted', 'cloned']);

/** The names that count a line: its own value, and any value of the field. */
function namesOf({ kind, field, to }: HistoryLine): readonly Name[] {
  if (VALUELESS.has(kind)) return [{ kind, field: '', to: '' }];
  return to === ''
    ? [{ kind, field, to }]
    : [
        { kind, field, to },
        { kind, field, to: '' },
      ];
}

/** States of a host and its agent. */
const STATES = new Set([...VALUELESS, 'offline', 'inactive']);

/** Counts the changes within the hour before the error. */
function candidatesOf({ history, onsets }: Question): Candidate[] {
  const byKey = new Map<string, Candidate>();
  const fromMs = Math.min(...onsets.values()) - WITHIN_MS;
  const toMs = Math.max(...onsets.values()) + LATE_MS;
  for (const line of history) {
    const { agent, timeMs } = line;
    const onset = onsets.get(agent);
    const [from, end] = onset === undefined ? [fromMs, toMs] : [onset - WITHIN_MS, onset + LATE_MS];
    if (timeMs < from || timeMs >= end) continue;
    for (const name of namesOf(line)) {
      const key = `${name.kind}\0${name.field}\0${name.to}`;
      let candidate = byKey.get(key);
      if (candidate === undefined) {
        candidate = { ...name, affected: new Set(), unaffected: new Set(), leads: new Map() };
        byKey.set(key, candidate);
      }
      if (onset === undefined) {
        candidate.unaffected.add(agent);
        continue;
      }
      const lead = Math.max(0, onset - timeMs) / 1000;
      candidate.affected.add(agent);
      candidate.leads.set(agent, Math.min(lead, candidate.leads.get(agent) ?? lead));
    }
  }
  return withoutRepeats([...byKey.values()].filter(({ affected }) => affected.size > 0));
}

/** Keeps the change to any value only where no single value has as many affected agents. */
function withoutRepeats(candidates: readonly Candidate[]): Candidate[] {
  const most = new Map<string, number>();
  const fieldOf = ({ kind, field }: Candidate) => `${kind}\0${field}`;
  for (const candidate of candidates) {
    if (candidate.to === '') continue;
    most.set(fieldOf(candidate), Math.max(candidate.affected.size, most.get(fieldOf(candidate)) ?? 0));
  }
  const kept = candidates.filter(
    (candidate) => candidate.to !== '' || candidate.affected.size > (most.get(fieldOf(candidate)) ?? 0),
  );
  // Among equals, the states of a host explain less than what changed on it.
  return kept.sort((a, b) => Number(STATES.has(a.kind)) - Number(STATES.has(b.kind)));
}

const LOG_FACTORIALS = [0];
function logFactorial(n: number): number {
  for (let i = LOG_FACTORIALS.length; i <= n; i += 1) LOG_FACTORIALS.push((LOG_FACTORIALS[i - 1] ?? 0) + Math.log(i));
  return LOG_FACTORIALS[n] ?? 0;
}
const logChoose = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** Minus the decimal logarithm of the one-sided p of Fisher's exact test: `a` of `m` with, `b` of `n` without. */
export function fisher(a: number, m: number, b: number, n: number): number {
  const k = a + b;
  const all = logChoose(m + n, k);
  let p = 0;
  for (let x = a; x <= Math.min(m, k); x += 1) {
    if (k - x <= n) p += Math.exp(logChoose(m, x) + logChoose(n, k - x) - all);
  }
  return -Math.log10(Math.min(1, p));
}

const leastLead = ({ leads }: Candidate) => Math.min(...leads.values());
const meanLead = ({ leads }: Candidate) => [...leads.values()].reduce((sum, lead) => sum + lead, 0) / leads.size;

/** Orders by a score, highest first. */
const by = (scoreOf: (candidate: Candidate) => number) => (candidates: readonly Candidate[]) =>
  candidates
    .map((candidate) => ({ candidate, score: scoreOf(candidate) }))
    .sort((a, b) => b.score - a.score)
    .map(({ candidate }) => candidate);

/** Names of the baselines. */
export const BASELINES = ['latest change', 'most frequent', 'Fisher', 'Fisher and time'] as const;
export type Baseline = (typeof BASELINES)[number];

/** Ranks the changes by each baseline, best first. */
export function rankByBaselines(question: Question): Record<Baseline, readonly Name[]> {
  const candidates = candidatesOf(question);
  const affected = question.onsets.size;
  const proof = ({ affected: a, unaffected: b }: Candidate) =>
    fisher(a.size, affected, b.size, Math.max(0, question.agents - affected));
  return {
    'latest change': by((candidate) => -leastLead(candidate))(candidates),
    'most frequent': by((candidate) => candidate.affected.size)(candidates),
    Fisher: by(proof)(candidates),
    'Fisher and time': by((candidate) => proof(candidate) / (1 + meanLead(candidate) / (WITHIN_MS / 1000)))(candidates),
  };
}
