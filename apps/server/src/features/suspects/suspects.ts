// Suspects of an error: the changes on affected agents before it began on each, and before it became more frequent,
// compared with the same changes on the other agents.
import { AppError, type ChangeWindow, type ErrlogChanges, unixSeconds } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { errlogStore } from '../../errlog-store/errlog-store.ts';
import { EventLoopYield } from '../../event-loop-yield.ts';
import { HISTORY_KEPT_MS } from '../agent/agent-history.repo.ts';
import { getErrlog } from '../errlog/errlog.manage.ts';
import { type AffectedGroup, affectedGroups } from './affected-groups.ts';
import { agentsOf, hostnamesOf, type KnownAgent, knownAgents } from './agents.repo.ts';
import { type HistoryRead, readHistory } from './change-history.repo.ts';
import { type RankedChange, rankChanges } from './change-rank.ts';
import { type AgentSpan, type MergedSpan, mergeSpans } from './spans.ts';
import { countAt, groupsOfSpike, minuteCounts } from './spike-counts.ts';
import { findSpikes, type Spike } from './spikes.ts';

/** Query of the suspects. */
export interface SuspectsQuery {
  /** Id of the group. */
  readonly id: number;
  /** Seconds to look back. */
  readonly within: number;
  /** Changes per window. */
  readonly limit: number;
}

/** Spikes that get a window: the last ones. */
const SPIKES_MAX = 5;
/** Most lines of history read for one request. */
const LINES_MAX = 60_000;
/** Intervals that a change may be reported late: an agent reports once per interval. */
const REPORTED_WITHIN_INTERVALS = 2;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * Finds the changes before a group of errors.
 *
 * @throws AppError `not_found`
 */
export async function findSuspects(db: Database, query: SuspectsQuery, nowMs: number): Promise<ErrlogChanges> {
  const { fingerprint = '', level, app_id: appId = 0 } = await getErrlog(errlogStore(db), query.id);
  const eventLoop = new EventLoopYield();
  const { groups, complete: all } = await affectedGroups(db, { fingerprint, level, appId }, eventLoop);
  // Retention removed the groups meanwhile.
  if (groups.length === 0) throw new AppError('not_found');
  const nowS = unixSeconds(nowMs);
  const agents = await knownAgents(
    db,
    groups.map(({ agent }) => agent),
    eventLoop,
  );
  const context: Context = { db, query, agents, eventLoop };
  const first = await firstWindow(context, groups, nowS);
  const plans = [first];
  const { from, counts } = await minuteCounts(db, groups, nowS, eventLoop);
  for (const spike of findSpikes(counts, from).slice(-SPIKES_MAX)) {
    await eventLoop.pause();
    plans.push(await spikeWindow(context, groups, spike));
  }
  plans.sort((a, b) => b.about.time - a.about.time);

  const spans: MergedSpan[] = [];
  let reachesBack = true;
  for (const { byAgent } of plans) {
    await eventLoop.pause();
    const own = [...byAgent.values()];
    spans.push(...mergeSpans(own.map(({ fromMs, reportedMs }) => ({ fromMs, toMs: reportedMs }))));
    reachesBack &&= own.every((span) => isComplete(context, span, nowMs));
  }
  const history = await readHistory(db, mergeSpans(spans), LINES_MAX, eventLoop);
  const windows: MadeWindow[] = [];
  for (const plan of plans) windows.push(await makeWindow(context, plan, history));
  const complete = all && history.complete && reachesBack;
  return { windows: await withHostnames(db, windows), complete };
}

interface Context {
  readonly db: Database;
  readonly query: SuspectsQuery;
  /** The agents that have the error, by id. */
  readonly agents: ReadonlyMap<number, KnownAgent>;
  readonly eventLoop: EventLoopYield;
}

/** A window, and the spans whose history it needs. */
interface WindowPlan extends Spans {
  readonly about: Pick<ChangeWindow, 'kind' | 'time' | 'count' | 'usual'>;
  /** Agents that do not count as unaffected. */
  readonly haveError: ReadonlyMap<number, unknown>;
}

async function firstWindow(context: Context, groups: readonly AffectedGroup[], nowS: number): Promise<WindowPlan> {
  const time = groups.reduce((least, { began }) => Math.min(least, began), Number.POSITIVE_INFINITY);
  const count = Math.max(1, await countAt(context.db, groups, time, nowS, context.eventLoop));
  // Sorted spans merge faster.
  const inOrder = [...groups].sort((a, b) => a.began - b.began);
  const spans = spansOf(context, inOrder, ({ began }) => began * SECOND_MS, SECOND_MS);
  return { about: { kind: 'first_seen', time, count, usual: 0 }, ...spans, haveError: context.agents };
}

async function spikeWindow(context: Context, groups: readonly AffectedGroup[], spike: Spike): Promise<WindowPlan> {
  const time = spike.minute * 60;
  const part = await groupsOfSpike(context.db, groups, spike.minute, context.eventLoop);
  const spans = spansOf(context, part, () => time * SECOND_MS, MINUTE_MS);
  const { count, usual } = spike;
  return { about: { kind: 'spike', time, count, usual }, ...spans, haveError: spans.byAgent };
}

interface Spans {
  readonly byAgent: ReadonlyMap<number, AgentSpan>;
  /** Sources without a known agent, or whose agent did not exist then. */
  readonly unknown: number;
}

/**
 * Finds the time on each agent in which a cause may lie. Within `lengthMs` after the error began, the order of events
 * is unknown.
 */
function spansOf(
  { agents, query }: Context,
  groups: readonly AffectedGroup[],
  atMsOf: (group: AffectedGroup) => number,
  lengthMs: number,
): Spans {
  const byAgent = new Map<number, AgentSpan>();
  let unknown = 0;
  for (const group of groups) {
    const agent = agents.get(group.agent);
    const atMs = atMsOf(group);
    const toMs = atMs + lengthMs;
    const reportedMs = toMs + REPORTED_WITHIN_INTERVALS * (agent?.interval_s ?? 0) * SECOND_MS;
    if (agent === undefined || agent.created_ms >= reportedMs) {
      unknown += 1;
      continue;
    }
    const known = byAgent.get(agent.id);
    if (known !== undefined && known.atMs <= atMs) continue;
    byAgent.set(agent.id, { agent: agent.id, fromMs: atMs - query.within * SECOND_MS, atMs, toMs, reportedMs });
  }
  return { byAgent, unknown };
}

interface MadeWindow {
  readonly window: Omit<ChangeWindow, 'changes'>;
  readonly changes: readonly RankedChange[];
}

async function makeWindow(
  { db, query, eventLoop }: Context,
  { about, byAgent, unknown, haveError }: WindowPlan,
  history: HistoryRead,
): Promise<MadeWindow> {
  await eventLoop.pause();
  const all = [...byAgent.values()];
  const fromMs = all.reduce((least, span) => Math.min(least, span.fromMs), (about.time - query.within) * SECOND_MS);
  const toMs = all.reduce((most, span) => Math.max(most, span.toMs), about.time * SECOND_MS);
  const population = await agentsOf(db, { fromMs, toMs });
  const unaffected = population.size - [...haveError.keys()].filter((agent) => population.has(agent)).length;
  const rankQuery = {
    affected: history.complete ? byAgent : new Map([...byAgent].filter(([, span]) => history.covers(span))),
    unaffected,
    isUnaffected: (agent: number) => !haveError.has(agent) && population.has(agent),
    withinS: query.within,
    limit: query.limit,
  };
  const changes = await rankChanges(history.lines, rankQuery, eventLoop);
  const from = Math.max(0, Math.floor(fromMs / SECOND_MS));
  return { window: { ...about, from, affected: byAgent.size, unaffected, unknown }, changes };
}

/** Tells whether the history of an agent reaches back to the start of its span. */
function isComplete({ agents }: Context, { agent, fromMs }: AgentSpan, nowMs: number): boolean {
  const known = agents.get(agent);
  if (known === undefined || known.created_ms >= fromMs) return true;
  return fromMs >= Math.max(known.history_from_ms, nowMs - HISTORY_KEPT_MS);
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
