// Reports that say nothing new, which is nearly all of them: they are taken down here and stored together. What is lost
// with a process that is killed is half a second of "was there", of agents that have far longer to report again.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { isSafelyOnline, type SeenRow } from './agent.seen.ts';
import type { ListeningWindow } from './listening-window.ts';

/** Takes down that agents are there. */
export interface Presence {
  /**
   * Takes down that an agent has reported, and what it says its log shipping is at. False where that is not
   * enough, and nothing was done: it is not online or about to be late, has operations to do, or was told another
   * interval; or what was taken down last could not be stored.
   */
  note(agent: SeenRow, shipper?: string): boolean;
  /** Stores what was taken down; resolves when that is durable, or has failed. */
  store(): Promise<void>;
}

/** What {@link createPresence} works on. */
interface PresenceDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly listeningWindow: ListeningWindow;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly agentIntervalS: number;
}

/** For so long reports gather: commits are what is expensive. */
const GATHER_MS = 500;
/** Agents in one write, so that it holds nobody else up. */
const BATCH = 250;

// Told to go from the notes to the agents: SQLite cannot know how few notes there are.
const TOUCH = statement({
  sqlite: `UPDATE agent SET last_reported_ms = n.ms, shipper = coalesce(n.shipper, agent.shipper)
     FROM (SELECT value ->> 0 AS id, value ->> 1 AS ms, value ->> 2 AS shipper FROM json_each(?)) AS n
     WHERE agent.id = n.id AND +agent.state = 'online' AND +agent.last_reported_ms < n.ms`,
  postgresql: `UPDATE agent SET last_reported_ms = n.ms, shipper = coalesce(n.shipper, agent.shipper)
     FROM (SELECT CAST(note ->> 0 AS integer) AS id, CAST(note ->> 1 AS bigint) AS ms, note ->> 2 AS shipper
       FROM json_array_elements(CAST($1 AS json)) AS note) AS n
     WHERE agent.id = n.id AND agent.state = 'online' AND agent.last_reported_ms < n.ms`,
});

interface Note {
  readonly ms: number;
  readonly shipper: string | undefined;
}

/** Makes {@link Presence}. */
export function createPresence({ db, log, listeningWindow, now, agentIntervalS }: PresenceDeps): Presence {
  let notes = new Map<number, Note>();
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;
  let hasFailed = false;

  function add(id: number, note: Note): void {
    notes.set(id, { ms: note.ms, shipper: note.shipper ?? notes.get(id)?.shipper });
    timer ??= setTimeout(() => void store(), GATHER_MS);
  }

  /** Stores all there is, some at a time. What could not be stored is kept, unless the agent has reported again. */
  async function storeAll(): Promise<void> {
    const taken = [...notes];
    notes = new Map();
    for (let at = 0; at < taken.length; at += BATCH) {
      const some = taken.slice(at, at + BATCH).map(([id, { ms, shipper }]) => [id, ms, shipper]);
      try {
        await db.write((tx: Tx) => tx.sql.run(TOUCH, JSON.stringify(some)));
        hasFailed = false;
      } catch (error) {
        // It is not the agents who are silent.
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

  async function store(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (storing !== undefined) await storing;
    if (notes.size === 0) return;
    storing = storeAll().finally(() => {
      storing = undefined;
    });
    await storing;
  }

  return {
    note(agent, shipper) {
      const nowMs = now();
      const isSilent = agent.has_operations === 0 && agent.interval_s === agentIntervalS;
      if (!isSilent || hasFailed || !isSafelyOnline(agent, nowMs)) return false;
      add(agent.id, { ms: nowMs, shipper });
      return true;
    },
    store,
  };
}
