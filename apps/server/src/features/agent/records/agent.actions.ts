// Actions of administrators on agents: update, delete, restore, purge. An action runs on one agent or on many.
import { type AgentChange, type AgentLabels, AppError, type ErrorCode, type EventType } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import { announceAgents, announceBurst } from './agent.events.ts';
import {
  type AgentRecord,
  type AgentUpdate,
  findRecords,
  lockAgents,
  removeAgents,
  updateAgents,
} from './agent.repo.ts';
import type { Label } from './agent.row.ts';
import { deletedColumns, restoredColumns } from './agent.status.ts';
import type { AgentDeps } from './agent.types.ts';
import { type HistoryEntry, recordHistory, removeHistory } from './agent-history.repo.ts';
import { labelsOf, setLabels } from './agent-label.repo.ts';
import { cancelOperations } from './agent-operation.repo.ts';

/** The reason why an action does not fit an agent. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly msg: string;
}

export interface AgentAction {
  /** Event about each changed agent; undefined where its shown fields stay. */
  readonly event: Extract<EventType, 'agent.changed' | 'agent.removed'> | undefined;
  /** Finds the agents that the action does not fit, by id. */
  refusals(tx: Tx, rows: readonly AgentRecord[]): Promise<ReadonlyMap<number, Refusal>>;
  /** Does the slow part beforehand, in writes of its own. It may be interrupted without harm. */
  readonly prepare?: (db: Database, ids: readonly number[]) => Promise<void>;
  /** Changes the agents, inside a write. */
  apply(tx: Tx, rows: readonly AgentRecord[], nowMs: number): Promise<Applied>;
}

/** Changes that an action made. */
export interface Applied {
  /** Ids of the agents that changed. */
  readonly written: readonly number[];
  readonly history: readonly HistoryEntry[];
}

/** The agents that an action fits, and the refusals. An id without an agent is refused too. */
export interface Judgement {
  /** Number of ids that have an agent. */
  readonly found: number;
  readonly fit: readonly AgentRecord[];
  readonly failed: readonly (Refusal & { readonly id: number })[];
}

/** Refusal of an id that no agent has, or none that the caller may see. */
export const MISSING: Refusal = { code: 'not_found', msg: 'No such agent.' };
const DELETED: Refusal = { code: 'not_found', msg: 'The agent is deleted. Restore it first.' };
const NOT_DELETED: Refusal = { code: 'conflict', msg: 'The agent is not deleted. Delete it first.' };

/** Decides which agents an action fits now. */
export async function judge(tx: Tx, action: AgentAction, ids: readonly number[]): Promise<Judgement> {
  const rows = await findRecords(tx, ids);
  const known = new Set(rows.map(({ id }) => id));
  const refusals = await action.refusals(tx, rows);
  const failed = ids.flatMap((id) => {
    const refusal = known.has(id) ? refusals.get(id) : MISSING;
    return refusal === undefined ? [] : [{ id, ...refusal }];
  });
  return { found: rows.length, fit: rows.filter(({ id }) => !refusals.has(id)), failed };
}

/**
 * Runs an action inside a write, on the agents that it fits, with their history and events. `announceEach` publishes
 * an event for each agent instead of one for all.
 */
export async function perform(
  tx: Tx,
  deps: AgentDeps,
  action: AgentAction,
  ids: readonly number[],
  { actor, announceEach }: { readonly actor: string; readonly announceEach: boolean },
): Promise<Judgement & Applied> {
  // On PostgreSQL reports are stored beside this write. The lock keeps the rows as they are judged.
  await lockAgents(tx, deps.db.dialect, ids);
  const judgement = await judge(tx, action, ids);
  const nowMs = deps.now();
  const { written, history } = await action.apply(tx, judgement.fit, nowMs);
  const byActor = history.map((entry) => ({ ...entry, actor }));
  await recordHistory(tx, byActor, nowMs);
  if (action.event !== undefined && written.length > 0) {
    await (announceEach ? announce(tx, deps, action.event, written) : announceBurst(tx, deps));
  }
  return { ...judgement, written, history };
}

async function announce(
  tx: Tx,
  deps: AgentDeps,
  event: NonNullable<AgentAction['event']>,
  ids: readonly number[],
): Promise<void> {
  if (event === 'agent.changed') return announceAgents(tx, deps, event, ids);
  await deps.events.publish(
    tx,
    ids.map((id) => ({ type: event, data: { id } })),
  );
}

/** The agent of an action on one agent. Throws the refusal if there is one. */
export function requireFit({ fit, failed }: Judgement): AgentRecord {
  const [refused] = failed;
  // A missing agent and a hidden one get the same answer.
  if (refused?.code === 'not_found') throw new AppError('not_found');
  if (refused !== undefined) throw new AppError(refused.code, { message: refused.msg });
  const [row] = fit;
  if (row === undefined) throw new AppError('not_found');
  return row;
}

const idsOf = (rows: readonly AgentRecord[]) => rows.map(({ id }) => id);

const refuseDeleted = async (_tx: Tx, rows: readonly AgentRecord[]) =>
  new Map(rows.filter((row) => row.isDeleted).map(({ id }) => [id, DELETED] as const));

const refuseLiving = async (_tx: Tx, rows: readonly AgentRecord[]) =>
  new Map(rows.filter((row) => !row.isDeleted).map(({ id }) => [id, NOT_DELETED] as const));

/** Deletes agents: their secrets stop working, their operations end, and lists hide them. */
export const DELETE: AgentAction = {
  event: 'agent.removed',
  refusals: refuseDeleted,
  async apply(tx, rows, nowMs) {
    const ids = idsOf(rows);
    const cancelled = await cancelOperations(tx, ids, 'The agent was deleted.', nowMs);
    await updateAgents(tx, ids, { ...deletedColumns(nowMs), modifiedMs: nowMs });
    return { written: ids, history: [...cancelled, ...ids.map((agentId) => ({ agentId, kind: 'deleted' as const }))] };
  },
};

/** Restores deleted agents: their secrets work again. */
export const RESTORE: AgentAction = {
  event: 'agent.changed',
  refusals: refuseLiving,
  async apply(tx, rows, nowMs) {
    const ids = idsOf(rows);
    await updateAgents(tx, ids, { ...restoredColumns(nowMs), modifiedMs: nowMs });
    return { written: ids, history: ids.map((agentId) => ({ agentId, kind: 'restored' })) };
  },
};

/** Removes deleted agents for good, with history, labels and operations. Their logs stay. */
export const PURGE: AgentAction = {
  event: 'agent.removed',
  refusals: refuseLiving,
  prepare: removeHistory,
  async apply(tx, rows) {
    await removeAgents(tx, idsOf(rows));
    return { written: idsOf(rows), history: [] };
  },
};

const SETTINGS = ['catch_transient_event', 'autorun_tools'] as const;
const COLUMNS = { catch_transient_event: 'catchTransientEvent', autorun_tools: 'autorunTools' } as const;

/** Changes note, labels, settings or maintenance. An agent that has these values already is not written. */
export function updateAction(wanted: AgentChange): AgentAction {
  return {
    event: 'agent.changed',
    refusals: refuseDeleted,
    async apply(tx, rows, nowMs) {
      const labels = wanted.labels === undefined ? undefined : await labelsOf(tx, idsOf(rows));
      const history = rows.flatMap((row) => differences(row, labels?.get(row.id) ?? [], wanted));
      const written = [...new Set(history.map(({ agentId }) => agentId))];
      if (written.length === 0) return { written, history };
      await updateAgents(tx, written, { ...columnsOf(wanted), modifiedMs: nowMs });
      if (wanted.labels !== undefined) {
        const relabelled = history.filter(({ kind }) => kind === 'labels').map(({ agentId }) => agentId);
        await setLabels(tx, [...new Set(relabelled)], wanted.labels);
      }
      return { written, history };
    },
  };
}

/** Columns that a change sets. A change of one setting makes the server manage both. */
function columnsOf(wanted: AgentChange): AgentUpdate {
  const columns: { -readonly [Name in keyof AgentRecord]?: AgentRecord[Name] } = {};
  if (wanted.note !== undefined) columns.note = wanted.note;
  if (wanted.maintenance !== undefined) columns.maintenance = wanted.maintenance;
  for (const name of SETTINGS) {
    const value = wanted[name];
    if (value === undefined) continue;
    columns[COLUMNS[name]] = value;
    columns.settingsManaged = true;
  }
  return columns;
}

function differences(row: AgentRecord, labels: readonly Label[], wanted: AgentChange): HistoryEntry[] {
  const found: HistoryEntry[] = [];
  const compare = (kind: HistoryEntry['kind'], field: string, before: string, after: string | undefined) => {
    if (after !== undefined && after !== before) found.push({ agentId: row.id, kind, field, before, after });
  };
  const word = (flag: boolean | undefined) => (flag === undefined ? undefined : String(flag));
  compare('note', 'note', row.note, wanted.note);
  compare('maintenance', 'maintenance', String(row.maintenance), word(wanted.maintenance));
  const isManaged = SETTINGS.some((name) => wanted[name] !== undefined);
  compare('settings', 'managed', String(row.settingsManaged), isManaged ? 'true' : undefined);
  for (const name of SETTINGS) compare('settings', name, String(row[COLUMNS[name]]), word(wanted[name]));
  if (wanted.labels !== undefined) {
    const before = Object.fromEntries(labels.map(({ name, value }) => [name, value]));
    const names = new Set([...Object.keys(before), ...Object.keys(wanted.labels)]);
    for (const name of [...names].sort()) {
      compare('labels', name, labelText(before, name), labelText(wanted.labels, name));
    }
  }
  return found;
}

/** A label in the form of the list's filter; empty where the agent does not have it. */
export function labelText(labels: AgentLabels, name: string): string {
  const value = labels[name];
  if (value === undefined) return '';
  return value === '' ? name : `${name}=${value}`;
}
