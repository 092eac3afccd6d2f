// New entries of the histories of agents, for rules that notify of what happened.
import { statement } from '@quarterdeck/core/db';
import type { KindNeeds, Round } from './kind.ts';

/** Position in the histories of all agents. */
export interface HistoryPosition {
  /** Last entry up to which all were read. */
  readonly id: number;
  /** Wanted entries behind it that were read already. */
  readonly seen?: readonly number[] | undefined;
  /** Entry that was the newest at a time, Unix milliseconds. */
  readonly newest?: { readonly id: number; readonly ms: number } | undefined;
}

/** An entry of the history of an agent. */
export interface HistoryEntry {
  readonly id: number;
  readonly agentId: number;
  readonly timeMs: number;
  readonly kind: string;
  readonly field: string;
  readonly after: string;
}

/**
 * On PostgreSQL an entry may become visible after later ones, until its transaction ends: five seconds. Entries are
 * read at once, and looked for again until all before them are visible.
 */
const SETTLED_AFTER_MS = 10_000;
/** Entries of one portion, and portions of one round. */
const PORTION = 1_000;
const PORTIONS = 10;

const NEWEST = statement('SELECT id FROM agent_change ORDER BY id DESC LIMIT 1');
const AFTER = statement(
  `SELECT id, agent_id AS "agentId", time_ms AS "timeMs", kind,
     CASE WHEN kind IN ('operation', 'offline', 'online') THEN field ELSE '' END AS field,
     CASE WHEN kind = 'operation' THEN after ELSE '' END AS after
   FROM agent_change WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
);

/** Reads new entries. */
export interface NewHistory {
  /** Position behind all entries. */
  start(round: Round): Promise<HistoryPosition>;
  /** Entries of a kind after a position, at most `limit`, oldest first, and the position behind them. */
  after(
    round: Round,
    position: HistoryPosition,
    isWanted: (entry: HistoryEntry) => boolean,
    limit: number,
  ): Promise<{ readonly entries: readonly HistoryEntry[]; readonly position: HistoryPosition }>;
}

/** Creates a {@link NewHistory}. */
export function newHistory({ db }: Pick<KindNeeds, 'db'>): NewHistory {
  const readNewest = ({ once, read }: Round) =>
    once('agent-history', async () => (await read.sql.get<{ id: number }>(NEWEST))?.id ?? 0);

  /** Last entry before which all are visible. */
  function lastSettled({ id, newest: noted }: HistoryPosition, newest: number, nowMs: number): number {
    if (db.dialect === 'sqlite') return newest;
    return noted !== undefined && nowMs - noted.ms >= SETTLED_AFTER_MS ? noted.id : id;
  }

  /** The position after entries up to `id` were read. The newest entry is noted again when all up to it are read. */
  function positionAt(id: number, { newest: noted }: HistoryPosition, newest: number, nowMs: number): HistoryPosition {
    if (noted !== undefined && id < noted.id && noted.ms <= nowMs) return { id, newest: noted };
    return id < newest && db.dialect === 'postgresql' ? { id, newest: { id: newest, ms: nowMs } } : { id };
  }

  const readPortion = ({ once, read }: Round, afterId: number, untilId: number) =>
    once(`agent-history:${afterId}:${untilId}`, () => read.sql.all<HistoryEntry>(AFTER, afterId, untilId, PORTION));

  return {
    start: async (round) => ({ id: await readNewest(round) }),

    async after(round, position, isWanted, limit) {
      const newest = await readNewest(round);
      const settled = lastSettled(position, newest, round.nowMs);
      const before = new Set(position.seen);
      const entries: HistoryEntry[] = [];
      let { id } = position;
      for (let n = 0; n < PORTIONS && id < newest && entries.length < limit; n += 1) {
        const portion = await readPortion(round, id, newest);
        if (portion.length < PORTION) id = newest;
        for (const entry of portion) {
          if (isWanted(entry) && !before.has(entry.id)) entries.push(entry);
          if (portion.length === PORTION || entries.length === limit) id = entry.id;
          if (entries.length === limit) break;
        }
        await round.eventLoop.pause();
      }
      const next = positionAt(Math.min(id, settled), position, newest, round.nowMs);
      const seen = [...before, ...entries.map((entry) => entry.id)].filter((one) => one > next.id);
      return { entries, position: seen.length === 0 ? next : { ...next, seen } };
    },
  };
}
