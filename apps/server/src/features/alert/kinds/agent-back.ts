// Rules of the kind `agent.back`: an agent that was lost reports again.

import type { Cause, KindNeeds, MomentKind, Round, WatchingRule } from './kind.ts';
import { explainAgents } from './matching.ts';
import { type HistoryPosition, newHistory } from './new-history.repo.ts';
import { outageOfAbsence, readOutages, replayPresence } from './replay-absences.repo.ts';
import { findReturns, type Return } from './returned-agents.repo.ts';
import { agentCause, agentDetail, agentName, agentReader, outageCause } from './watched-agents.ts';
import { countText, durationText } from './words.ts';

/** Returns that one round looks at. */
const LOOKED_AT = 500;

export function agentBack(deps: Pick<KindNeeds, 'db' | 'listeningWindow'>): MomentKind {
  const readAgents = agentReader(deps);
  const history = newHistory(deps);

  async function causesOf(round: Round, rule: WatchingRule, returns: readonly Return[]): Promise<Cause[]> {
    if (returns.length === 0) return [];
    const ids = returns.map(({ agentId }) => agentId);
    const agents = await readAgents(round, rule, ids);
    const outages = await readOutages(round.read, Math.min(...returns.map(({ lostMs }) => lostMs)));
    return returns.flatMap(({ agentId, lostMs, backMs }) => {
      const agent = agents.get(agentId);
      if (agent === undefined) return [];
      // An agent whose loss was notified only as a part of an outage does not return by itself.
      const outageId = outageOfAbsence(outages, lostMs, backMs);
      const awayMs = backMs - lostMs;
      return [
        {
          key: agentCause(agentId),
          title: `${agentName(agent)} reports again after ${durationText(awayMs)}`,
          detail: { ...agentDetail(agent), lost: lostMs / 1000, away_s: Math.round(awayMs / 1000) },
          sinceMs: backMs,
          parentCause: outageId === 0 ? undefined : outageCause(outageId),
          silent: outageId > 0 || agent.maintenance === true,
        },
      ];
    });
  }

  return {
    ends: false,
    manyTitle: (count) => `${countText(count, 'agent')} report again`,
    start: history.start,
    explain: explainAgents(deps),

    async happened(round, rule, given) {
      const isReturn = ({ kind }: { readonly kind: string }) => kind === 'online';
      const { entries, position } = await history.after(round, given as HistoryPosition, isReturn, LOOKED_AT);
      const returns = await findReturns(
        round.read,
        entries.map(({ id }) => id),
      );
      return { causes: await causesOf(round, rule, returns), position };
    },

    async replay(round, rule, fromMs) {
      const { entries, whyIncomplete } = await replayPresence(round, fromMs);
      const ids = entries.filter(({ kind }) => kind === 'online').map(({ id }) => id);
      const returns: Return[] = [];
      await round.eventLoop.inParts(ids, LOOKED_AT, async (part) => {
        returns.push(...(await findReturns(round.read, part)));
      });
      const causes = await causesOf(round, rule, returns);
      return { episodes: causes.map((cause) => ({ ...cause, untilMs: cause.sinceMs })), whyIncomplete };
    },
  };
}
