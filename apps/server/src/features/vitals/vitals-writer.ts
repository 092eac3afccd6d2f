// Decides which reported vitals are stored: those of the first report of each minute.
import type { AgentVitals } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { packVitals } from './packed-vitals.ts';
import { addVitals, hourOf } from './vitals.repo.ts';

/** Vitals of a report. */
export interface NotedVitals {
  readonly agentId: number;
  /** Time of the report, Unix milliseconds. */
  readonly ms: number;
  readonly vitals: AgentVitals;
}

/** See the head of this file. */
export interface VitalsWriter {
  /** True where vitals of this time are stored: this server has stored none of the same minute. */
  isDue(agentId: number, ms: number): boolean;
  /** Adds vitals to a write, one report of each agent. Call `kept` after the write. */
  add(tx: Tx, noted: readonly NotedVitals[]): Promise<void>;
  /** Notes that a write with these vitals is durable. */
  kept(noted: readonly NotedVitals[]): void;
}

/** Agents in memory; the one that was stored longest ago is removed beyond. */
const REMEMBERED_MAX = 50_000;
const MINUTE_MS = 60_000;

interface Written {
  readonly minute: number;
  /** Layout that the row of the hour has from this server. */
  readonly layoutKey: string;
}

export function createVitalsWriter(): VitalsWriter {
  const written = new Map<number, Written>();
  /** Layouts of the write that runs. */
  const added = new Map<number, string>();

  return {
    isDue: (agentId, ms) => written.get(agentId)?.minute !== Math.floor(ms / MINUTE_MS),

    async add(tx, noted) {
      const rows = noted.map(({ agentId, ms, vitals }) => {
        const minute = Math.floor(ms / MINUTE_MS);
        const { layoutKey, layout, sample } = packVitals(vitals, minute % 60);
        const last = written.get(agentId);
        const isKnown =
          last?.layoutKey === layoutKey && hourOf(last.minute * MINUTE_MS) === hourOf(ms) && last.minute < minute;
        added.set(agentId, layoutKey);
        return { agentId, ms, vitals, bytes: isKnown ? sample : Buffer.concat([layout, sample]) };
      });
      await addVitals(tx, rows);
    },

    kept(noted) {
      for (const { agentId, ms } of noted) {
        const layoutKey = added.get(agentId);
        if (layoutKey === undefined) continue;
        written.delete(agentId);
        written.set(agentId, { minute: Math.floor(ms / MINUTE_MS), layoutKey });
      }
      added.clear();
      for (const agentId of written.keys()) {
        if (written.size <= REMEMBERED_MAX) break;
        written.delete(agentId);
      }
    },
  };
}
