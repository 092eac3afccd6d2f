// What changed before it broke: for an error, the changes of the agents that have it in the time before it began on each,
// and before it became more frequent, next to the same changes of the agents that do not have it.
import { AppError, type ChangeWindow, type ErrlogChanges, unixSeconds } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { HISTORY_KEPT_MS } from '../../agent/agent.history.ts';
import { getErrlog } from '../upkeep/errlog.manage.ts';
import { agentsOf, hostnamesOf, type KnownAgent, knownAgents, type Member, membersOf } from './affected.repo.ts';
import { historyStarts, RowBudget, readHistory } from './change-history.ts';
import { ChangeRanking, type RankedChange } from './change-rank.ts';
import { inTurns } from './in-turns.ts';
import { type AgentSpan, mergeSpans } from './spans.ts';
import { countAt, membersOfSpike, minuteCounts } from './spike-counts.ts';
import { findSpikes, type Spike } from './spikes.ts';

/** What is asked for. */
export interface ChangesQuery {
  /** The group. */
  readonly id: number;
  /** Seconds to look back. */
  readonly within: number;
  /** Changes per window. */
  readonly limit: number;
}

/** Spikes that are looked at: the last ones. */
const SPIKES_MAX = 5;
/** Lines of history that one request reads. */
const ROWS_MAX = 60_000;
/** An agent reports once per interval; what it tells may have happened so many of them before. */
const TOLD_WITHIN_INTERVALS = 2;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * What changed before a group of errors.
 *
 * @throws AppError `not_found`
 */
export async function errlogChanges(db: Database, query: ChangesQuery, nowMs: number): Promise<ErrlogChanges> {
  const { fingerprint = '', level, app_id: appId = 0 } = await getErrlog(db.read.sql, query.id);
  const { members, complete: all } = await membersOf(db, { fingerprint, level, appId });
  // Retention was faster.
  if (members.length === 0) throw new AppError('not_found');
  const nowS = unixSeconds(nowMs);
  const agents = await knownAgents(
    db,
    members.map(({ agent }) => agent),
  );
  const context: Context = { db, query, agents, budget: new RowBudget(ROWS_MAX) };

  const first = await firstWindow(context, members, nowS);
  const windows = [first];
  const { from, counts } = await minuteCounts(db, members, nowS);
  for (const spike of findSpikes(counts, from).slice(-SPIKES_MAX).reverse()) {
    windows.push(await spikeWindow(context, members, spike));
  }
  const complete = all && windows.every((window) => window.complete) && (await reachesBack(context, first, nowMs));
  windows.sort((a, b) => b.window.time - a.window.time);
  return { windows: await withHostnames(db, windows), complete };
}

interface Context {
  readonly db: Database;
  readonly query: ChangesQuery;
  readonly agents: ReadonlyMap<number, KnownAgent>;
  readonly budget: RowBudget;
}

interface MadeWindow {
  readonly window: Omit<ChangeWindow, 'changes'>;
  readonly changes: readonly RankedChange[];
  readonly spans: ReadonlyMap<number, AgentSpan>;
  /** Everything that had to be read was. */
  readonly complete: boolean;
}

async function firstWindow(context: Context, members: readonly Member[], nowS: number): Promise<MadeWindow> {
  const time = members.reduce((least, { began }) => Math.min(least, began), Number.POSITIVE_INFINITY);
  const count = Math.max(1, await countAt(context.db, members, time, nowS));
  const spans = spansOf(context, members, ({ began }) => began * SECOND_MS, SECOND_MS);
  return makeWindow(context, { kind: 'first_seen', time, count, usual: 0 }, spans, context.agents);
}

async function spikeWindow(context: Context, members: readonly Member[], spike: Spike): Promise<MadeWindow> {
  const time = spike.minute * 60;
  const part = await membersOfSpike(context.db, members, spike.minute);
  const spans = spansOf(context, part, () => time * SECOND_MS, MINUTE_MS);
  const { count, usual } = spike;
  return makeWindow(context, { kind: 'spike', time, count, usual }, spans, spans.byAgent);
}

interface Spans {
  readonly byAgent: ReadonlyMap<number, AgentSpan>;
  /** Sources that no agent is known of, or none that was there by then. */
  readonly unknown: number;
}

/** Where a cause may lie on each agent that some groups are of. `lengthMs`: for how long nobody knows what came first. */
function spansOf(
  { agents, query }: Context,
  members: readonly Member[],
  atMsOf: (member: Member) => number,
  lengthMs: number,
): Spans {
  const byAgent = new Map<number, AgentSpan>();
  let unknown = 0;
  for (const member of members) {
    const agent = agents.get(member.agent);
    const atMs = atMsOf(member);
    const toMs = atMs + lengthMs;
    const toldMs = toMs + TOLD_WITHIN_INTERVALS * (agent?.interval_s ?? 0) * SECOND_MS;
    if (agent === undefined || agent.created_ms >= toldMs) {
      unknown += 1;
      continue;
    }
    const known = byAgent.get(agent.id);
    if (known !== undefined && known.atMs <= atMs) continue;
    byAgent.set(agent.id, { fromMs: atMs - query.within * SECOND_MS, atMs, toMs, toldMs });
  }
  return { byAgent, unknown };
}

async function makeWindow(
  { db, query, budget }: Context,
  about: Pick<ChangeWindow, 'kind' | 'time' | 'count' | 'usual'>,
  { byAgent, unknown }: Spans,
  haveError: ReadonlyMap<number, unknown>,
): Promise<MadeWindow> {
  const all = [...byAgent.values()];
  const fromMs = all.reduce((least, span) => Math.min(least, span.fromMs), (about.time - query.within) * SECOND_MS);
  const toMs = all.reduce((most, span) => Math.max(most, span.toMs), about.time * SECOND_MS);
  const population = await agentsOf(db, { fromMs, toMs });
  const unaffected = population.size - [...haveError.keys()].filter((agent) => population.has(agent)).length;
  const history = await readHistory(db, mergeSpans(byAgent), budget);
  const ranking = new ChangeRanking({
    affected: history.complete ? byAgent : new Map([...byAgent].filter(([agent]) => history.agents.has(agent))),
    unaffected,
    isUnaffected: (agent) => !haveError.has(agent) && population.has(agent),
    withinS: query.within,
    limit: query.limit,
  });
  await inTurns(history.rows, (row) => ranking.add(row));
  return {
    window: {
      ...about,
      from: Math.max(0, Math.floor(fromMs / SECOND_MS)),
      affected: byAgent.size,
      unaffected,
      unknown,
    },
    changes: ranking.ranked(),
    spans: byAgent,
    complete: history.complete,
  };
}

/** Whether the history of every agent reaches back as far as it was looked at. */
async function reachesBack({ db, agents }: Context, { spans }: MadeWindow, nowMs: number): Promise<boolean> {
  const registered = [...spans].filter(([id, { fromMs }]) => (agents.get(id)?.created_ms ?? 0) < fromMs);
  if (registered.some(([, { fromMs }]) => fromMs < nowMs - HISTORY_KEPT_MS)) return false;
  const starts = await historyStarts(
    db,
    registered.map(([id]) => id),
  );
  return registered.every(([id, { fromMs }]) => (starts.get(id) ?? 0) <= fromMs);
}

async function withHostnames(db: Database, windows: readonly MadeWindow[]): Promise<ChangeWindow[]> {
  const named = windows.flatMap(({ changes }) => changes.flatMap(({ agents }) => agents.map(({ id }) => id)));
  const hostnames = await hostnamesOf(db, named);
  return windows.map(({ window, changes }) => ({
    ...window,
    changes: changes.map(({ agents, ...change }) => ({
      ...change,
      agents: agents.map(({ id, time }) => ({ id, hostname: hostnames.get(id) ?? '', time })),
    })),
  }));
}
