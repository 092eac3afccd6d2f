// Merges changes that the same agents reported together into one row, and says how sure each row is.
import type { AgentEventKind, ChangeStrength, MergedChange, SuspectedChange } from '@quarterdeck/core';
import type { EventLoopYield } from '@quarterdeck/core/threads';
import { ABSENCE_MAX_MS } from './absences.ts';
import type { RankedChange, RankQuery } from './change-rank.ts';
import { explain } from './change-text.ts';
import { isStop } from './evidence.ts';
import type { Change, HistoryLines } from './history-lines.ts';
import { type AgentSpan, leadOf } from './spans.ts';
import { medianOf } from './spikes.ts';

/** A change with its evidence. */
export interface Candidate extends Pick<SuspectedChange, 'kind' | 'field' | 'name' | 'affected' | 'unaffected'> {
  /** The new value; undefined = any. */
  readonly to: string | undefined;
  /** The last line of each affected agent that made it. */
  readonly last: readonly number[];
  /** The last line of each other agent that made it. */
  readonly others: readonly number[];
  /** Number of different values on affected agents, for a change to any value. */
  readonly values: number;
  /** Logarithm of the odds that it is the cause. */
  readonly evidence: number;
}

/** A row before it is written out: one cause. */
interface Row {
  /** The member with the most evidence. */
  readonly strongest: Candidate;
  readonly members: Candidate[];
  /** Time of its change on each agent, by the index of the agent; undefined until it is needed. */
  times?: ReadonlyMap<number, number>;
}

/** Candidates that are looked at. */
const CANDIDATES_MAX = 200;
/** Changes beneath a row. */
const WITH_MAX = 10;
/** Most agents listed for a change. */
const NAMED_MAX = 10;
/** Agents by which two changes are compared. */
const SAMPLE = 64;
/** Share of agents that two changes of one cause have in common. */
const SAME_AGENTS = 0.8;
/** Share of the other agents that may restart for reasons of their own. */
const FEW = 0.2;
/** Two changes of one cause are at most so far apart on an agent. */
const TOGETHER_MS = 90_000;
/** A member that explains less than the strongest by more than this does not name the row. */
const NAMING_MARGIN = 3;
/** Lowest scores of the words. */
const STRONG_FROM = 0.95;
const LIKELY_FROM = 0.8;

/** Changes by how much they say about a cause, the most specific first: a kind, or a kind with a field. */
const SPECIFIC_FIRST = [
  'changed system_version.kernel',
  'changed package.version',
  'change',
  'config',
  'program',
  'package',
  'certificate',
  'container',
  'dns',
  'time_zone',
  'clock',
  'settings',
  'labels',
  'operation',
  'changed system_version.libc',
  'disk',
  'changed',
  'maintenance',
  'unit',
  'registered',
  'restored',
  'rebooted',
  'restarted',
  'cloned',
  'offline',
  'online',
];
/** Fields that only follow from other changes. */
const FOLLOWING: ReadonlySet<string> = new Set([
  'package.timestamp',
  'system_version.kernel_package',
  'system_version.kernel_bid',
  'system_version.kernel_distro',
]);
const PLACES = new Map(SPECIFIC_FIRST.map((name, place) => [name, place]));
/** Events of an absence. */
const PRESENCE: ReadonlySet<AgentEventKind> = new Set(['offline', 'online', 'rebooted', 'restarted']);

const isSymptom = (candidate: Candidate) =>
  PRESENCE.has(candidate.kind) || FOLLOWING.has(candidate.field) || isStop(candidate);

function placeOf(candidate: Candidate): number {
  const { kind, field } = candidate;
  const place = PLACES.get(`${kind} ${field}`) ?? PLACES.get(kind) ?? PLACES.size;
  return isSymptom(candidate) ? place + PLACES.size : place;
}

/** Makes the rows of candidates that are ordered by their evidence. */
export async function toRows(
  candidates: readonly Candidate[],
  lines: HistoryLines,
  query: RankQuery,
  eventLoop: EventLoopYield,
): Promise<RankedChange[]> {
  const rows: Row[] = [];
  for (const candidate of candidates.slice(0, CANDIDATES_MAX)) {
    await eventLoop.pause();
    const row = rows.find((each) => isTogether(each, candidate, lines));
    if (row !== undefined) row.members.push(candidate);
    else rows.push({ strongest: candidate, members: [candidate] });
  }
  const { otherEvidence } = query;
  const evidences = rows.map(({ strongest }) => strongest.evidence);
  const most = Math.max(0, otherEvidence, ...evidences);
  // An unknown cause has the evidence 0.
  const others = Math.exp(-most) + Math.exp(otherEvidence - most);
  const sum = evidences.reduce((total, evidence) => total + Math.exp(evidence - most), others);
  return rows.slice(0, query.limit).map((row) => {
    const score = Math.exp(row.strongest.evidence - most) / sum;
    return writeOut(row, Math.round(score * 10_000) / 10_000, lines, query);
  });
}

function timesOf({ last }: Candidate, { agentOf, timeOf }: HistoryLines): Map<number, number> {
  return new Map(last.map((line) => [agentOf[line] as number, timeOf[line] as number]));
}

/** Tells whether a change belongs to the cause of a row: nearly the same agents made it at nearly the same times. */
function isTogether(row: Row, candidate: Candidate, lines: HistoryLines): boolean {
  const { agentOf, timeOf } = lines;
  const head = row.strongest;
  if (!areAsMany(candidate.last.length, head.last.length)) return false;
  // Two values of one field followed each other: either may be the cause.
  if (candidate.kind === head.kind && candidate.field === head.field && candidate.name === head.name) return false;
  const reachMs = candidate.kind === 'offline' || head.kind === 'offline' ? ABSENCE_MAX_MS : TOGETHER_MS;
  const times = row.times ?? timesOf(head, lines);
  row.times = times;
  const isNear = (line: number) => {
    const timeMs = times.get(agentOf[line] as number);
    return timeMs !== undefined && Math.abs(timeMs - (timeOf[line] as number)) <= reachMs;
  };
  if (!areMostlySame(candidate.last, isNear)) return false;
  // A change of other agents too is a cause of its own, unless few made it and it follows from the other change.
  if (isSymptom(candidate) || isSymptom(head)) {
    const more = Math.abs(candidate.others.length - head.others.length);
    return more <= Math.max(1, head.unaffected.of * FEW);
  }
  if (!areAsMany(candidate.others.length, head.others.length)) return false;
  const others = new Set(head.others.map((line) => agentOf[line]));
  return areMostlySame(candidate.others, (line) => others.has(agentOf[line]));
}

const areAsMany = (a: number, b: number) => Math.min(a, b) >= Math.max(a, b) * SAME_AGENTS;

/** Tests lines by a sample. */
function areMostlySame(lines: readonly number[], isSame: (line: number) => boolean): boolean {
  const sample = lines.slice(0, SAMPLE);
  return sample.filter(isSame).length >= sample.length * SAME_AGENTS;
}

function mostSpecific({ members, strongest }: Row): Candidate {
  const naming = members.filter((member) => member.evidence >= strongest.evidence - NAMING_MARGIN);
  return naming.reduce((best, each) => (placeOf(each) < placeOf(best) ? each : best));
}

/** Returns the word for a score. */
function strengthOf(score: number): ChangeStrength {
  if (score >= STRONG_FROM) return 'strong';
  return score >= LIKELY_FROM ? 'likely' : 'weak';
}

function writeOut(row: Row, score: number, lines: HistoryLines, query: RankQuery): RankedChange {
  const head = mostSpecific(row);
  const { changes, changeOf, agents, agentOf, timeOf } = lines;
  const { withinS, affected } = query;
  const made = head.last.map((line) => ({ id: agents[agentOf[line] as number] as number, ms: timeOf[line] as number }));
  const leads = new Float64Array(made.length);
  for (const [i, { id, ms }] of made.entries()) leads[i] = leadOf(affected.get(id) as AgentSpan, ms);
  leads.sort();
  const [firstMs, lastMs] = endsOf(made);
  const before = Math.round(medianOf(leads) / 1000);
  const own = head.last.map((line) => changes[changeOf[line] as number] as Change);
  const change = { ...shortOf(head, lines), affected: head.affected, unaffected: head.unaffected };
  return {
    ...change,
    strength: strengthOf(score),
    score,
    first: secondsOf(firstMs),
    last: secondsOf(lastMs),
    before,
    change_id: own.find(({ changeId }) => changeId > 0)?.changeId ?? 0,
    has_diff: own.some(({ hasDiff }) => hasDiff),
    with: row.members
      .filter((member) => member !== head)
      .slice(0, WITH_MAX)
      .map((member) => shortOf(member, lines)),
    agents: made.slice(0, NAMED_MAX).map(({ id, ms }) => ({ id, time: secondsOf(ms) })),
    explanation: explain({ ...change, before, values: head.to === undefined ? head.values : 1, withinS }),
  };
}

function shortOf({ kind, field, name, to, last }: Candidate, { changes, changeOf }: HistoryLines): MergedChange {
  const beforeOf = (line: number) => (changes[changeOf[line] as number] as Change).before;
  return { kind, field, name, from: to === undefined ? '' : commonest(last.map(beforeOf)), to: to ?? '' };
}

const secondsOf = (timeMs: number) => Math.floor(timeMs / 1000);

/** Returns the earliest and the latest time. */
function endsOf(made: readonly { readonly ms: number }[]): [number, number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { ms } of made) {
    first = Math.min(first, ms);
    last = Math.max(last, ms);
  }
  return [first, last];
}

/** Returns the value of more than half of the entries, or the empty string. */
function commonest(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const [value, n] of counts) if (n * 2 > values.length) return value;
  return '';
}
