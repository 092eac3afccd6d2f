// Ranks changes by how well they explain an error: compares the share of affected agents that made a change before it
// began with the share of the other agents.
import type { AgentEventKind, SuspectedChange } from '@quarterdeck/core';
import type { EventLoopYield } from '../../event-loop-yield.ts';
import { explain } from './change-text.ts';
import type { Change, HistoryLines } from './history-lines.ts';
import { type AgentSpan, withinAny } from './spans.ts';
import { medianOf } from './spikes.ts';

/** Input of a ranking. */
export interface RankQuery {
  /** The agents that have the error, and the time in which a cause may lie on each. */
  readonly affected: ReadonlyMap<number, AgentSpan>;
  /** Number and test of the agents without the error. */
  readonly unaffected: number;
  readonly isUnaffected: (agent: number) => boolean;
  /** Seconds to look back. */
  readonly withinS: number;
  readonly limit: number;
}

/** A ranked change, without the names of its agents. */
export interface RankedChange extends Omit<SuspectedChange, 'agents'> {
  readonly agents: readonly { readonly id: number; readonly time: number }[];
}

/** Minimum lead over the best single value before a field is reported as "changed to anything". */
const ANY_VALUE_MARGIN = 0.1;
/** Most agents listed for a change. */
const NAMED_MAX = 10;

/** Events that an agent reports some time after they happened. */
const REPORTED: ReadonlySet<AgentEventKind> = new Set(['registered', 'changed', 'restarted', 'rebooted']);
/** Events without values: each host has its own times. */
const VALUELESS: ReadonlySet<AgentEventKind> = new Set([
  'registered',
  'restored',
  'online',
  'restarted',
  'rebooted',
  'cloned',
]);
/** Weights of events that may be a consequence of the error as well as its cause. */
const CONSEQUENCE_WEIGHT: Partial<Record<AgentEventKind, number>> = { offline: 0.5, online: 0.5, cloned: 0.5 };
/** Order of changes with equal scores: the most specific first. */
const SPECIFICITY: readonly AgentEventKind[] = ['changed', 'settings', 'labels', 'operation', 'rebooted', 'restarted'];

/** A change that some agents made. */
interface Suspect {
  readonly kind: AgentEventKind;
  readonly field: string;
  /** The new value; undefined stands for any. */
  readonly to: string | undefined;
  /** Lines of affected agents in time, and those of other agents. */
  readonly affected: number[];
  readonly unaffected: number[];
  /** Number of different values on affected agents, for a change to any value. */
  values: number;
}

/**
 * Scores a change: its share among the affected agents less its share among the others, at least 0. Both sides are
 * counted with one more agent with the change and one more without (Laplace), so that few agents prove little: 1 of 1
 * is two thirds.
 */
export function scoreOf(
  kind: AgentEventKind,
  affected: SuspectedChange['affected'],
  unaffected: SuspectedChange['affected'],
): number {
  return Math.max(0, difference(affected, unaffected)) * (CONSEQUENCE_WEIGHT[kind] ?? 1);
}

const share = (part: SuspectedChange['affected']) => (part.with + 1) / (part.of + 2);
const difference = (affected: SuspectedChange['affected'], unaffected: SuspectedChange['affected']) =>
  share(affected) - share(unaffected);

/** Lines of one step. The event loop is free between two of them. */
const PART = 1_000;

/** Ranks the changes that explain most, best first. The lines may be in any order. */
export async function rankChanges(
  lines: HistoryLines,
  query: RankQuery,
  eventLoop: EventLoopYield,
): Promise<RankedChange[]> {
  const ranking = new ChangeRanking(lines, query);
  for (let line = 0; line < lines.size; line += 1) {
    if (line % PART === 0) await eventLoop.pause();
    ranking.add(line);
  }
  const ranked: RankedChange[] = [];
  for (const entry of await ranking.best(eventLoop)) {
    await eventLoop.pause();
    ranked.push(ranking.toRanked(entry));
  }
  return ranked;
}

/** An agent in a ranking. */
interface Side {
  /** Undefined for an agent without the error. */
  readonly span: AgentSpan | undefined;
  readonly isOther: boolean;
}

/** Counts changes line by line. */
class ChangeRanking {
  readonly #lines: HistoryLines;
  readonly #query: RankQuery;
  /** By the index of the agent. */
  readonly #sides: (Side | undefined)[] = [];
  /** By the index of the change: the suspects that count it. */
  readonly #countedAs: (readonly Suspect[] | undefined)[] = [];
  readonly #byKey = new Map<string, Suspect>();
  /** Changes of affected agents in time. Changes of other agents alone prove nothing. */
  readonly #suspects: Suspect[] = [];
  readonly #isTime: (timeMs: number) => boolean;
  readonly #isReportTime: (timeMs: number) => boolean;
  readonly #count: AgentCount;

  constructor(lines: HistoryLines, query: RankQuery) {
    this.#lines = lines;
    this.#query = query;
    this.#count = new AgentCount(lines);
    const spans = [...query.affected.values()];
    this.#isTime = withinAny(spans);
    this.#isReportTime = withinAny(spans.map(({ fromMs, reportedMs }) => ({ fromMs, toMs: reportedMs })));
  }

  add(line: number): void {
    const { changes, changeOf, agentOf, timeOf } = this.#lines;
    const number = changeOf[line] as number;
    const timeMs = timeOf[line] as number;
    const isReported = REPORTED.has((changes[number] as Change).kind);
    const { span, isOther } = this.#sideOf(agentOf[line] as number);
    if (span === undefined) {
      const isTime = isReported ? this.#isReportTime : this.#isTime;
      if (!isOther || !isTime(timeMs)) return;
      for (const suspect of this.#suspectsOf(number)) suspect.unaffected.push(line);
      return;
    }
    if (timeMs < span.fromMs || timeMs >= (isReported ? span.reportedMs : span.toMs)) return;
    const [own, anyValue] = this.#suspectsOf(number);
    if (own !== undefined && this.#addTo(own, line) && anyValue !== undefined) anyValue.values += 1;
    if (anyValue !== undefined) this.#addTo(anyValue, line);
  }

  /** Adds a line; returns whether it is the suspect's first. */
  #addTo(suspect: Suspect, line: number): boolean {
    const isFirst = suspect.affected.push(line) === 1;
    if (isFirst) this.#suspects.push(suspect);
    return isFirst;
  }

  #sideOf(number: number): Side {
    const known = this.#sides[number];
    if (known !== undefined) return known;
    const agent = this.#lines.agents[number] as number;
    const span = this.#query.affected.get(agent);
    const side = { span, isOther: span === undefined && this.#query.isUnaffected(agent) };
    this.#sides[number] = side;
    return side;
  }

  /** Returns the suspects that count a change: its own value and, if values may differ, any value. */
  #suspectsOf(number: number): readonly Suspect[] {
    const known = this.#countedAs[number];
    if (known !== undefined) return known;
    const { kind, field, after } = this.#lines.changes[number] as Change;
    const any = `${kind}\0${field}`;
    const suspects = VALUELESS.has(kind)
      ? [this.#suspect(kind, kind, '', undefined)]
      : [this.#suspect(`${any}\0${after}`, kind, field, after), this.#suspect(any, kind, field, undefined)];
    this.#countedAs[number] = suspects;
    return suspects;
  }

  #suspect(key: string, kind: AgentEventKind, field: string, to: string | undefined): Suspect {
    let suspect = this.#byKey.get(key);
    if (suspect === undefined) {
      suspect = { kind, field, to, affected: [], unaffected: [], values: 0 };
      this.#byKey.set(key, suspect);
    }
    return suspect;
  }

  /** Returns the changes that explain most, best first. */
  async best(eventLoop: EventLoopYield): Promise<Entry[]> {
    const { limit, unaffected, affected } = this.#query;
    const all: Entry[] = [];
    await eventLoop.inParts(this.#suspects, PART, (part) => {
      for (const suspect of part) {
        const shares = {
          affected: { with: this.#count.of(suspect.affected), of: affected.size },
          unaffected: { with: this.#count.of(suspect.unaffected), of: unaffected },
        };
        const { kind } = suspect;
        const by = difference(shares.affected, shares.unaffected) * (CONSEQUENCE_WEIGHT[kind] ?? 1);
        all.push({ suspect, shares, by, score: scoreOf(kind, shares.affected, shares.unaffected) });
      }
    });
    return withoutRepeats(all).sort(byRank).slice(0, limit);
  }

  toRanked({ suspect, shares, score }: Entry): RankedChange {
    const { changes, changeOf, agents, agentOf, timeOf } = this.#lines;
    const { withinS, affected } = this.#query;
    const { kind, field, to = '' } = suspect;
    const last = this.#count.lastOfEach(suspect.affected);
    const made = last.map((line) => ({ id: agents[agentOf[line] as number] as number, ms: timeOf[line] as number }));
    const leads = new Float64Array(made.length);
    for (const [i, { id, ms }] of made.entries()) leads[i] = (affected.get(id)?.atMs ?? 0) - ms;
    leads.sort();
    const [firstMs, lastMs] = endsOf(made);
    const beforeOf = (line: number) => (changes[changeOf[line] as number] as Change).before;
    const from = suspect.to === undefined ? '' : commonest(last.map(beforeOf));
    const change = { kind, field, from, to, ...shares };
    return {
      ...change,
      score: Math.round(score * 10_000) / 10_000,
      first: secondsOf(firstMs),
      last: secondsOf(lastMs),
      // An agent reports a change later than it happened, so its time may be after that of the error.
      before: Math.max(0, Math.round(medianOf(leads) / 1000)),
      agents: made.slice(0, NAMED_MAX).map(({ id, ms }) => ({ id, time: secondsOf(ms) })),
      explanation: explain({ ...change, values: suspect.to === undefined ? suspect.values : 1, withinS }),
    };
  }
}

/** Counts the agents of lines, each once. */
class AgentCount {
  readonly #lines: HistoryLines;
  /** By the index of the agent: the last count that includes it, and its place there. */
  readonly #marks: Int32Array;
  readonly #places: Int32Array;
  #counts = 0;

  constructor(lines: HistoryLines) {
    this.#lines = lines;
    this.#marks = new Int32Array(lines.agents.length);
    this.#places = new Int32Array(lines.agents.length);
  }

  of(lines: readonly number[]): number {
    this.#counts += 1;
    let agents = 0;
    for (const line of lines) {
      const agent = this.#lines.agentOf[line] as number;
      if (this.#marks[agent] === this.#counts) continue;
      this.#marks[agent] = this.#counts;
      agents += 1;
    }
    return agents;
  }

  /** Returns the last line of each agent by its time, with agents in the order of their first lines. */
  lastOfEach(lines: readonly number[]): number[] {
    const { agentOf, timeOf } = this.#lines;
    this.#counts += 1;
    const last: number[] = [];
    for (const line of lines) {
      const agent = agentOf[line] as number;
      if (this.#marks[agent] !== this.#counts) {
        this.#marks[agent] = this.#counts;
        this.#places[agent] = last.push(line) - 1;
        continue;
      }
      const place = this.#places[agent] as number;
      if ((timeOf[last[place] as number] as number) <= (timeOf[line] as number)) last[place] = line;
    }
    return last;
  }
}

interface Entry {
  readonly suspect: Suspect;
  readonly shares: Pick<SuspectedChange, 'affected' | 'unaffected'>;
  readonly by: number;
  readonly score: number;
}

/**
 * Keeps either a change to one value or the same change to any value: the latter if values differ from agent to agent
 * and no single one explains as much.
 */
function withoutRepeats(all: readonly Entry[]): Entry[] {
  const single = new Map<string, number>();
  const any = new Map<string, Entry>();
  const nameOf = ({ suspect: { kind, field } }: Entry) => `${kind}\0${field}`;
  for (const entry of all) {
    const { kind, to } = entry.suspect;
    if (to !== undefined) single.set(nameOf(entry), Math.max(single.get(nameOf(entry)) ?? -1, entry.by));
    else if (!VALUELESS.has(kind)) any.set(nameOf(entry), entry);
  }
  for (const [name, entry] of any) if (entry.by <= (single.get(name) ?? -1) + ANY_VALUE_MARGIN) any.delete(name);
  return all.filter((entry) => {
    const { kind, to } = entry.suspect;
    if (VALUELESS.has(kind)) return true;
    const anyValue = any.get(nameOf(entry));
    if (to === undefined) return anyValue === entry;
    // A single value also stays if most of the agents have it.
    return anyValue === undefined || entry.shares.affected.with * 2 > anyValue.shares.affected.with;
  });
}

const specificityOf = (kind: AgentEventKind) => {
  const at = SPECIFICITY.indexOf(kind);
  return at < 0 ? SPECIFICITY.length : at;
};

function byRank(a: Entry, b: Entry): number {
  return (
    b.by - a.by ||
    specificityOf(a.suspect.kind) - specificityOf(b.suspect.kind) ||
    compare(a.suspect.field, b.suspect.field) ||
    compare(a.suspect.to ?? '', b.suspect.to ?? '')
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

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
