// What agents that are known say: reports, and goodbyes.
import { type AgentActor, type AgentFacts, type AgentOrders, AppError } from '@quarterdeck/core';
import { DatabaseError, type Door, statement } from '@quarterdeck/core/db';
import type { Deps } from '../../deps.ts';
import { deliverOrders, hasUnfinished, takeReports } from '../agent-operation/operation.delivery.ts';
import { badKernelText } from '../kernel-rule/bad-kernels.ts';
import { comingAndGoing } from './agent.announce.ts';
import { hasStartedBefore, recordClone } from './agent.clones.ts';
import { changesOf, FACT_COLUMNS, isKnown } from './agent.facts.ts';
import { type AgentHappening, recordHappenings } from './agent.history.ts';
import { kernelColumns } from './agent.kernel.ts';
import { createPresence, type PresenceRow } from './agent.presence.ts';
import { type AgentRow, type LabelledAgentRow, lockAgent, toDetailedAgent } from './agent.repo.ts';
import type { AgentService } from './agent.service.ts';
import { startsOf } from './agent.starts.ts';
import { columnsOf, isCloned } from './agent.state.ts';

// What a report is compared with; on the hot path, so not by Prisma.
const KNOWN = statement(
  `SELECT ${FACT_COLUMNS}, settings_managed AS "settingsManaged", shipper, started, boot_time AS "bootTime"
     FROM agent WHERE id = ?`,
);

/** A row of {@link KNOWN}, as far as it is looked at by name. */
interface KnownRow extends Readonly<Record<string, unknown>> {
  readonly shipper: string;
  readonly started: number;
  readonly bootTime: number;
}

/** The methods that agents call with their own secrets. */
export function agentReporting(deps: Deps): Pick<AgentService, 'heartbeat' | 'shutdown'> {
  const { db, events, vigil, now, agentIntervalS } = deps;
  const presence = createPresence(db, now, agentIntervalS);

  /** An agent speaks for itself only; another one's path does not exist for it. */
  const requireSelf = (actor: AgentActor, id: number) => {
    if (actor.agentId !== id) throw new AppError('not_found');
  };

  /** Whoever could not be stored is not silent: nobody is declared lost for that. */
  async function stored<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DatabaseError) vigil.broken();
      throw error;
    }
  }

  /** Takes a report that says nothing new; undefined where it may say something, and nothing was stored. */
  async function takeSilently(id: number, facts: AgentFacts): Promise<PresenceRow | undefined> {
    if (Object.keys(facts).length === 0) return presence.note(id);
    if (facts.operations !== undefined && facts.operations.length > 0) return undefined;
    const row = await db.read.sql.get<KnownRow>(KNOWN, id);
    if (row === undefined || !isKnown(row, facts) || startsOf(row, facts).isNews) return undefined;
    const shipper = facts.shipper === undefined ? undefined : JSON.stringify(facts.shipper);
    return presence.note(id, shipper === row.shipper ? undefined : shipper);
  }

  /** Takes a report of any kind. */
  async function take(tx: Door, id: number, said: AgentFacts): Promise<AgentOrders> {
    const before = await lockAgent(tx, id);
    if (before === undefined) throw new AppError('not_found');
    const nowMs = now();
    const operations = await takeReports(tx, id, said.operations ?? [], nowMs);
    const facts = { ...said, progress: said.progress ?? operations.progress };
    const changes = changesOf(before, facts);
    const starts = startsOf(before, said);
    const isSecondHost =
      starts.restartedAt !== undefined && (await hasStartedBefore(tx, id, starts.restartedAt, nowMs));
    const isChanged = Object.keys(changes.columns).length > 0;
    const isBack = before.state !== 'online';
    const columns = {
      ...changes.columns,
      ...(await kernelColumns(tx, before, changes.columns)),
      ...starts.columns,
      ...(said.shipper === undefined ? {} : { shipper: JSON.stringify(said.shipper) }),
      ...(before.hasOperations ? { hasOperations: await hasUnfinished(tx, id) } : {}),
      ...(isChanged ? { modifiedMs: BigInt(nowMs) } : {}),
    };
    const row = await storeReport(tx, before, columns, agentIntervalS, nowMs);
    const orders = row.hasOperations ? await deliverOrders(tx, id, nowMs) : [];
    await recordHappenings(tx, happeningsOf(before, row, [...starts.happenings, ...changes.happenings]), nowMs);
    await recordHappenings(tx, operations.happenings, nowMs);
    const data = toDetailedAgent(row, vigil.moment());
    if (isChanged || (starts.isNews && !isBack)) await events.publish(tx, [{ type: 'agent.changed', data }]);
    // Of an outage is told that it is over, not who is back.
    if (isBack && before.outageId === 0)
      await events.publish(tx, [{ type: comingAndGoing(row, 'agent.online'), data }]);
    if (isSecondHost) await recordClone(tx, deps, id);
    return answer(row.settingsManaged, row.catchTransientEvent, row.autorunTools, orders);
  }

  const answer = (
    isManaged: boolean,
    catch_transient_event: boolean,
    autorun_tools: boolean,
    operations: NonNullable<AgentOrders['operations']>,
  ): AgentOrders => ({
    interval: agentIntervalS,
    ...(isManaged ? { settings: { catch_transient_event, autorun_tools } } : {}),
    ...(operations.length > 0 ? { operations } : {}),
  });

  return {
    async heartbeat({ params: { id }, body, actor }) {
      requireSelf(actor, id);
      return await stored(async () => {
        const row = await takeSilently(id, body);
        if (row === undefined) return await db.write((tx) => take(tx, id, body));
        return answer(row.settings_managed === 1, row.catch_transient_event === 1, row.autorun_tools === 1, []);
      });
    },

    async shutdown({ params: { id }, actor }) {
      requireSelf(actor, id);
      await db.write(async (tx) => {
        const before = await lockAgent(tx, id);
        if (before === undefined) throw new AppError('not_found');
        if (before.reason === 'shut_down') return;
        const nowMs = now();
        const row = await tx.prisma.agent.update({
          where: { id },
          data: {
            ...columnsOf({ state: 'offline', reason: 'shut_down', sinceMs: nowMs }),
            lastReportedMs: BigInt(nowMs),
            outageId: 0,
          },
          include: { labels: true },
        });
        await recordHappenings(tx, [{ agentId: id, kind: 'offline', field: 'shut_down' }], nowMs);
        const wasThere = before.state === 'online' || before.state === 'pending';
        const type = wasThere ? comingAndGoing(row, 'agent.offline') : 'agent.changed';
        await events.publish(tx, [{ type, data: toDetailedAgent(row, vigil.moment()) }]);
      });
      return undefined;
    },
  };
}

// Thousands may come back at once, most of them with nothing else to say: for them this is all.
const IS_THERE = statement(
  `UPDATE agent SET state = 'online', reason = 'reporting', state_since_ms = ?, outage_id = 0, secret_used = true,
     interval_s = ?, last_reported_ms = ? WHERE id = ?`,
);

/** Stores that an agent is there, and what is new of it; returns it as it is then. */
async function storeReport(
  tx: Door,
  before: LabelledAgentRow,
  columns: Partial<AgentRow>,
  intervalS: number,
  nowMs: number,
): Promise<LabelledAgentRow> {
  const sinceMs = before.state === 'online' ? Number(before.stateSinceMs) : nowMs;
  await tx.sql.run(IS_THERE, sinceMs, intervalS, nowMs, before.id);
  if (Object.keys(columns).length > 0) await tx.prisma.agent.updateMany({ where: { id: before.id }, data: columns });
  return {
    ...before,
    ...columns,
    ...columnsOf({ state: 'online', reason: 'reporting', sinceMs }),
    outageId: 0,
    secretUsed: true,
    intervalS,
    lastReportedMs: BigInt(nowMs),
  };
}

/** The lines of history that a report makes. Two hosts that take turns change everything each time: that is no history. */
function happeningsOf(
  before: LabelledAgentRow,
  row: LabelledAgentRow,
  changes: readonly Omit<AgentHappening, 'agentId'>[],
): AgentHappening[] {
  const agentId = row.id;
  const happenings: AgentHappening[] = before.state === 'online' ? [] : [{ agentId, kind: 'online' }];
  if (isCloned(before.clonedMs, Number(row.lastReportedMs))) return happenings;
  for (const change of changes) happenings.push({ ...change, agentId });
  const [from, to] = [badKernelText(before), badKernelText(row)];
  if (from !== to) happenings.push({ agentId, kind: 'changed', field: 'bad_kernel', before: from, after: to });
  return happenings;
}
