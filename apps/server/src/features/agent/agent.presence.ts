// Reports without news, which are nearly all reports. They are collected and stored together, because commits are
// expensive. A killed process loses half a second of reports; an agent has far longer to report again.
import { type AgentActor, onlineWithinMs } from '@quarterdeck/core';
import type { AgentNeeds } from './needs.ts';
import { touchAgents } from './records/agent.repo.ts';
import type { SeenRow } from './records/agent.row.ts';

/** An agent whose secret was accepted. */
export interface SeenAgent extends AgentActor {
  readonly seen: SeenRow;
}

/** The row that was read with the agent's secret. */
export const seenOf = (actor: AgentActor): SeenRow => (actor as SeenAgent).seen;

/** Collects reports without news. */
export interface Presence {
  /**
   * Takes a report, and the status of its log shipping (JSON text). Returns false, and does nothing, if the report
   * needs a write of its own: the agent is not safely online, has operations, uses another interval, or the last
   * store failed.
   */
  note(agent: SeenRow, shipper?: string): boolean;
  /** Stores the collected reports; resolves when they are durable or storing has failed. */
  store(): Promise<void>;
}

/** Reports are collected for this long. */
const COLLECT_MS = 500;
/** Reports in one write, so that other writes do not wait for long. */
const BATCH = 250;
/** An agent this close to its limit is late. Clocks of servers that share a database differ by less. */
const CLOSE_MS = 10_000;

interface Note {
  readonly ms: number;
  readonly shipper: string | undefined;
}

/** Makes {@link Presence}. */
export function createPresence({ db, log, listeningWindow, now, agentIntervalS }: AgentNeeds): Presence {
  let notes = new Map<number, Note>();
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();
  let hasFailed = false;

  function add(id: number, { ms, shipper }: Note): void {
    notes.set(id, { ms, shipper: shipper ?? notes.get(id)?.shipper });
    timer ??= setTimeout(() => void store(), COLLECT_MS);
  }

  /** Stores all reports, a batch at a time. After a failure they are kept, unless the agent has reported again. */
  async function storeAll(): Promise<void> {
    const taken = [...notes];
    notes = new Map();
    for (let at = 0; at < taken.length; at += BATCH) {
      const batch = taken.slice(at, at + BATCH).map(([id, note]) => ({ id, ...note }));
      try {
        await db.write((tx) => touchAgents(tx, batch));
        hasFailed = false;
      } catch (error) {
        listeningWindow.broken();
        if (!hasFailed) log.warn({ err: error }, 'reports of agents could not be stored');
        hasFailed = true;
        const newer = notes;
        notes = new Map();
        for (const [id, note] of [...taken.slice(at), ...newer]) add(id, note);
        return;
      }
    }
  }

  function store(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    storing = storing.then(storeAll);
    return storing;
  }

  return {
    note(agent, shipper) {
      const ms = now();
      const needsAnswer = agent.hasOperations === 1 || agent.intervalS !== agentIntervalS;
      if (needsAnswer || hasFailed || !isSafelyOnline(agent, ms)) return false;
      add(agent.id, { ms, shipper });
      return true;
    },
    store,
  };
}

/** Returns true if an agent stays online for a while without this report. */
const isSafelyOnline = ({ state, lastReportedMs, intervalS }: SeenRow, nowMs: number): boolean =>
  state === 'online' && lastReportedMs + onlineWithinMs(intervalS) - CLOSE_MS > nowMs;
