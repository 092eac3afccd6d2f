// Ranks changes by how well they explain an error: compares the affected agents that made a change before it began with
// the other agents that made it.
import { type AgentEventKind, HOST_CHANGE_KINDS, type SuspectedChange } from '@quarterdeck/core';
import type { EventLoopYield } from '@quarterdeck/core/threads';
import { Repairs } from './absences.ts';
import { type Candidate, toRows } from './change-rows.ts';
import { evidenceOfCounts, evidenceOfDelay, evidenceOfKind, evidenceOfPast } from './evidence.ts';
import type { Change, HistoryLines } from './history-lines.ts';
import { type AgentSpan, leadOf, withinAny } from './spans.ts';
import { ThingHistory } from './thing-history.ts';
import { type ChangedThing, type ErrorWords, evidenceOfWords } from './word-evidence.ts';

/** Input of a ranking. */
export interface RankQuery {
  /** The agents that have the error, and the time in which a cause may lie on each. */
  readonly affected: ReadonlyMap<number, AgentSpan>;
  /** Number and test of the agents without the error. */
  readonly unaffected: number;
  readonly isUnaffected: (agent: number) => boolean;
  /** Seconds to look back. */
  readonly withinS: number;
  /** Logarithm of the odds that the affected agents have something else in common, such as a label. */
  readonly otherEvidence: number;
  readonly error: ErrorWords;
  /** Reads the changed lines of lines of history, by their ids. */
  readonly diffsOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;
  readonly limit: number;
}

/** A ranked change, without the names of its agents and its address. */
export interface RankedChange extends Omit<SuspectedChange, 'agents' | 'url'> {
  readonly agents: readonly { readonly id: number; readonly time: number }[];
}

/**
 * Minimum lead over the best single value before a field is reported as "changed to anything": where most agents have
 * one value, and where they have not.
 */
const ANY_VALUE_MARGIN = { ofMost: 3, ofFew: 0.5 };
/** Times at which changes and errors coincide, counted at most. */
const COINCIDENCES_MAX = 6;
const MINUTE_MS = 60_000;

/** Changes whose words are compared with those of the error: the first by their other evidence. */
const WORDED_MAX = 400;
/** Changes of files whose changed lines are read for that. */
const DIFFS_MAX = 20;

/** Events that an agent reports some time after they happened. */
const REPORTED: ReadonlySet<AgentEventKind> = new Set([
  'registered',
  'changed',
  'restarted',
  'rebooted',
  ...HOST_CHANGE_KINDS,
]);
/** Events without values: each host has its own times. */
const VALUELESS: ReadonlySet<AgentEventKind> = new Set([
  'registered',
  'restored',
  'online',
  'restarted',
  'rebooted',
  'cloned',
]);

/** A change that some agents made. */
interface Suspect {
  readonly change: Change;
  /** The new value; undefined stands for any. */
  readonly to: string | undefined;
  /** Lines of affected agents in time, and those of other agents. */
  readonly affected: number[];
  readonly unaffected: number[];
  /** Number of different values on affected agents, for a change to any value. */
  values: number;
  /** The change to any value of the same thing; undefined for an event without values. */
  readonly anyValue: Suspect | undefined;
  /** Of a change to any value: all changes of the thing on affected agents, once they are needed. */
  history?: ThingHistory;
}

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
  return toRows(await ranking.candidates(eventLoop), lines, query, eventLoop);
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
  readonly #last: LastLines;
  readonly #repairs: Repairs;
  /** Lines reported when an agent came back. */
  readonly #reportedLate: number[] = [];

  constructor(lines: HistoryLines, query: RankQuery) {
    this.#lines = lines;
    this.#query = query;
    this.#last = new LastLines(lines);
    this.#repairs = new Repairs(lines);
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
    if (timeMs < span.fromMs) return;
    if (timeMs < (isReported ? span.reportedMs : span.toMs)) {
      if (span.absence !== undefined) this.#repairs.noteBefore(span.agent, line);
      this.#addAffected(line);
    } else if (isReported && span.absence !== undefined && timeMs <= span.absence.backMs) {
      this.#repairs.noteReturn(span, line);
      this.#reportedLate.push(line);
    }
  }

  #addAffected(line: number): void {
    const [own, anyValue] = this.#suspectsOf(this.#lines.changeOf[line] as number);
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
    const change = this.#lines.changes[number] as Change;
    const any = nameOf(change);
    const anyValue = VALUELESS.has(change.kind) ? undefined : this.#suspect(any, change, undefined);
    const suspects =
      anyValue === undefined
        ? [this.#suspect(change.kind, change, undefined)]
        : [this.#suspect(`${any}\0${change.after}`, change, change.after, anyValue), anyValue];
    this.#countedAs[number] = suspects;
    return suspects;
  }

  #suspect(key: string, change: Change, to: string | undefined, anyValue?: Suspect): Suspect {
    let suspect = this.#byKey.get(key);
    if (suspect === undefined) {
      suspect = { change, to, affected: [], unaffected: [], values: 0, anyValue };
      this.#byKey.set(key, suspect);
    }
    return suspect;
  }

  /** Returns all changes of affected agents with their evidence, the strongest first. */
  async candidates(eventLoop: EventLoopYield): Promise<Candidate[]> {
    const { affected, unaffected } = this.#query;
    for (const line of this.#reportedLate) {
      const agent = this.#lines.agents[this.#lines.agentOf[line] as number] as number;
      if (!this.#repairs.isRepair(agent, line)) this.#addAffected(line);
    }
    const all: Candidate[] = [];
    await eventLoop.inParts(this.#suspects, PART, (part) => {
      for (const suspect of part) {
        const history = this.#historyOf(suspect);
        const last = this.#last.ofEach(this.#withoutRepairs(suspect, history));
        const isPast = (line: number) =>
          history?.isReturn(line) === true || history?.isOver(line, this.#atOf(line)) === true;
        const past = last.filter(isPast).length / last.length;
        const others = this.#othersOf(suspect, past);
        const shares = {
          affected: { with: last.length, of: affected.size },
          unaffected: { with: others.length, of: unaffected },
        };
        const { kind, field, name, after } = suspect.change;
        const ofKind = evidenceOfKind({ kind, field, to: suspect.values > 1 ? suspect.to : after });
        const evidence = evidenceOfCounts(shares) + this.#evidenceOfDelays(last) + ofKind + evidenceOfPast(past);
        const value = VALUELESS.has(kind) ? { field: '', to: '' } : { field, to: suspect.to };
        all.push({ kind, name, ...value, ...shares, last, others, values: suspect.values, evidence });
      }
    });
    return this.#withWords(withoutRepeats(all).sort(byEvidence));
  }

  /** Returns all changes of the same thing on affected agents; undefined for an event without values. */
  #historyOf(suspect: Suspect): ThingHistory | undefined {
    if (VALUELESS.has(suspect.change.kind)) return undefined;
    const thing = suspect.anyValue ?? suspect;
    thing.history ??= new ThingHistory(this.#lines, thing.affected);
    return thing.history;
  }

  /** The time when the error began on the agent of a line. */
  #atOf(line: number): number {
    const agent = this.#lines.agents[this.#lines.agentOf[line] as number] as number;
    return (this.#query.affected.get(agent) as AgentSpan).atMs;
  }

  /** Leaves out changes to any value that were taken back once the error had begun: what they take back may be it. */
  #withoutRepairs({ affected, to }: Suspect, history: ThingHistory | undefined): readonly number[] {
    if (to !== undefined || history === undefined) return affected;
    const { timeOf } = this.#lines;
    return affected.filter((line) => (timeOf[line] as number) <= this.#atOf(line) || !history.isReturn(line));
  }

  /** The last line of each other agent, without agents that took a change to any value back. */
  #othersOf({ to, unaffected, change }: Suspect, past: number): readonly number[] {
    const last = this.#last.ofEach(unaffected);
    const isOnceEach = last.length === unaffected.length;
    // Affected agents that took it back too are in the same state.
    if (isOnceEach || to !== undefined || VALUELESS.has(change.kind) || past > 0) return last;
    const history = new ThingHistory(this.#lines, unaffected);
    return last.filter((line) => !history.isReturn(line));
  }

  /** Adds the evidence of the words of the error. */
  async #withWords(candidates: readonly Candidate[]): Promise<Candidate[]> {
    const { error, diffsOf } = this.#query;
    const { changes, changeOf, idOf } = this.#lines;
    const worded = candidates.slice(0, WORDED_MAX);
    const ids = worded.map(({ last }) => {
      const line = last.find((one) => changes[changeOf[one] as number]?.hasDiff === true);
      return line === undefined ? undefined : idOf[line];
    });
    const diffs = await diffsOf(ids.filter((id) => id !== undefined).slice(0, DIFFS_MAX));
    const things = worded.map((candidate, i): ChangedThing => {
      const { kind, field, name, to = '', last } = candidate;
      const { before = '' } = changes[changeOf[last[0] as number] as number] ?? {};
      const diff = diffs.get(ids[i] ?? 0) ?? '';
      return { kind, field, name, values: to === '' ? [] : [before, to], diff };
    });
    const evidence = evidenceOfWords(error, things);
    const made = worded.map((each, i) => ({ ...each, evidence: each.evidence + (evidence[i] ?? 0) }));
    return [...made, ...candidates.slice(WORDED_MAX)].sort(byEvidence);
  }

  /** One coincidence proves as much as many at the same time: changes are counted by their minutes. */
  #evidenceOfDelays(last: readonly number[]): number {
    const { withinS, affected } = this.#query;
    const minutes = new Set<number>();
    let sum = 0;
    for (const line of last) {
      const span = affected.get(this.#lines.agents[this.#lines.agentOf[line] as number] as number) as AgentSpan;
      const timeMs = this.#lines.timeOf[line] as number;
      sum += evidenceOfDelay(leadOf(span, timeMs) / 1000, withinS);
      if (minutes.size < COINCIDENCES_MAX) minutes.add(Math.floor(timeMs / MINUTE_MS));
    }
    return (sum / last.length) * minutes.size;
  }
}

const nameOf = ({ kind, field, name }: Pick<Change, 'kind' | 'field' | 'name'>) => `${kind}\0${field}\0${name}`;

/** Finds the last line of each agent. */
class LastLines {
  readonly #lines: HistoryLines;
  /** By the index of the agent: the last search that found it, and its place there. */
  readonly #marks: Int32Array;
  readonly #places: Int32Array;
  #searches = 0;

  constructor(lines: HistoryLines) {
    this.#lines = lines;
    this.#marks = new Int32Array(lines.agents.length);
    this.#places = new Int32Array(lines.agents.length);
  }

  /** Returns the last line of each agent by its time, with agents in the order of their first lines. */
  ofEach(lines: readonly number[]): number[] {
    const { agentOf, timeOf } = this.#lines;
    this.#searches += 1;
    const last: number[] = [];
    for (const line of lines) {
      const agent = agentOf[line] as number;
      if (this.#marks[agent] !== this.#searches) {
        this.#marks[agent] = this.#searches;
        this.#places[agent] = last.push(line) - 1;
        continue;
      }
      const place = this.#places[agent] as number;
      if ((timeOf[last[place] as number] as number) <= (timeOf[line] as number)) last[place] = line;
    }
    return last;
  }
}

/**
 * Keeps either a change to one value or the same change to any value: the latter if values differ from agent to agent
 * and no single one explains as much.
 */
function withoutRepeats(all: readonly Candidate[]): Candidate[] {
  const single = new Map<string, Candidate>();
  const any = new Map<string, Candidate>();
  for (const candidate of all) {
    const name = nameOf(candidate);
    if (candidate.to === undefined) any.set(name, candidate);
    else if (candidate.evidence > (single.get(name)?.evidence ?? Number.NEGATIVE_INFINITY)) single.set(name, candidate);
  }
  for (const [name, { evidence, affected }] of any) {
    const best = single.get(name);
    if (best === undefined) continue;
    const isOfMost = best.affected.with * 2 > affected.with;
    if (evidence <= best.evidence + ANY_VALUE_MARGIN[isOfMost ? 'ofMost' : 'ofFew']) any.delete(name);
  }
  return all.filter((candidate) => {
    const anyValue = any.get(nameOf(candidate));
    if (candidate.to === undefined) return anyValue === candidate;
    // A single value also stays if most of the agents have it.
    return anyValue === undefined || candidate.affected.with * 2 > anyValue.affected.with;
  });
}

const byEvidence = (a: Candidate, b: Candidate): number =>
  b.evidence - a.evidence || compare(nameOf(a), nameOf(b)) || compare(a.to ?? '', b.to ?? '');

const compare = (a: string, b: string) => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
