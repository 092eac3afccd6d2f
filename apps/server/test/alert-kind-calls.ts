// Rules and alerts for tests of their kinds.
import type { Alert, AlertPreview } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { DIALECT, type TestApi } from './start-api.ts';
import { word } from './word.ts';

/** On PostgreSQL the histories of agents are read with a delay of up to two rounds that are this far apart. */
const SETTLED_MS = 11_000;
const SETTLED_ROUNDS = DIALECT === 'sqlite' ? 0 : 2;

/** A rule as the API takes it, without its name. */
type Draft = Omit<Parameters<Client['alert']['preview']>[0]['body'], 'name'>;

/** Runs the jobs of agents and operations, and one round of alerts. */
async function agentsAndAlerts({ server }: TestApi): Promise<void> {
  await server.jobs.runAgents();
  await server.jobs.runAlerts();
}

/** Calls of a test file to the server that it has started; `round` runs the rules and the jobs that they need. */
export function alertCalls(api: TestApi, round = () => agentsAndAlerts(api)) {
  return {
    round,

    /** Creates a rule and runs its first round. */
    async watch(draft: Draft): Promise<number> {
      const { id } = await api.admin.alert.create({ body: { name: word(), ...draft } });
      await round();
      return id;
    },

    /** Runs rounds until all entries of histories are read. */
    async settle(): Promise<void> {
      await round();
      for (let i = 0; i < SETTLED_ROUNDS; i += 1) {
        api.advance(SETTLED_MS);
        await round();
      }
    },

    /** Alerts of a rule, oldest first. */
    async alertsOf(ruleId: number, state?: Alert['state']): Promise<Alert[]> {
      const query = { rule_id: ruleId, page_size: 1000, ...(state && { state }) };
      return (await api.admin.alert.instances({ query })).data.toReversed();
    },

    preview: (draft: Draft): Promise<AlertPreview> => api.admin.alert.preview({ body: draft }),
  };
}
