// Rules of the kind `operation.failed`: an operation of an agent failed, or the agent did not finish it in time.
import type { Agent } from '@quarterdeck/core';
import { type FailedOperation, isFailure, operationsOf, replayFailures } from './failed-operations.repo.ts';
import type { Cause, KindNeeds, MomentKind, Round, WatchingRule } from './kind.ts';
import { explainAgents } from './matching.ts';
import { type HistoryPosition, newHistory } from './new-history.repo.ts';
import { agentDetail, agentName, agentReader } from './watched-agents.ts';
import { countText } from './words.ts';

/** Failures that one round looks at. */
const LOOKED_AT = 500;
export function operationFailed(deps: Pick<KindNeeds, 'db' | 'listeningWindow'>): MomentKind {
  const readAgents = agentReader(deps);
  const history = newHistory(deps);

  async function causesOf(round: Round, rule: WatchingRule, rows: readonly FailedOperation[]): Promise<Cause[]> {
    const ids = rows.map(({ agentId }) => agentId);
    const agents = await readAgents(round, rule, ids);
    return rows.flatMap((row) => {
      const agent = agents.get(row.agentId);
      return agent === undefined ? [] : [causeOf(row, agent)];
    });
  }

  return {
    ends: false,
    manyTitle: (count) => `${countText(count, 'operation')} failed`,
    start: history.start,
    explain: explainAgents(deps),

    async happened(round, rule, given) {
      const { entries, position } = await history.after(round, given as HistoryPosition, isFailure, LOOKED_AT);
      return { causes: await causesOf(round, rule, await operationsOf(round.read, entries)), position };
    },

    async replay(round, rule, fromMs) {
      const { found, whyIncomplete } = await replayFailures(round, fromMs);
      const causes = await causesOf(round, rule, found);
      return { episodes: causes.map((cause) => ({ ...cause, untilMs: cause.sinceMs })), whyIncomplete };
    },
  };
}

function causeOf(row: FailedOperation, agent: Agent): Cause {
  const { id, kind, state, detail, createdBy, createdMs, endedMs } = row;
  const what = state === 'failed' ? 'failed' : 'was not finished in time';
  return {
    key: `operation:${id}`,
    title: `Operation ${kind} ${what} on ${agentName(agent)}${detail === '' ? '' : `: ${detail}`}`,
    detail: {
      ...agentDetail(agent),
      operation_id: id,
      operation: kind,
      state,
      reason: detail,
      created_by: createdBy,
      created: createdMs / 1000,
    },
    sinceMs: endedMs,
    silent: agent.maintenance === true,
  };
}
