// Which changes explain an error: for each, how many of the agents that have it made the change before it began, and how
// many of the others made it too.
import type { AgentEventKind, SuspectedChange } from '@quarterdeck/core';
import type { EventLoopYield } from '../../event-loop-yield.ts';
import { explain } from './change-text.ts';
import type { Change, HistoryLines } from './history-lines.ts';
import { type AgentSpan, withinAny } from './spans.ts';
import { medianOf } from './spikes.ts';

/** What changes are ranked for. */
export interface RankQuery {
  /** The agents that have the error, and where a cause of it may lie on each. */
  readonly affected: ReadonlyMap<number, AgentSpan>;
  /** How many agents do not have it, and which. */
  readonly unaffected: number;
  readonly isUnaffected: (agent: number) => boolean;
  /** Seconds looked back. */
  readonly withinS: number;
  readonly limit: number;
}

/** A ranked change, without the names of its agents. */
export interface RankedChange extends Omit<SuspectedChange, 'agents'> {
  readonly agents: readonly { readonly id: number; readonly time: number }[];
}

/** By how much a change to whatever must explain more than the best of its values, to be told. */
const WHATEVER_MARGIN = 0.1;
/** Agents that are named. */
const NAMED_MAX = 10;

/** What an agent tells of itself, some time after it happened. */
const TOLD: ReadonlySet<AgentEventKind> = new Set(['registered', 'changed', 'restarted', 'rebooted']);
/** The same whatever it was and became: each host has its own times. */
const VALUELESS: ReadonlySet<AgentEventKind> = new Set([
  'registered',
  'restored',
  'online',
  'restarted',
  'rebooted',
  'cloned',
]);
/** May be what the error did as well as what did it. */
const CONSEQUENCE_WEIGHT: Partial<Record<AgentEventKind, number>> = { offline: 0.5, online: 0.5, cloned: 0.5 };
/** Of changes with equal figures the one that says most comes first. */
const TELLING: readonly AgentEventKind[] = ['changed', 'settings', 'labels', 'operation', 'rebooted', 'restarted'];

/** A change that some agents made. */
interface Suspect {
  readonly kind: AgentEventKind;
  readonly field: string;
  /** Undefined: to whatever. */
  readonly to: string | undefined;
  /** The lines in which affected agents made it in time, and those in which others did. */
  readonly affected: number[];
  readonly unaffected: number[];
  /** Of a change to whatever: to how many values affected agents made it. */
  values: number;
}

/**
 * How well a change explains an error: its share among the affected agents less its share among the others. Both sides
 * are counted as if there were one more agent with the change and one more without (Laplace), so that few agents prove
 * little: 1 of 1 is two thirds. Never below 0.
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

/** Lines of one ranking: what comes after them may have its turn in between. */
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

/** What a ranking knows of an agent. */
interface Side {
  /** Undefined: it does not have the error. */
  readonly span: AgentSpan | undefined;
  readonly isOther: boolean;
}

/** Counts changes line by line. */
class ChangeRanking {
  readonly #lines: HistoryLines;
  readonly #query: RankQuery;
  /** By the number of the agent. */
  readonly #sides: (Side | undefined)[] = [];
  /** By the number of the change: what it is counted under. */
  readonly #countedAs: (readonly Suspect[] | undefined)[] = [];
  readonly #byKey = new Map<string, Suspect>();
  /** Those that an affected agent made in time: the others prove nothing. */
  readonly #suspects: Suspect[] = [];
  readonly #isTime: (timeMs: number) => boolean;
  readonly #isToldTime: (timeMs: number) => boolean;
  readonly #count: AgentCount;

  constructor(lines: HistoryLines, query: RankQuery) {
    this.#lines = lines;
    this.#query = query;
    this.#count = new AgentCount(lines);
    const spans = [...query.affected.values()];
    this.#isTime = withinAny(spans);
    this.#isToldTime = withinAny(spans.map(({ fromMs, toldMs }) => ({ fromMs, toMs: toldMs })));
  }

  add(line: number): void {
    const { changes, changeOf, agentOf, timeOf } = this.#lines;
    const number = changeOf[line] as number;
    const timeMs = timeOf[line] as number;
    const isTold = TOLD.has((changes[number] as Change).kind);
    const { span, isOther } = this.#sideOf(agentOf[line] as number);
    if (span === undefined) {
      const isTime = isTold ? this.#isToldTime : this.#isTime;
      if (!isOther || !isTime(timeMs)) return;
      for (const suspect of this.#suspectsOf(number)) suspect.unaffected.push(line);
      return;
    }
    if (timeMs < span.fromMs || timeMs >= (isTold ? span.toldMs : span.toMs)) return;
    const [own, whatever] = this.#suspectsOf(number);
    if (own !== undefined && this.#addTo(own, line) && whatever !== undefined) whatever.values += 1;
    if (whatever !== undefined) this.#addTo(whatever, line);
  }

  /** Whether it is the first line of an affected agent. */
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

  /** What a change is counted under: its own value and, where values may differ, whatever value. */
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

  /** The changes that explain most, best first. */
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
      // Told a moment later than it was done, a change may have a time after that of the error.
      before: Math.max(0, Math.round(medianOf(leads) / 1000)),
      agents: made.slice(0, NAMED_MAX).map(({ id, ms }) => ({ id, time: secondsOf(ms) })),
      explanation: explain({ ...change, values: suspect.to === undefined ? suspect.values : 1, withinS }),
    };
  }
}

/** Counts the agents of lines: each leaves its mark once. */
class AgentCount {
  readonly #lines: HistoryLines;
  /** By the number of the agent: the last count that it was met in, and its place there. */
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

  /** The last line of each agent by its time, the agents in the order in which they come first. */
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
 * Of a change to one value and the same change to whatever value only one is worth telling: to whatever where the values
 * differ from agent to agent, and no single one explains as much.
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
  for (const [name, entry] of any) if (entry.by <= (single.get(name) ?? -1) + WHATEVER_MARGIN) any.delete(name);
  return all.filter((entry) => {
    const { kind, to } = entry.suspect;
    if (VALUELESS.has(kind)) return true;
    const whatever = any.get(nameOf(entry));
    if (to === undefined) return whatever === entry;
    // One of many values is told where it is that of most of them.
    return whatever === undefined || entry.shares.affected.with * 2 > whatever.shares.affected.with;
  });
}

const tellingOf = (kind: AgentEventKind) => {
  const at = TELLING.indexOf(kind);
  return at < 0 ? TELLING.length : at;
};

function byRank(a: Entry, b: Entry): number {
  return (
    b.by - a.by ||
    tellingOf(a.suspect.kind) - tellingOf(b.suspect.kind) ||
    compare(a.suspect.field, b.suspect.field) ||
    compare(a.suspect.to ?? '', b.suspect.to ?? '')
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const secondsOf = (timeMs: number) => Math.floor(timeMs / 1000);

/** The earliest and the latest time. */
function endsOf(made: readonly { readonly ms: number }[]): [number, number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { ms } of made) {
    first = Math.min(first, ms);
    last = Math.max(last, ms);
  }
  return [first, last];
}

/** What more than half of the values are; empty where there is no such value. */
function commonest(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const [value, n] of counts) if (n * 2 > values.length) return value;
  return '';
}
