// Calls and facts for tests of agents.
import { randomBytes, randomUUID } from 'node:crypto';
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
export function agentCalls(api: () => TestApi) {
  /** Sends a request with a secret or API token in `API-Token`, or with the administrator's session. */
  async function ask(method: string, path: string, body?: unknown, secret?: string): Promise<Answer> {
    const credential = secret === undefined ? { 'edge-token': api().adminToken } : { 'API-Token': secret };
    return api().fetch(AGENTS_PATH + path, {
      method,
      headers: { ...credential, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

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

  /** Adds online agents to the database and returns their ids. Registering them one by one would be slow. */
  async function storeAgents(count: number, kernelOf: (n: number) => string = () => ''): Promise<number[]> {
    const { db } = api().server.deps;
    const ms = BigInt(api().now());
    const times = { createdMs: ms, modifiedMs: ms, lastReportedMs: ms, stateSinceMs: ms };
    const data = Array.from({ length: count }, (_, n) => {
      const nodeId = randomUUID();
      const secretHash = randomBytes(32);
      const columns = { nodeId, hostname: `host-${nodeId}`, kernel: kernelOf(n), secretHash, intervalS: 30 };
      return { ...columns, ...times, state: 'online', reason: 'reporting' };
    });
    // On a busy machine, many rows would exceed the time limit of a write.
    for (let at = 0; at < data.length; at += 50) {
      const some = data.slice(at, at + 50);
      await db.write((tx) => tx.prisma.agent.createMany({ data: some }));
    }
    const nodeIds = data.map(({ nodeId }) => nodeId);
    const rows = await db.read.prisma.agent.findMany({ where: { nodeId: { in: nodeIds } }, orderBy: { id: 'asc' } });
    return rows.map(({ id }) => id);
  }

  return { ask, agentsBy, agentOf, beat, storeAgents };
}
