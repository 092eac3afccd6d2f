// What is read of an agent's row together with its secret: enough to answer a report that says nothing new.
import { type AgentActor, onlineWithinMs } from '@quarterdeck/core';

/** Columns of {@link SeenRow}. */
export const SEEN_COLUMNS =
  'id, state, has_operations, interval_s, last_reported_ms, settings_managed, catch_transient_event, autorun_tools';

/** An agent as its row was when it was let in. Flags are 0 or 1. */
export interface SeenRow {
  readonly id: number;
  readonly state: string;
  readonly has_operations: number;
  readonly interval_s: number;
  /** Unix milliseconds. */
  readonly last_reported_ms: number;
  readonly settings_managed: number;
  readonly catch_transient_event: number;
  readonly autorun_tools: number;
}

/** An agent that was let in by its secret. */
export interface SeenAgent extends AgentActor {
  readonly seen: SeenRow;
}

/** What was read of an agent when it was let in: every agent of a request comes from there. */
export const seenOf = (actor: AgentActor): SeenRow => (actor as SeenAgent).seen;

/** An agent this close to the end of its time is late. More than clocks of servers that share a database may differ by. */
const CLOSE_MS = 10_000;

/** Whether an agent is online and stays so for a while, should nothing be stored of it now. */
export const isSafelyOnline = ({ state, last_reported_ms, interval_s }: SeenRow, nowMs: number): boolean =>
  state === 'online' && last_reported_ms + onlineWithinMs(interval_s) - CLOSE_MS > nowMs;
