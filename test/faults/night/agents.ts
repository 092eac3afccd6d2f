// Simulated agents, which report through the SDK.
import { setTimeout as delay } from 'node:timers/promises';
import { type Clients, clientsOf, untilAnswered } from './calls.ts';

export interface NightAgent {
  readonly id: number;
  /** It sends nothing. */
  isAway: boolean;
  /** Reports now. */
  beat(): Promise<void>;
}

/** Registers agents, which report every `everyMs` until the signal is aborted. They begin at different times. */
export async function startAgents(
  { admin, urls }: { admin: Clients; urls: readonly string[] },
  count: number,
  everyMs: number,
  signal: AbortSignal,
): Promise<NightAgent[]> {
  const agents: NightAgent[] = [];
  for (let n = 0; n < count; n += 1) {
    const facts = { node_id: `night-${n}`, hostname: `host-${n}` };
    const { id, secret } = await untilAnswered(admin, (client) => client.agent.register({ body: facts }));
    const agent = makeAgent(id, clientsOf(urls, secret));
    agents.push(agent);
    void report(agent, everyMs, (n * everyMs) / count, signal);
  }
  return agents;
}

function makeAgent(id: number, clients: Clients): NightAgent {
  const params = { id };
  return {
    id,
    isAway: false,
    async beat() {
      const { operations = [] } = await untilAnswered(clients, (client) =>
        client.agent.heartbeat({ params, body: {} }),
      );
      if (operations.length === 0) return;
      const reports = operations.map((operation) => ({
        id: operation.id,
        state: 'failed' as const,
        detail: 'the hook ended with 1',
      }));
      await untilAnswered(clients, (client) => client.agent.heartbeat({ params, body: { operations: reports } }));
    },
  };
}

async function report(agent: NightAgent, everyMs: number, firstMs: number, signal: AbortSignal): Promise<void> {
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
  await pause(firstMs);
  while (!signal.aborted) {
    if (!agent.isAway) await agent.beat();
    await pause(everyMs);
  }
}
