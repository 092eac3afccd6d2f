// Which changes explain an error: for each, how many of the agents that have it made the change before it began, and how
// many of the others made it too.
import type { AgentEventKind, SuspectedChange } from '@quarterdeck/core';
import { explain } from './change-words.ts';
import { type AgentSpan, withinAny } from './spans.ts';
import { medianOf } from './spikes.ts';

/** One line of an agent's history. */
export interface ChangeRow {
  readonly agent_id: number;
  readonly time_ms: number;
  readonly kind: AgentEventKind;
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

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
  /** The last such change of each affected agent. */
  readonly affected: Map<number, ChangeRow>;
  readonly unaffected: Set<number>;
  /** Of a change to whatever: to what. */
  readonly values: Set<string>;
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

/** Counts changes, row by row, and ranks them. Rows may come in any order, each once. */
export class ChangeRanking {
  readonly #query: RankQuery;
  readonly #suspects = new Map<string, Suspect>();
  /** Rows of unaffected agents: they count only for what an affected one did too. */
  readonly #others = new Map<string, Set<number>>();
  readonly #isTime: (timeMs: number) => boolean;
  readonly #isToldTime: (timeMs: number) => boolean;

  constructor(query: RankQuery) {
    this.#query = query;
    const spans = [...query.affected.values()];
    this.#isTime = withinAny(spans);
    this.#isToldTime = withinAny(spans.map(({ fromMs, toldMs }) => ({ fromMs, toMs: toldMs })));
  }

  add(row: ChangeRow): void {
    const told = TOLD.has(row.kind);
    const span = this.#query.affected.get(row.agent_id);
    if (span === undefined) {
      const isTime = told ? this.#isToldTime : this.#isTime;
      if (isTime(row.time_ms) && this.#query.isUnaffected(row.agent_id)) this.#note(row);
      return;
    }
    if (row.time_ms < span.fromMs || row.time_ms >= (told ? span.toldMs : span.toMs)) return;
    for (const suspect of this.#suspectsOf(row)) {
      const known = suspect.affected.get(row.agent_id);
      if (known === undefined || known.time_ms <= row.time_ms) suspect.affected.set(row.agent_id, row);
      suspect.values.add(row.after);
    }
  }

  #note(row: ChangeRow): void {
    for (const key of keysOf(row)) {
      const agents = this.#others.get(key);
      if (agents === undefined) this.#others.set(key, new Set([row.agent_id]));
      else agents.add(row.agent_id);
    }
  }

  /** What a row is counted under: its own value and, where values may differ, whatever value. */
  #suspectsOf(row: ChangeRow): Suspect[] {
    return keysOf(row).map((key, i) => {
      const known = this.#suspects.get(key);
      if (known !== undefined) return known;
      const to = i > 0 || VALUELESS.has(row.kind) ? undefined : row.after;
      const field = VALUELESS.has(row.kind) ? '' : row.field;
      const unaffected = new Set<number>();
      const made: Suspect = { kind: row.kind, field, to, affected: new Map(), unaffected, values: new Set() };
      this.#suspects.set(key, made);
      return made;
    });
  }

  /** The changes that explain most, best first. */
  ranked(): RankedChange[] {
    const { limit, unaffected, affected } = this.#query;
    const all = [...this.#suspects].map(([key, suspect]) => {
      const shares = {
        affected: { with: suspect.affected.size, of: affected.size },
        unaffected: { with: this.#others.get(key)?.size ?? 0, of: unaffected },
      };
      const { kind } = suspect;
      const by = difference(shares.affected, shares.unaffected) * (CONSEQUENCE_WEIGHT[kind] ?? 1);
      return { suspect, shares, by, score: scoreOf(kind, shares.affected, shares.unaffected) };
    });
    return withoutRepeats(all)
      .sort(byRank)
      .slice(0, limit)
      .map((entry) => this.#toRanked(entry));
  }

  #toRanked({ suspect, shares, score }: Entry): RankedChange {
    const { withinS, affected } = this.#query;
    const { kind, field, to = '' } = suspect;
    const rows = [...suspect.affected.values()];
    const leads = Float64Array.from(rows, (row) => (affected.get(row.agent_id)?.atMs ?? 0) - row.time_ms).sort();
    const [first, last] = endsOf(rows);
    const from = suspect.to === undefined ? '' : commonest(rows.map(({ before }) => before));
    const change = { kind, field, from, to, ...shares };
    return {
      ...change,
      score: Math.round(score * 10_000) / 10_000,
      first: secondsOf(first),
      last: secondsOf(last),
      // Told a moment later than it was done, a change may have a time after that of the error.
      before: Math.max(0, Math.round(medianOf(leads) / 1000)),
      agents: rows.slice(0, NAMED_MAX).map(({ agent_id, time_ms }) => ({ id: agent_id, time: secondsOf(time_ms) })),
      explanation: explain({ ...change, values: suspect.to === undefined ? suspect.values.size : 1, withinS }),
    };
  }
}

interface Entry {
  readonly suspect: Suspect;
  readonly shares: Pick<SuspectedChange, 'affected' | 'unaffected'>;
  readonly by: number;
  readonly score: number;
}

/** What a row is counted under: its own value first. */
function keysOf({ kind, field, after }: ChangeRow): string[] {
  if (VALUELESS.has(kind)) return [kind];
  const any = `${kind}\0${field}`;
  return [`${any}\0${after}`, any];
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
    const { kind, to, affected } = entry.suspect;
    if (VALUELESS.has(kind)) return true;
    const whatever = any.get(nameOf(entry));
    if (to === undefined) return whatever === entry;
    // One of many values is told where it is that of most of them.
    return whatever === undefined || affected.size * 2 > whatever.suspect.affected.size;
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
function endsOf(rows: readonly ChangeRow[]): [number, number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { time_ms } of rows) {
    first = Math.min(first, time_ms);
    last = Math.max(last, time_ms);
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
