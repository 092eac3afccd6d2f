// Rules and alerts for tests of their kinds.
import type { Alert, AlertPreview } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { lastingAdmin } from './lasting-admin.ts';
import { DIALECT, type TestApi } from './start-api.ts';
import { word } from './word.ts';

/** On PostgreSQL the histories of agents are read with a delay of up to two rounds that are this far apart. */
const SETTLED_MS = 11_000;
const SETTLED_ROUNDS = DIALECT === 'sqlite' ? 0 : 2;

/** A rule as the API takes it, without its name. */
type Draft = Omit<Parameters<Client['alert']['preview']>[0]['body'], 'name'>;

/** Calls of a test file to the server that it has started. */
export async function alertCalls(api: TestApi) {
  const { client: admin, headers } = await lastingAdmin(api);

  /** Runs all jobs, and with them one round of alerts. */
  const round = () => api.server.jobs.runAll();

  return {
    admin,
    headers,
    round,

    /** Creates a rule and runs its first round. */
    async watch(draft: Draft): Promise<number> {
      const { id } = await admin.alert.create({ body: { name: word(), ...draft } });
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
      return (await admin.alert.instances({ query })).data.toReversed();
    },

    preview: (draft: Draft): Promise<AlertPreview> => admin.alert.preview({ body: draft }),
  };
}
