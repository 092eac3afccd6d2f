// Rules of the kind `agent.offline`: an agent went silent. Agents that shut down on purpose cause no notification.
import { type Agent, type AgentState, type AlertConditionState, onlineWithinMs, unixSeconds } from '@quarterdeck/core';
import { listAgents } from '../../agent/agent-list.repo.ts';
import {
  CAUSES_MAX,
  type Cause,
  isPresent,
  type KindNeeds,
  type LastingKind,
  type Round,
  type WatchingRule,
} from './kind.ts';
import { countLateAgents, type LostAgent, readLost, readLostAmong } from './lost-agents.repo.ts';
import { explainAgents } from './matching.ts';
import { outageAlerts, watchesOutages } from './outage-hosts.repo.ts';
import { outageOfAbsence, readJustEnded, replayAbsences } from './replay-absences.repo.ts';
import { agentCause, agentDetail, agentName, agentReader, outageCause, outageTitle } from './watched-agents.ts';
import { timeText } from './words.ts';

/** A new rule notifies of agents that were lost this long ago at most. */
const NOTIFIED_WITHIN_MS = 24 * 3_600_000;
/** Time in which another rule may notify of an outage first. */
const OUTAGE_WAIT_MS = 60_000;
/** Lost agents that a rule with a filter looks at. */
const FILTERED_MAX = 5_000;
/** Agents that the alert of an outage has as examples. */
const SAMPLE = 10;
/** Agents whose last report an explanation shows. */
const SHOWN = 3;

/** A lost agent that matches the filter of a rule. */
interface Match {
  readonly row: LostAgent;
  readonly agent: Agent;
}

export function agentOffline(deps: Pick<KindNeeds, 'db' | 'listeningWindow'>): LastingKind {
  const readAgents = agentReader(deps);
  const matchingAgents = explainAgents(deps);

  const recent = ({ read, nowMs, eventLoop, once }: Round) =>
    once('agents-lost', () => readLost(read, nowMs - NOTIFIED_WITHIN_MS, eventLoop));

  /** All lost agents: those with an open alert first, then those without an outage; the latest losses first. */
  async function candidates(round: Round, open: ReadonlySet<string>): Promise<LostAgent[]> {
    const lost = new Map((await recent(round)).map((agent) => [agent.id, agent]));
    const older = [...open].map(idOf).filter((id) => id > 0 && !lost.has(id));
    for (const agent of await readLostAmong(round.read, older)) lost.set(agent.id, agent);
    const rank = ({ id, outageId }: LostAgent) => {
      if (open.has(agentCause(id))) return 0;
      return outageId === 0 ? 1 : 2;
    };
    return [...lost.values()]
      .map((row) => ({ row, rank: rank(row) }))
      .sort((a, b) => a.rank - b.rank || b.row.sinceMs - a.row.sinceMs || a.row.id - b.row.id)
      .map(({ row }) => row);
  }

  /** Lost agents that match the filter, and the number of lost agents that were not looked at. */
  async function matching(round: Round, rule: WatchingRule, rows: readonly LostAgent[]) {
    const looked = rows.slice(0, rule.filter === '' ? CAUSES_MAX : FILTERED_MAX);
    const ids = looked.map(({ id }) => id);
    const agents = await readAgents(round, rule, ids);
    const matches = looked.flatMap((row) => {
      const agent = agents.get(row.id);
      return agent === undefined ? [] : [{ row, agent }];
    });
    return { matches, unseen: rule.filter === '' ? rows.length - looked.length : 0 };
  }

  /** Agents that are online and reported longest ago, against the time after which they are lost. */
  async function reportConditions(round: Round, rule: WatchingRule): Promise<AlertConditionState[]> {
    const states = ['online', 'pending'] satisfies AgentState[];
    const filter = { include_deleted: false, state: states, ...(rule.filter !== '' && { filter: rule.filter }) };
    const moment = deps.listeningWindow.moment();
    const slice = { offset: 0, limit: SHOWN };
    const { data } = await listAgents(deps.db, {
      filter,
      place: 'query',
      sort: 'last_reported',
      slice,
      detail: 1,
      moment,
    });
    return data.map((agent) => {
      const value = Math.max(0, Math.floor(unixSeconds(round.nowMs) - agent.last_reported));
      const limit = onlineWithinMs(agent.interval ?? 0) / 1000;
      const text = `The latest report came ${value} s before, more than ${limit} s are needed: ${agentName(agent)}`;
      return { name: 'report', value, limit, met: value > limit, text };
    });
  }

  return {
    ends: true,

    async explain(round, rule, atMs) {
      const { conditions } = await matchingAgents(round, rule, atMs);
      if (isPresent(round, atMs)) return { conditions: [...conditions, ...(await reportConditions(round, rule))] };
      return { conditions, whyIncomplete: 'Times of earlier reports are not stored.' };
    },

    async active(round, rule, open) {
      const rows = await candidates(round, open);
      const { matches, unseen } = await matching(round, rule, rows);
      // A filter may exclude late agents.
      const late = rule.filter === '' ? await countLateAgents(round, deps.listeningWindow) : 0;
      const outages = await outageCauses(round, matches, late);
      const single = matches.filter(({ row }) => outages.single(row) || open.has(agentCause(row.id)));
      const justEnded = await round.once('outages-just-ended', () => readJustEnded(round.read, round.nowMs));
      // The last agents of an outage are notified only if they stay away after its end.
      const isReturning = ({ outageId, sinceMs }: LostAgent) =>
        outageId === 0 && outageOfAbsence(justEnded, sinceMs, round.nowMs) > 0;
      const causes = [...outages.causes, ...single.map((match) => causeOf(match, isReturning(match.row)))];
      return { causes: causes.slice(0, CAUSES_MAX), more: unseen + Math.max(0, causes.length - CAUSES_MAX) };
    },

    async replay(round, rule, fromMs) {
      const { absences, whyIncomplete } = await replayAbsences(round, fromMs);
      const ids = absences.map(({ agentId }) => agentId);
      const agents = await readAgents(round, rule, ids);
      const episodes = absences.flatMap(({ agentId, fromMs: sinceMs, untilMs, silent, outageId }) => {
        const agent = agents.get(agentId);
        if (agent === undefined) return [];
        const parentCause = outageId === 0 ? undefined : outageCause(outageId);
        return [{ key: agentCause(agentId), title: titleOf(agent), sinceMs, untilMs, silent, parentCause }];
      });
      return { episodes, whyIncomplete };
    },
  };
}

/**
 * Decides how agents of an outage are notified. Where a rule watches outages, its alert stands for them. Without
 * such a rule an alert of this rule does, so that an outage is one message in any case. Late agents count to the newest
 * outage.
 */
async function outageCauses(round: Round, matches: readonly Match[], late: number) {
  const members = Map.groupBy(
    matches.filter(({ row }) => row.outageId > 0),
    ({ row }) => row.outageId,
  );
  if (members.size === 0) return { causes: [], single: () => true };
  const notified = await round.once('outage-alerts', () => outageAlerts(round.read));
  const isWatched = await round.once('outage-rules', () => watchesOutages(round.read));
  const causes: Cause[] = [];
  const newest = Math.max(...members.keys());
  for (const [id, all] of members) {
    const sinceMs = Math.min(...all.map(({ row }) => row.sinceMs));
    const mayFollow = isWatched && round.nowMs - sinceMs < OUTAGE_WAIT_MS;
    if (!notified.has(outageCause(id)) && !mayFollow) {
      causes.push(causeOfOutage(id, all, id === newest ? late : 0, sinceMs));
    }
  }
  return { causes, single: ({ outageId }: LostAgent) => outageId === 0 || notified.has(outageCause(outageId)) };
}

/** Id of an agent that is a cause; NaN for other causes. */
const idOf = (key: string): number => Number(/^agent:(\d{1,10})$/.exec(key)?.[1]);

/** Title of the alert of an agent. */
const titleOf = (agent: Agent): string => `${agentName(agent)} stopped reporting`;

const causeOf = ({ row, agent }: Match, isReturning: boolean): Cause => ({
  key: agentCause(row.id),
  title: `${titleOf(agent)}; last report ${timeText(row.lastReportedMs)}`,
  detail: { ...agentDetail(agent), last_reported: row.lastReportedMs / 1000, outage_id: row.outageId },
  sinceMs: row.sinceMs,
  parentCause: row.outageId === 0 ? undefined : outageCause(row.outageId),
  silent: row.maintenance === 1 || isReturning,
});

const causeOfOutage = (id: number, members: readonly Match[], late: number, sinceMs: number): Cause => ({
  key: outageCause(id),
  title: outageTitle(members.length + late),
  detail: {
    outage_id: id,
    lost: members.length,
    late,
    sample: members.slice(0, SAMPLE).map(({ agent }) => ({ id: agent.id, hostname: agent.hostname })),
  },
  sinceMs,
});
