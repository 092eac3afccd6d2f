// Calls and facts for tests of agents.
import type { Agent } from '@quarterdeck/core';
import { expect } from 'vitest';
import type { Answer, TestApi } from './start-api.ts';

/** Path of the list of agents. */
export const AGENTS_PATH = '/api/agents';

/** All facts that an agent can report. */
export const FACTS = {
  hostname: 'db-1.example.org',
  ip: '2001:db8::1',
  env: 'container',
  system_name: 'Debian GNU/Linux 13 (trixie)',
  bad_kernel: true,
  catch_transient_event: true,
  autorun_tools: true,
  progress: { current: 42, detail: 'downloading' },
  package: { version: 9_007_199_254_740_991, timestamp: 1_790_000_000 },
  dependency: { stap_version: '5.2', odb_version: '1.0' },
  system_version: {
    kernel_package: 'linux-image-6.12',
    kernel_bid: 'abcdef',
    kernel_distro: 'debian',
    libc: '2.41',
    kernel: '6.12.1',
  },
};

/** Calls of a test file to the server that it has started. */
export function agentCalls(api: TestApi) {
  /** Sends a request with a secret or API token in `API-Token`, or with the administrator's session. */
  const ask = (method: string, path: string, body?: unknown, secret?: string): Promise<Answer> =>
    api.ask(method, AGENTS_PATH + path, body, secret === undefined ? undefined : { 'API-Token': secret });

  async function agentsBy(query: string): Promise<Agent[]> {
    const { status, body } = await ask('GET', `?_pagesize=10000&${query}`);
    expect(status).toBe(200);
    return body.data;
  }

  async function agentOf(id: number, query = ''): Promise<Agent> {
    const agent = (await agentsBy(query)).find((row) => row.id === id);
    if (agent === undefined) throw new Error(`there is no agent ${id} in the list`);
    return agent;
  }

  const beat = (agent: { id: number; secret: string }, body: unknown = {}) =>
    ask('POST', `/${agent.id}/heartbeat`, body, agent.secret);

  return { ask, agentsBy, agentOf, beat };
}
