// Suspects of an error: the changes on affected agents before it began on each, and before it became more frequent,
// compared with the same changes on the other agents.
import {
  AppError,
  type ChangeWindow,
  type ErrlogChanges,
  type ErrlogEntry,
  onlineWithinMs,
  unixSeconds,
} from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';
import type { SourceAccess } from '@quarterdeck/store';
import { HISTORY_KEPT_MS } from '../agent/records/agent-history.repo.ts';
import { ABSENCE_MAX_MS, presenceLines, withAbsences } from './absences.ts';
import { type AffectedGroup, affectedGroups } from './affected-groups.ts';
import {
  agentsOf,
  hostnamesOf,
  type KnownAgent,
  knownAgents,
  type LabelRow,
  labelsOfAll,
  labelsOfSome,
} from './agents.repo.ts';
import { changeUrls, diffsOf, type HistoryRead, readHistory } from './change-history.repo.ts';
import { type RankedChange, rankChanges } from './change-rank.ts';
import { type DividingLabel, dividingLabel, withoutNewLabels } from './label-cover.ts';
import { describeOverLimit, type FoundOverLimit, findOverLimits } from './over-limits.ts';
import { type Rises, withRises } from './rises.ts';
import { type AgentSpan, type MergedSpan, mergeSpans } from './spans.ts';
import { countAt, groupsOfSpike, minuteCounts, readRises } from './spike-counts.ts';
import { findSpikes, type Spike } from './spikes.ts';
import { describeWindow } from './window-text.ts';
import { type ErrorWords, errorWords } from './word-evidence.ts';

export interface SuspectsQuery {
  readonly group: ErrlogEntry;
  /** Seconds to look back. */
  readonly within: number;
  /** Changes per window. */
  readonly limit: number;
  /** False for a caller that may not read agents: it gets the times of the error alone. */
  readonly showsAgents: boolean;
  /** Sources that the caller may see; undefined for all. A part of the fleet names no cause, so it gets times alone. */
  readonly access?: SourceAccess | undefined;
}

/** Spikes that get a window: the last ones. */
const SPIKES_MAX = 5;
/** Most lines of history read for one request. */
const LINES_MAX = 60_000;
/** Intervals that a change may be reported late: an agent reports once per interval. */
const REPORTED_WITHIN_INTERVALS = 2;
/** ... and a host is looked at once a minute: a change without a time of its own may be seen that late. */
const SEEN_WITHIN_S = 60;
/** Affected hosts named in the text of a window. */
const HOSTS_MAX = 3;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * Finds the changes before a group of errors.
 *
 * @throws AppError `not_found`
 */
export async function findSuspects(
  db: Database,
  { access, ...asked }: SuspectsQuery,
  nowMs: number,
): Promise<ErrlogChanges> {
  const query = { ...asked, showsAgents: asked.showsAgents && access === undefined };
  const { fingerprint = '', level, app_id: appId = 0, log, service } = query.group;
  const eventLoop = new EventLoopYield();
  const error = { fingerprint, level, appId };
  const { groups: everywhere, complete: all } = await affectedGroups(db, error, eventLoop);
  // Equal errors are of one service.
  const groups = everywhere.filter(({ src }) => access?.has({ src, service }) !== false);
  // Retention removed the groups meanwhile.
  if (groups.length === 0) throw new AppError('not_found');
  const nowS = unixSeconds(nowMs);
  const agents = await knownAgents(
    db,
    groups.map(({ agent }) => agent),
    eventLoop,
  );
  const context: Context = { db, query, words: errorWords(log), agents, eventLoop, nowMs };
  const first = await firstWindow(context, groups, nowS);
  const plans = [first];
  const { from, counts } = await minuteCounts(db, groups, nowS, eventLoop);
  const rises = await readRises(db, groups, from, from + counts.length - 1, eventLoop);
  for (const spike of withRises(findSpikes(counts, from), counts, rises, from).slice(-SPIKES_MAX)) {
    await eventLoop.pause();
    plans.push(await spikeWindow(context, groups, spike, rises));
  }
  plans.sort((a, b) => b.about.time - a.about.time);

  const spans: MergedSpan[] = [];
  let reachesBack = true;
  for (const { byAgent } of plans) {
    await eventLoop.pause();
    const own = [...byAgent.values()];
    const untilMs = ({ reportedMs, toMs }: AgentSpan) => Math.max(reportedMs, Math.min(toMs + ABSENCE_MAX_MS, nowMs));
    spans.push(...mergeSpans(own.map((span) => ({ fromMs: span.fromMs, toMs: untilMs(span) }))));
    reachesBack &&= own.every((span) => isComplete(context, span, nowMs));
  }
  // Reading the history of the fleet is most of the work.
  const history = await readHistory(db, query.showsAgents ? mergeSpans(spans) : [], LINES_MAX, eventLoop);
  const labels = query.showsAgents ? withoutNewLabels(await labelsOfAll(db), history.lines) : [];
  const examined: Examined = { history, presence: presenceLines(history.lines), labels };
  const windows: MadeWindow[] = [];
  for (const plan of plans) windows.push(await makeWindow(context, plan, examined));
  const complete = all && history.complete && reachesBack;
  if (!query.showsAgents) return withoutAgents(windows);
  return { windows: await describeWindows(db, windows, log), complete };
}

/** The times of an error alone: its changes, labels and hosts are data of agents. */
const withoutAgents = (windows: readonly MadeWindow[]): ErrlogChanges => ({
  windows: windows.map(({ window }) => ({ ...window, label: null, vitals: [], summary: '', changes: [] })),
  complete: false,
});

interface Context {
  readonly db: Database;
  readonly query: SuspectsQuery;
  /** Of the text of the error. */
  readonly words: ErrorWords;
  /** The agents that have the error, by id. */
  readonly agents: ReadonlyMap<number, KnownAgent>;
  readonly eventLoop: EventLoopYield;
  readonly nowMs: number;
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

async function spikeWindow(
  context: Context,
  groups: readonly AffectedGroup[],
  spike: Spike,
  rises: Rises,
): Promise<WindowPlan> {
  const time = spike.minute * 60;
  const part = await groupsOfSpike(context.db, groups, spike.minute, rises, context.eventLoop);
  const beganMs = ({ id }: AffectedGroup) => (part.begins.get(id) ?? spike.minute) * MINUTE_MS;
  const spans = spansOf(context, part.groups, beganMs, MINUTE_MS);
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
    const lateS = Math.max(SEEN_WITHIN_S, REPORTED_WITHIN_INTERVALS * (agent?.interval_s ?? 0));
    const reportedMs = toMs + lateS * SECOND_MS;
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

/** Reads that all windows share. */
interface Examined {
  readonly history: HistoryRead;
  /** Lines that tell whether agents were there, by their times. */
  readonly presence: readonly number[];
  readonly labels: readonly LabelRow[];
}

interface MadeWindow {
  readonly window: Omit<ChangeWindow, 'changes' | 'summary' | 'vitals'>;
  readonly changes: readonly RankedChange[];
  readonly vitals: readonly FoundOverLimit[];
  /** Some of the affected agents, and the first and the last beginning on one (Unix seconds). */
  readonly agents: readonly number[];
  readonly span: readonly [number, number];
  readonly silent: number;
}

async function makeWindow(
  context: Context,
  { about, byAgent, unknown, haveError }: WindowPlan,
  { history, presence, labels }: Examined,
): Promise<MadeWindow> {
  const { db, query, eventLoop } = context;
  await eventLoop.pause();
  const all = [...byAgent.values()];
  const fromMs = all.reduce((least, span) => Math.min(least, span.fromMs), (about.time - query.within) * SECOND_MS);
  const toMs = all.reduce((most, span) => Math.max(most, span.toMs), about.time * SECOND_MS);
  const population = await agentsOf(db, { fromMs, toMs });
  const unaffected = population.size - [...haveError.keys()].filter((agent) => population.has(agent)).length;
  const covered = history.complete ? byAgent : new Map([...byAgent].filter(([, span]) => history.covers(span)));
  const dividing = await labelOf(context, byAgent, unaffected, labels);
  const rankQuery = {
    affected: withAbsences(history.lines, presence, covered, onlineWithinMs(intervalOf(context, byAgent))),
    unaffected,
    isUnaffected: (agent: number) => !haveError.has(agent) && population.has(agent),
    withinS: query.within,
    otherEvidence: dividing?.evidence ?? Number.NEGATIVE_INFINITY,
    error: context.words,
    diffsOf: (ids: readonly number[]) => diffsOf(db, ids),
    limit: query.limit,
  };
  const changes = await rankChanges(history.lines, rankQuery, eventLoop);
  const isExplained = changes[0] !== undefined && changes[0].strength !== 'weak';
  const label = isExplained || dividing === undefined ? null : dividing.label;
  const from = Math.max(0, Math.floor(fromMs / SECOND_MS));
  const lastMs = all.reduce((most, { atMs }) => Math.max(most, atMs), about.time * SECOND_MS);
  const vitals = query.showsAgents ? await findOverLimits(db, all, [...haveError.keys()], eventLoop) : [];
  return {
    window: { ...about, from, affected: byAgent.size, unaffected, unknown, label },
    changes,
    vitals,
    agents: all.slice(0, HOSTS_MAX).map(({ agent }) => agent),
    span: [about.time, Math.floor(lastMs / SECOND_MS)],
    silent: all.filter((span) => isSilent(context, span)).length,
  };
}

/** Tells whether an agent went away shortly before the error and is away: its changes are not known yet. */
function isSilent({ agents, nowMs }: Context, { agent, fromMs, atMs }: AgentSpan): boolean {
  const { last_reported_ms: reportedMs, interval_s: intervalS } = agents.get(agent) as KnownAgent;
  return reportedMs >= fromMs && reportedMs <= atMs && reportedMs + onlineWithinMs(intervalS) < nowMs;
}

/** Returns the label that the affected agents have in common and the others have not. */
async function labelOf(
  { db }: Context,
  affected: ReadonlyMap<number, unknown>,
  unaffected: number,
  all: readonly LabelRow[],
): Promise<DividingLabel | undefined> {
  if (all.length === 0 || affected.size === 0) return undefined;
  const ofAffected = await labelsOfSome(db, affected.keys());
  return dividingLabel({ all, ofAffected, affected: affected.size, unaffected });
}

/** Returns the longest interval of some agents in seconds. */
function intervalOf({ agents }: Context, affected: ReadonlyMap<number, unknown>): number {
  let longest = 0;
  for (const agent of affected.keys()) longest = Math.max(longest, agents.get(agent)?.interval_s ?? 0);
  return longest;
}

/** Tells whether the history of an agent reaches back to the start of its span. */
function isComplete({ agents }: Context, { agent, fromMs }: AgentSpan, nowMs: number): boolean {
  const known = agents.get(agent);
  if (known === undefined || known.created_ms >= fromMs) return true;
  return fromMs >= Math.max(known.history_from_ms, nowMs - HISTORY_KEPT_MS);
}

async function describeWindows(db: Database, windows: readonly MadeWindow[], log: string): Promise<ChangeWindow[]> {
  const ids = windows.flatMap(({ agents, changes, vitals }) => [
    ...agents,
    ...vitals.flatMap((over) => over.agents.map(({ id }) => id)),
    ...changes.flatMap((change) => change.agents.map(({ id }) => id)),
  ]);
  const hostnames = await hostnamesOf(db, ids);
  const changeIds = windows.flatMap(({ changes }) => changes.map((change) => change.change_id));
  const urls = await changeUrls(db, changeIds);
  return windows.map(({ window, changes: ranked, vitals: found, agents, span, silent }) => {
    const changes = ranked.map((change) => ({
      ...change,
      url: urls.get(change.change_id) ?? '',
      agents: change.agents.map(({ id, time }) => ({ id, hostname: hostnames.get(id) ?? '', time })),
    }));
    const vitals = found.map((over) => describeOverLimit(over, hostnames, window.time));
    const names = agents.map((id) => hostnames.get(id) ?? '');
    const summary = describeWindow({ window, changes, vitals, log, hostnames: names, span, silent });
    return { ...window, vitals, summary, changes };
  });
}
