// Rules of the kind `agent.outage`: many agents went silent at once.
import type { Outage } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { countOnline } from '../../agent/records/agent-status.repo.ts';
import { findOpenOutages, findOutage } from '../../outage/outage.repo.ts';
import { outageLimit } from '../../outage/outage.service.ts';
import { isPresent, type KindNeeds, type LastingKind } from './kind.ts';
import { countLateAgents } from './lost-agents.repo.ts';
import { explainAgents } from './matching.ts';
import { readOutages } from './replay-absences.repo.ts';
import { outageCause, outageTitle } from './watched-agents.ts';
import { countText } from './words.ts';

export const agentOutage = (deps: Pick<KindNeeds, 'db' | 'listeningWindow'>): LastingKind => ({
  ends: true,

  async active(round) {
    const outages = await round.once('outages', () => readOpen(round.read));
    const newest = outages.at(-1)?.id;
    const lateAgents = newest === undefined ? 0 : await countLateAgents(round, deps.listeningWindow);
    const causes = outages.map(({ id, started, lost, returned, sample }) => {
      const late = id === newest ? lateAgents : 0;
      return {
        key: outageCause(id),
        title: outageTitle(lost + late),
        detail: { outage_id: id, lost, late, returned, sample },
        sinceMs: started * 1000,
      };
    });
    return { causes };
  },

  async explain(round, rule, atMs) {
    const { conditions } = await explainAgents(deps)(round, rule, atMs);
    if (!isPresent(round, atMs))
      return { conditions, whyIncomplete: 'Earlier numbers of silent agents are not stored.' };
    const value = await countLateAgents(round, deps.listeningWindow);
    const limit = outageLimit(await countOnline(round.read));
    const text = `${countText(value, 'agent')} went silent, ${limit} at once are an outage.`;
    return { conditions: [...conditions, { name: 'silent_agents', value, limit, met: value >= limit, text }] };
  },

  async replay({ read }, _rule, fromMs) {
    const rows = (await readOutages(read, fromMs)).filter(({ startedMs }) => startedMs >= fromMs);
    const episodes = rows.map(({ id, startedMs, endedMs, lost }) => ({
      key: outageCause(id),
      title: outageTitle(lost),
      sinceMs: startedMs,
      untilMs: endedMs === 0 ? null : endedMs,
    }));
    return { episodes };
  },
});

async function readOpen(read: Tx): Promise<Outage[]> {
  const outages: Outage[] = [];
  for (const { id } of await findOpenOutages(read)) {
    const outage = await findOutage(read, id);
    if (outage !== undefined) outages.push(outage);
  }
  return outages;
}
