// Lines of the agents' history, in a form that is cheap to count.
import type { AgentEventKind } from '@quarterdeck/core';

/** A change, without its agent and time. */
export interface Change {
  readonly kind: AgentEventKind;
  readonly field: string;
  /** Name of a change from outside. */
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** Id of a change from outside; 0 = none. */
  readonly changeId: number;
  readonly hasDiff: boolean;
}

/** A line as it is read. */
export interface HistoryRow {
  readonly id: number;
  readonly agent_id: number;
  readonly time_ms: number;
  /** Kind, field, name, before, after, id and the mark of a diff as JSON: one text instead of many. */
  readonly what: string;
}

/**
 * Lines in the order in which they were added. Most have the same change as others, and every agent has several, so
 * changes and agents are stored once and have indexes.
 */
export class HistoryLines {
  readonly changes: Change[] = [];
  readonly agents: number[] = [];
  /** For each line its id, its change, its agent, and its time in Unix milliseconds. */
  readonly idOf: number[] = [];
  readonly changeOf: number[] = [];
  readonly agentOf: number[] = [];
  readonly timeOf: number[] = [];
  readonly #changes = new Map<string, number>();
  readonly #agents = new Map<number, number>();

  get size(): number {
    return this.timeOf.length;
  }

  /** Adds a line, unless its change explains no error. */
  add({ id, agent_id, time_ms, what }: HistoryRow): void {
    const change = this.#changes.get(what) ?? this.#addChange(what);
    if (change === IRRELEVANT) return;
    let agent = this.#agents.get(agent_id);
    if (agent === undefined) {
      agent = this.agents.push(agent_id) - 1;
      this.#agents.set(agent_id, agent);
    }
    this.idOf.push(id);
    this.changeOf.push(change);
    this.agentOf.push(agent);
    this.timeOf.push(time_ms);
  }

  #addChange(what: string): number {
    const [kind, field, name, before, after, changeId, hasDiff] = JSON.parse(what) as What;
    const change = isRelevant(kind, field)
      ? this.changes.push({ kind, field, name, before, after, changeId, hasDiff: Boolean(hasDiff) }) - 1
      : IRRELEVANT;
    this.#changes.set(what, change);
    return change;
  }
}

type What = [AgentEventKind, string, string, string, string, number, number | boolean];

const IRRELEVANT = -1;

/**
 * Tells whether a change may explain an error. A note or a mark on its kernel changes nothing on a host. `inactive`
 * and `deleted` come long after the agent has gone.
 */
const isRelevant = (kind: AgentEventKind, field: string) =>
  kind !== 'note' && kind !== 'inactive' && kind !== 'deleted' && field !== 'bad_kernel';
