// What people do to agents, one by one or many at once: whom it fits, and the write that does it.
import { AppError, type ErrorCode, type EventType } from '@quarterdeck/core';
import type { Database, Dialect, Sql, Tx } from '@quarterdeck/core/db';
import type { Deps } from '../../deps.ts';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import { tellOf, tellOfMany } from './agent.announce.ts';
import { type HistoryEntry, recordHistory } from './agent.history.ts';

/** An agent, as those who change it see it. Flags are 0 or 1. */
export interface AgentRecord {
  readonly id: number;
  readonly node_id: string;
  readonly hostname: string;
  readonly is_deleted: number;
  readonly note: string;
  readonly maintenance: number;
  readonly settings_managed: number;
  readonly catch_transient_event: number;
  readonly autorun_tools: number;
}

/** Why something cannot be done to an agent. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly msg: string;
}

/** Something that can be done to agents. */
export interface AgentAction {
  /** What it is to those who listen; undefined: the agents look as before. */
  readonly event: Extract<EventType, 'agent.changed' | 'agent.removed'> | undefined;
  /** To which agents it cannot be done. */
  refusals(sql: Sql, rows: readonly AgentRecord[]): Promise<ReadonlyMap<number, Refusal>>;
  /** What can be done beforehand and take long, in writes of its own: if it all ends there, nothing is lost. */
  readonly prepare?: (db: Database, ids: readonly number[]) => Promise<void>;
  /** Does it, inside a write. Says to which agents there was something to do, and what there is to remember of it. */
  apply(tx: Tx, rows: readonly AgentRecord[], nowMs: number): Promise<Applied>;
}

/** What an action wrote. */
export interface Applied {
  readonly written: readonly number[];
  readonly happenings: readonly HistoryEntry[];
}

/** Whom an action fits. `failed` has the rest, those that are not there included; `found` are those that are. */
export interface Judgement {
  readonly found: number;
  readonly fit: readonly AgentRecord[];
  readonly failed: readonly (Refusal & { readonly id: number })[];
}

/** What a change of agents needs. */
export type AgentDeps = Pick<Deps, 'db' | 'events' | 'now' | 'listeningWindow'>;

const MISSING: Refusal = { code: 'not_found', msg: 'There is no such agent.' };

const RECORDS = `SELECT id, node_id, hostname, is_deleted, note, maintenance, settings_managed, catch_transient_event, autorun_tools
  FROM agent WHERE`;

const recordsOf = (sql: Sql, dialect: Dialect, ids: readonly number[], lock = ''): Promise<AgentRecord[]> =>
  sql.all<AgentRecord>(cached(`${RECORDS} ${inJson(dialect, 'id')} ORDER BY id${lock}`), JSON.stringify(ids));

/** Holds agents until the write ends: on PostgreSQL reports go on beside it. */
export async function lockAgents(tx: Tx, dialect: Dialect, ids: readonly number[]): Promise<void> {
  if (dialect === 'postgresql') await recordsOf(tx.sql, dialect, ids, ' FOR UPDATE');
}

/** Whom an action would fit now. */
export async function judge(sql: Sql, dialect: Dialect, action: AgentAction, ids: readonly number[]) {
  return judged(sql, action, ids, await recordsOf(sql, dialect, ids));
}

async function judged(sql: Sql, action: AgentAction, ids: readonly number[], rows: readonly AgentRecord[]) {
  const known = new Set(rows.map(({ id }) => id));
  const refusals = await action.refusals(sql, rows);
  const failed = ids.flatMap((id) => {
    const refusal = known.has(id) ? refusals.get(id) : MISSING;
    return refusal === undefined ? [] : [{ id, ...refusal }];
  });
  return { found: rows.length, fit: rows.filter(({ id }) => !refusals.has(id)), failed } satisfies Judgement;
}

/**
 * Does an action inside a write: to those it fits, with their history and the news of it. `tellEach`: subscribers are told
 * of every agent, and not to read the list again.
 */
export async function perform(
  tx: Tx,
  deps: AgentDeps,
  action: AgentAction,
  ids: readonly number[],
  { actor, tellEach }: { readonly actor: string; readonly tellEach: boolean },
): Promise<Judgement & Applied> {
  const { dialect } = deps.db;
  // On PostgreSQL reports go on beside this write: what is decided here is about the rows as they stay.
  const rows = await recordsOf(tx.sql, dialect, ids, dialect === 'postgresql' ? ' FOR UPDATE' : '');
  const judgement = await judged(tx.sql, action, ids, rows);
  const nowMs = deps.now();
  const applied = await action.apply(tx, judgement.fit, nowMs);
  const happenings = applied.happenings.map((happening) => ({ ...happening, actor }));
  await recordHistory(tx, happenings, nowMs);
  if (action.event !== undefined && applied.written.length > 0) {
    await (tellEach ? announce(tx, deps, action.event, applied.written) : tellOfMany(tx, deps.events));
  }
  return { ...judgement, ...applied };
}

async function announce(
  tx: Tx,
  { events, listeningWindow }: AgentDeps,
  event: NonNullable<AgentAction['event']>,
  ids: readonly number[],
): Promise<void> {
  if (event === 'agent.changed') return tellOf(tx, events, event, ids, listeningWindow.moment());
  await events.publish(
    tx,
    ids.map((id) => ({ type: event, data: { id } })),
  );
}

/** What became of an action on the one agent that it was about. */
export function onlyOne({ fit, failed }: Judgement): AgentRecord {
  const [refused] = failed;
  // What is not there and what may not be seen are answered alike.
  if (refused?.code === 'not_found') throw new AppError('not_found');
  if (refused !== undefined) throw new AppError(refused.code, { message: refused.msg });
  const [row] = fit;
  if (row === undefined) throw new AppError('not_found');
  return row;
}
