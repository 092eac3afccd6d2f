// Reports without news, which are nearly all reports. They are collected and stored together, because commits are
// expensive. A killed process loses half a second of reports; an agent has far longer to report again.
import { type AgentActor, type AgentVitals, onlineWithinMs } from '@quarterdeck/core';
import { createVitalsWriter } from '../vitals/vitals-writer.ts';
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
   * Takes a report, the status of its log shipping (JSON text) and its vitals. Returns false, and does nothing, if the
   * report needs a write of its own: the agent is not safely online, has operations, uses another interval, or the
   * last store failed.
   */
  note(agent: SeenRow, shipper?: string, vitals?: AgentVitals): boolean;
  /** Takes the vitals of a report that had a write of its own. */
  noteVitals(agentId: number, vitals: AgentVitals): void;
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
  /** Vitals that are to be stored. */
  readonly vitals: AgentVitals | undefined;
  /** The report itself is stored already. */
  readonly isStored: boolean;
}

export function createPresence({ db, log, listeningWindow, now, agentIntervalS }: AgentNeeds): Presence {
  const writer = createVitalsWriter();
  let notes = new Map<number, Note>();
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();
  let hasFailed = false;

  function add(id: number, { ms, shipper, vitals, isStored }: Note): void {
    const last = notes.get(id);
    notes.set(id, {
      ms,
      shipper: shipper ?? last?.shipper,
      vitals: vitals ?? last?.vitals,
      isStored: isStored && last?.isStored !== false,
    });
    timer ??= setTimeout(() => void store(), COLLECT_MS);
  }

  /** Stores all reports, a batch at a time. After a failure they are kept, unless the agent has reported again. */
  async function storeAll(): Promise<void> {
    const taken = [...notes];
    notes = new Map();
    for (let at = 0; at < taken.length; at += BATCH) {
      const batch = taken.slice(at, at + BATCH).map(([id, note]) => ({ id, ...note }));
      const reports = batch.filter(({ isStored }) => !isStored);
      const vitals = batch.flatMap((note) =>
        note.vitals === undefined ? [] : [{ agentId: note.id, ms: note.ms, vitals: note.vitals }],
      );
      try {
        await db.write(async (tx) => {
          if (reports.length > 0) await touchAgents(tx, reports);
          await writer.add(tx, vitals);
        });
        writer.kept(vitals);
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

  const due = (agentId: number, ms: number, vitals: AgentVitals | undefined) =>
    vitals !== undefined && writer.isDue(agentId, ms) ? vitals : undefined;

  function store(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    storing = storing.then(storeAll);
    return storing;
  }

  return {
    note(agent, shipper, vitals) {
      const ms = now();
      const needsAnswer = agent.hasOperations === 1 || agent.intervalS !== agentIntervalS;
      if (needsAnswer || hasFailed || !isSafelyOnline(agent, ms)) return false;
      add(agent.id, { ms, shipper, vitals: due(agent.id, ms, vitals), isStored: false });
      return true;
    },

    noteVitals(agentId, vitals) {
      const ms = now();
      if (due(agentId, ms, vitals) !== undefined) add(agentId, { ms, shipper: undefined, vitals, isStored: true });
    },
    store,
  };
}

/** Returns true if an agent stays online for a while without this report. */
const isSafelyOnline = ({ state, lastReportedMs, intervalS }: SeenRow, nowMs: number): boolean =>
  state === 'online' && lastReportedMs + onlineWithinMs(intervalS) - CLOSE_MS > nowMs;
