// The lists that are read whole, as plain functions: for the screens that keep them, and for reading ahead.
import { type Agent, type ApiToken, type Client, paginate } from '@quarterdeck/sdk';

/** All of a fleet at once; the largest page the server gives. */
const FLEET_MAX = 10_000;
/** Tokens read at once. */
const TOKENS_MAX = 1_000;

/** Offline ones first, since they are what one looks for; then by name. */
export function inOrder(agents: Iterable<Agent>): Agent[] {
  return [...agents].sort(
    (a, b) =>
      Number(a.online) - Number(b.online) ||
      (a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : 0) ||
      a.id - b.id,
  );
}

/** The fleet. */
export async function readAgents(client: Client, signal?: AbortSignal): Promise<readonly Agent[]> {
  const agents: Agent[] = [];
  const pages = paginate(client.agent.list, { query: { detail: 1 } }, { pageSize: FLEET_MAX, signal });
  for await (const agent of pages) agents.push(agent);
  return inOrder(agents);
}

/** The tokens that were read, and how many there are. */
export interface Tokens {
  readonly rows: readonly ApiToken[];
  readonly total: number;
}

/** The API tokens. */
export async function readTokens(client: Client, signal?: AbortSignal): Promise<Tokens> {
  const { data, meta } = await client.apiToken.list({ query: { page_size: TOKENS_MAX, detail: 1 } }, { signal });
  return { rows: data, total: meta.count };
}
