// Reports that say nothing new, which is nearly all of them. Those that come within a moment are one write: while one
// commit is made durable the next ones gather. None is answered before it is stored.
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, type Door, statement } from '@quarterdeck/core/db';

/** What an answer to such a report needs to know. Flags are 0 or 1. */
export interface PresenceRow {
  readonly id: number;
  readonly settings_managed: number;
  readonly catch_transient_event: number;
  readonly autorun_tools: number;
}

/** Stores that agents are there. */
export interface Presence {
  /**
   * Stores that an agent has reported, and what its log shipping is at where that is new; resolves once that is durable.
   * Undefined where there is more to do than that, and nothing was stored: it was not online, has operations to do, or
   * was told another interval.
   */
  note(id: number, shipper?: string): Promise<PresenceRow | undefined>;
}

/** For so long reports gather after a commit: commits are what is expensive, and nobody notices. */
const GATHER_MS = 20;
/** Reports in one write, so that it holds nobody else up. */
const BATCH = 500;

const UNCHANGED = "state = 'online' AND NOT has_operations AND interval_s = ?";
const ANSWER = 'RETURNING id, settings_managed, catch_transient_event, autorun_tools';
const TOUCH = statement({
  sqlite: `UPDATE agent SET last_reported_ms = ? WHERE id IN (SELECT value FROM json_each(?)) AND ${UNCHANGED} ${ANSWER}`,
  postgresql: `UPDATE agent SET last_reported_ms = $1
     WHERE id = ANY(ARRAY(SELECT CAST(value AS integer) FROM json_array_elements_text(CAST($2 AS json))))
       AND ${UNCHANGED.replace('?', '$3')} ${ANSWER}`,
});
const TOUCH_SHIPPER = statement(
  `UPDATE agent SET last_reported_ms = ?, shipper = ? WHERE id = ? AND ${UNCHANGED} ${ANSWER}`,
);

interface Note {
  readonly id: number;
  readonly shipper: string | undefined;
  readonly resolve: (row: PresenceRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes {@link Presence}. `now` is in Unix milliseconds. */
export function createPresence(db: Database, now: () => number, intervalS: number): Presence {
  let waiting: Note[] = [];
  let isRunning = false;
  let endedMs = Number.NEGATIVE_INFINITY;

  async function store(tx: Door, notes: readonly Note[]): Promise<Map<number, PresenceRow>> {
    const nowMs = now();
    const silent = notes.filter(({ shipper }) => shipper === undefined).map(({ id }) => id);
    const rows =
      silent.length === 0 ? [] : await tx.sql.all<PresenceRow>(TOUCH, nowMs, JSON.stringify(silent), intervalS);
    for (const { id, shipper } of notes) {
      if (shipper === undefined) continue;
      const row = await tx.sql.get<PresenceRow>(TOUCH_SHIPPER, nowMs, shipper, id, intervalS);
      if (row !== undefined) rows.push(row);
    }
    return new Map(rows.map((row) => [row.id, row]));
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const pauseMs = endedMs + GATHER_MS - performance.now();
      if (pauseMs > 0) await delay(pauseMs);
      const notes = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      try {
        const rows = await db.write((tx) => store(tx, notes));
        for (const { id, resolve } of notes) resolve(rows.get(id));
      } catch (error) {
        for (const { reject } of notes) reject(error);
      }
      endedMs = performance.now();
    }
    isRunning = false;
  }

  return {
    note(id, shipper) {
      return new Promise((resolve, reject) => {
        waiting.push({ id, shipper, resolve, reject });
        if (isRunning) return;
        isRunning = true;
        void run();
      });
    },
  };
}
