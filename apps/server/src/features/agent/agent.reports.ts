// What agents say: registration, reports, goodbyes; and that some went silent.
import { type AgentActor, AppError, type EventType } from '@quarterdeck/core';
import type { Door } from '@quarterdeck/core/db';
import { newSecret } from '../../auth/secrets.ts';
import type { Deps } from '../../deps.ts';
import {
  type AgentRow,
  changedColumns,
  factColumns,
  findAgent,
  takeLostAgents,
  toAgent,
  touchAgent,
} from './agent.repo.ts';
import type { AgentService } from './agent.service.ts';

/** The methods that agents call, and the job that watches them. */
export function agentReporting(deps: Deps): Pick<AgentService, 'register' | 'heartbeat' | 'shutdown' | 'announceLost'> {
  const { db, key, events, now, agentIntervalS } = deps;

  const publish = (tx: Door, type: EventType, row: AgentRow) =>
    events.publish(tx, [{ type, data: toAgent(row, now(), 1) }]);

  /** An agent speaks for itself only; another one's path does not exist for it. */
  const requireSelf = (actor: AgentActor, id: number) => {
    if (actor.agentId !== id) throw new AppError('not_found');
  };

  return {
    async register({ body }) {
      const secret = newSecret('agent');
      const nowMs = BigInt(now());
      const { node_id: nodeId, ...facts } = body;
      const state = {
        secretHash: key.digest(secret),
        intervalS: agentIntervalS,
        isDeleted: false,
        shutdown: false,
        announcedOnline: true,
        lastReportedMs: nowMs,
        modifiedMs: nowMs,
      };
      const id = await db.write(async (tx) => {
        // One statement: of two registrations of a node at once, the second finds what the first has made.
        const row = await tx.prisma.agent.upsert({
          where: { nodeId },
          create: { ...factColumns(facts), ...state, nodeId, hostname: body.hostname, createdMs: nowMs },
          update: { ...factColumns(facts), ...state },
        });
        await publish(tx, 'agent.registered', row);
        return row.id;
      });
      return { id, secret, interval: agentIntervalS };
    },

    async heartbeat({ params, body, actor }) {
      requireSelf(actor, params.id);
      await db.write(async (tx) => {
        const silent = Object.keys(body).length === 0;
        if (silent && (await touchAgent(tx, params.id, agentIntervalS, now()))) return;
        await report(tx, params.id, body);
      });
      return { interval: agentIntervalS };
    },

    async shutdown({ params, actor }) {
      requireSelf(actor, params.id);
      await db.write(async (tx) => {
        if ((await findAgent(tx, params.id)) === null) throw new AppError('not_found');
        const row = await tx.prisma.agent.update({
          where: { id: params.id },
          data: { shutdown: true, announcedOnline: false, lastReportedMs: BigInt(now()) },
        });
        await publish(tx, 'agent.offline', row);
      });
      return undefined;
    },

    async announceLost(startedMs) {
      await db.write(async (tx) => {
        for (const id of await takeLostAgents(tx, startedMs, now())) {
          const row = await findAgent(tx, id);
          if (row !== null) await publish(tx, 'agent.offline', row);
        }
      });
    },
  };

  /** Stores what an agent says that differs from what is known, and tells of it. */
  async function report(tx: Door, id: number, facts: Parameters<typeof changedColumns>[1]): Promise<void> {
    const before = await findAgent(tx, id);
    if (before === null) throw new AppError('not_found');
    const nowMs = BigInt(now());
    const changed = changedColumns(before, facts);
    const isChanged = Object.keys(changed).length > 0;
    const row = await tx.prisma.agent.update({
      where: { id },
      data: {
        ...changed,
        intervalS: agentIntervalS,
        shutdown: false,
        announcedOnline: true,
        lastReportedMs: nowMs,
        ...(isChanged ? { modifiedMs: nowMs } : {}),
      },
    });
    if (isChanged) await publish(tx, 'agent.changed', row);
    if (!before.announcedOnline) await publish(tx, 'agent.online', row);
  }
}
