// Absences of agents in a span, from their histories: for previews.
import { statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import type { Round } from './kind.ts';

/** A time for which an agent was lost. */
export interface Absence {
  readonly agentId: number;
  readonly fromMs: number;
  /** null: it lasts. */
  readonly untilMs: number | null;
  /** The agent was in maintenance when it was lost. */
  readonly silent: boolean;
  /** Outage in which it was lost; 0 is none. */
  readonly outageId: number;
}

/** Time after the end of an outage in which its last agents return. */
const RETURN_MS = 2 * 60_000;
/** Agents of one portion. */
const PORTION = 1_000;

interface Entry {
  readonly id: number;
  readonly agentId: number;
  readonly timeMs: number;
  readonly kind: string;
  readonly field: string;
}

const LAST_ID = statement('SELECT id FROM agent ORDER BY id DESC LIMIT 1');
// The condition of the partial index, term by term. An agent without a newer state has no newer entry either.
const PRESENCE = statement(
  `SELECT c.id, c.agent_id AS "agentId", c.time_ms AS "timeMs", c.kind, c.field FROM agent a
     JOIN agent_change c ON c.agent_id = a.id AND c.time_ms >= ? AND (c.kind = 'registered' OR c.kind = 'online'
       OR c.kind = 'offline' OR c.kind = 'inactive' OR c.kind = 'deleted' OR c.kind = 'restored')
   WHERE a.id > ? AND a.id <= ? AND a.state_since_ms >= ? ORDER BY c.agent_id, c.time_ms, c.id`,
);
const MAINTENANCE = statement(
  (dialect) => `SELECT agent_id AS "agentId", time_ms AS "timeMs", before FROM agent_change
     WHERE field = 'maintenance' AND kind = 'maintenance' AND time_ms >= ? AND ${inJson(dialect, 'agent_id')}
     ORDER BY time_ms, id`,
);
const IN_MAINTENANCE = statement((dialect) => `SELECT id FROM agent WHERE maintenance AND ${inJson(dialect, 'id')}`);
const OUTAGES = statement(
  `SELECT id, started_ms AS "startedMs", ended_ms AS "endedMs", lost FROM outage
     WHERE ended_ms = 0 OR ended_ms >= CAST(? AS bigint) ORDER BY id`,
);

/** Reads the entries about the presence of all agents since a time, sorted by agent and time. */
export async function replayPresence(
  round: Round,
  fromMs: number,
): Promise<{ entries: readonly Entry[]; whyIncomplete: string | undefined }> {
  const { read, eventLoop } = round;
  const last = (await read.sql.get<{ id: number }>(LAST_ID))?.id ?? 0;
  const entries: Entry[] = [];
  for (let id = 0; id < last; id += PORTION) {
    if (round.stopped()) return { entries, whyIncomplete: 'The histories of all agents take too long to read.' };
    for (const entry of await read.sql.all<Entry>(PRESENCE, fromMs, id, id + PORTION, fromMs)) entries.push(entry);
    await eventLoop.pause();
  }
  return { entries, whyIncomplete: undefined };
}

/** Reads the absences that began since a time. */
export async function replayAbsences(
  round: Round,
  fromMs: number,
): Promise<{ absences: readonly Absence[]; whyIncomplete: string | undefined }> {
  const { read } = round;
  const { entries, whyIncomplete } = await replayPresence(round, fromMs);
  const found = absencesOf(entries);
  const wasSilent = await readMaintenance(round, found, fromMs);
  const outages = await readOutages(read, fromMs);
  const absences = found.map((absence) => ({
    ...absence,
    silent: wasSilent(absence),
    outageId: outageAt(outages, absence.fromMs),
  }));
  return { absences, whyIncomplete };
}

/** Times of an outage, Unix milliseconds; `endedMs` is 0 while it lasts. */
interface OutageTimes {
  readonly id: number;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Number of its agents. */
  readonly lost: number;
}

/** Reads the outages that lasted after a time. */
export const readOutages = ({ sql }: Tx, fromMs: number): Promise<OutageTimes[]> =>
  sql.all<OutageTimes>(OUTAGES, fromMs);

/** Id of the outage at a time; 0 where there was none. */
export const outageAt = (outages: readonly OutageTimes[], ms: number): number =>
  outages.find(({ startedMs, endedMs }) => ms >= startedMs && (endedMs === 0 || ms <= endedMs))?.id ?? 0;

/** Reads the outages whose last agents may return now. */
export const readJustEnded = async (tx: Tx, nowMs: number): Promise<OutageTimes[]> =>
  (await readOutages(tx, nowMs - RETURN_MS)).filter(({ endedMs }) => endedMs > 0);

/**
 * Id of the outage that stands for the absence of an agent from a time to another one; 0 where the agent is notified
 * itself. An outage ends when most of its agents have returned, and the others often follow within seconds.
 */
export const outageOfAbsence = (outages: readonly OutageTimes[], lostMs: number, untilMs: number): number =>
  outages.find(
    ({ startedMs, endedMs }) =>
      lostMs >= startedMs && (endedMs === 0 || (lostMs <= endedMs && untilMs <= endedMs + RETURN_MS)),
  )?.id ?? 0;

/** Absences in the entries of agents, sorted by agent and time. Each entry but `inactive` ends one. */
function absencesOf(entries: readonly Entry[]): Omit<Absence, 'silent' | 'outageId'>[] {
  const found: { agentId: number; fromMs: number; untilMs: number | null }[] = [];
  for (const { agentId, timeMs, kind, field } of entries) {
    const open = found.at(-1);
    if (kind !== 'inactive' && open?.agentId === agentId && open.untilMs === null) open.untilMs = timeMs;
    if (kind === 'offline' && field === 'lost') found.push({ agentId, fromMs: timeMs, untilMs: null });
  }
  return found;
}

/** Tells which agents were in maintenance: the state before the first later change, or the present one. */
async function readMaintenance(
  { read }: Round,
  absences: readonly { readonly agentId: number }[],
  fromMs: number,
): Promise<(absence: Pick<Absence, 'agentId' | 'fromMs'>) => boolean> {
  const ids = JSON.stringify([...new Set(absences.map(({ agentId }) => agentId))]);
  const changes = await read.sql.all<{ agentId: number; timeMs: number; before: string }>(MAINTENANCE, fromMs, ids);
  const now = new Set((await read.sql.all<{ id: number }>(IN_MAINTENANCE, ids)).map(({ id }) => id));
  return ({ agentId, fromMs: lostMs }) => {
    const next = changes.find((change) => change.agentId === agentId && change.timeMs > lostMs);
    return next === undefined ? now.has(agentId) : next.before === 'true';
  };
}
