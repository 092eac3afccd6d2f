// Many agents, added to the database as they are after their first report.
import { newSecret } from '../src/auth/secrets.ts';
import type { TestApi } from './start-api.ts';

/** Adds agents that have just reported; returns their ids and secrets, in order. */
export async function newFleet(api: TestApi, count: number): Promise<{ id: number; secret: string }[]> {
  const { db, key, agentIntervalS } = api.server.deps;
  const nowMs = BigInt(api.now());
  const secrets = Array.from({ length: count }, () => newSecret('agent'));
  const data = secrets.map((secret) => ({
    nodeId: secret.slice(-12),
    hostname: 'h',
    secretHash: key.digest(secret),
    secretUsed: true,
    intervalS: agentIntervalS,
    state: 'online',
    reason: 'reporting',
    stateSinceMs: nowMs,
    lastReportedMs: nowMs,
    createdMs: nowMs,
    modifiedMs: nowMs,
  }));
  await db.write((tx) => tx.prisma.agent.createMany({ data }));
  const rows = await db.read.prisma.agent.findMany({
    where: { nodeId: { in: data.map(({ nodeId }) => nodeId) } },
    select: { id: true, nodeId: true },
    orderBy: { id: 'asc' },
  });
  const secretOf = new Map(data.map(({ nodeId }, i) => [nodeId, secrets[i] ?? '']));
  return rows.map(({ id, nodeId }) => ({ id, secret: secretOf.get(nodeId) ?? '' }));
}
