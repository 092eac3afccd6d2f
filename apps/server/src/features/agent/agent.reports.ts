// What agents that are known say: reports, and goodbyes.
import { type AgentActor, type AgentFacts, AppError, type EventType, type HeartbeatResponse } from '@quarterdeck/core';
import { DatabaseError, statement, type Tx } from '@quarterdeck/core/db';
import type { Deps } from '../../deps.ts';
import { deliverOperations, hasUnfinished, takeReports } from '../agent-operation/operation.delivery.ts';
import { badKernelText } from '../kernel-rule/bad-kernels.ts';
import { comingAndGoing } from './agent.announce.ts';
import { hasStartedBefore, recordClone } from './agent.clones.ts';
import { type AgentRow, selected } from './agent.columns.ts';
import { changesOf, FACT_COLUMNS, isKnown } from './agent.facts.ts';
import { type HistoryEntry, recordHistory } from './agent.history.ts';
import { kernelColumns } from './agent.kernel.ts';
import { labelsOf } from './agent.labels.ts';
import { createPresence } from './agent.presence.ts';
import { lockAgent, toDetailedAgent } from './agent.repo.ts';
import { type SeenRow, seenOf } from './agent.seen.ts';
import type { AgentTable } from './agent.service.ts';
import { startsOf } from './agent.starts.ts';
import { columnsOf, isCloned } from './agent.state.ts';
import { saveReport } from './agent.store.ts';

// What a report is compared with; on the hot path, so not by Prisma.
const KNOWN = statement(
  `SELECT ${selected([...FACT_COLUMNS, 'settingsManaged', 'started', 'bootTime'])} FROM agent WHERE id = ?`,
);

/** A row of {@link KNOWN}, as far as it is looked at by name. */
interface KnownRow extends Readonly<Record<string, unknown>> {
  readonly started: number;
  readonly bootTime: number;
}

/** The methods that agents call with their own secrets. */
export interface AgentReporting extends Pick<AgentTable, 'heartbeat' | 'shutdown'> {
  /** Stores the reports that were only taken down so far. */
  storeReports(): Promise<void>;
}

/** Makes {@link AgentReporting}. */
export function agentReporting(deps: Deps): AgentReporting {
  const { db, events, listeningWindow, now, agentIntervalS } = deps;
  const presence = createPresence(deps);

  /** An agent speaks for itself only; another one's path does not exist for it. */
  const requireSelf = (actor: AgentActor, id: number) => {
    if (actor.agentId !== id) throw new AppError('not_found');
  };

  /** Whoever could not be stored is not silent: nobody is declared lost for that. */
  async function stored<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DatabaseError) listeningWindow.broken();
      throw error;
    }
  }

  /** Takes a report that says nothing new; false where it may say something, and nothing was done. */
  async function takeSilently(seen: SeenRow, facts: AgentFacts): Promise<boolean> {
    if (Object.keys(facts).length === 0) return presence.note(seen);
    if (facts.operations !== undefined && facts.operations.length > 0) return false;
    const row = await db.read.sql.get<KnownRow>(KNOWN, seen.id);
    if (row === undefined || !isKnown(row, facts) || startsOf(row, facts).isNews) return false;
    return presence.note(seen, facts.shipper === undefined ? undefined : JSON.stringify(facts.shipper));
  }

  /** Tells subscribers of an agent as it is now. */
  async function tell(tx: Tx, type: EventType, row: AgentRow): Promise<void> {
    const labels = (await labelsOf(tx.sql, [row.id])).get(row.id) ?? [];
    await events.publish(tx, [{ type, data: toDetailedAgent({ ...row, labels }, listeningWindow.moment()) }]);
  }

  /** Takes a report of any kind. */
  async function take(tx: Tx, id: number, said: AgentFacts): Promise<HeartbeatResponse> {
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
    const columns: Partial<AgentRow> = {
      ...changes.columns,
      ...(await kernelColumns(tx, before, changes.columns)),
      ...starts.columns,
      ...(said.shipper === undefined ? {} : { shipper: JSON.stringify(said.shipper) }),
      ...(before.hasOperations === 1 ? { hasOperations: Number(await hasUnfinished(tx, id)) } : {}),
      ...(isChanged ? { modifiedMs: nowMs } : {}),
    };
    const row: AgentRow = {
      ...before,
      ...columns,
      ...columnsOf({ state: 'online', reason: 'reporting', sinceMs: isBack ? nowMs : before.stateSinceMs }),
      ...{ outageId: 0, secretUsed: 1, intervalS: agentIntervalS, lastReportedMs: nowMs },
    };
    await saveReport(tx, row, Object.keys(columns).length > 0);
    const orders = row.hasOperations === 1 ? await deliverOperations(tx, id, nowMs) : [];
    await recordHistory(tx, happeningsOf(before, row, [...starts.happenings, ...changes.happenings]), nowMs);
    await recordHistory(tx, operations.happenings, nowMs);
    if (isChanged || (starts.isNews && !isBack)) await tell(tx, 'agent.changed', row);
    // Of an outage is told that it is over, not who is back.
    if (isBack && before.outageId === 0) await tell(tx, comingAndGoing(row, 'agent.online'), row);
    if (isSecondHost) await recordClone(tx, deps, id);
    return answer(row.settingsManaged === 1, row.catchTransientEvent === 1, row.autorunTools === 1, orders);
  }

  const answer = (
    isManaged: boolean,
    catch_transient_event: boolean,
    autorun_tools: boolean,
    operations: NonNullable<HeartbeatResponse['operations']>,
  ): HeartbeatResponse => ({
    interval: agentIntervalS,
    ...(isManaged ? { settings: { catch_transient_event, autorun_tools } } : {}),
    ...(operations.length > 0 ? { operations } : {}),
  });

  return {
    async heartbeat({ params: { id }, body, actor }) {
      requireSelf(actor, id);
      return await stored(async () => {
        const seen = seenOf(actor);
        if (!(await takeSilently(seen, body))) return await db.write((tx) => take(tx, id, body));
        return answer(seen.settings_managed === 1, seen.catch_transient_event === 1, seen.autorun_tools === 1, []);
      });
    },

    async shutdown({ params: { id }, actor }) {
      requireSelf(actor, id);
      await db.write(async (tx) => {
        const before = await lockAgent(tx, id);
        if (before === undefined) throw new AppError('not_found');
        if (before.reason === 'shut_down') return;
        const nowMs = now();
        const row: AgentRow = {
          ...before,
          ...columnsOf({ state: 'offline', reason: 'shut_down', sinceMs: nowMs }),
          ...{ lastReportedMs: nowMs, outageId: 0 },
        };
        await saveReport(tx, row, false);
        await recordHistory(tx, [{ agentId: id, kind: 'offline', field: 'shut_down' }], nowMs);
        const wasThere = before.state === 'online' || before.state === 'pending';
        const type = wasThere ? comingAndGoing(row, 'agent.offline') : 'agent.changed';
        await tell(tx, type, row);
      });
      return undefined;
    },

    storeReports: presence.store,
  };
}

/** The lines of history that a report makes. Two hosts that take turns change everything each time: that is no history. */
function happeningsOf(
  before: AgentRow,
  row: AgentRow,
  changes: readonly Omit<HistoryEntry, 'agentId'>[],
): HistoryEntry[] {
  const agentId = row.id;
  const happenings: HistoryEntry[] = before.state === 'online' ? [] : [{ agentId, kind: 'online' }];
  if (isCloned(before.clonedMs, row.lastReportedMs)) return happenings;
  for (const change of changes) happenings.push({ ...change, agentId });
  const [from, to] = [badKernelText(before), badKernelText(row)];
  if (from !== to) happenings.push({ agentId, kind: 'changed', field: 'bad_kernel', before: from, after: to });
  return happenings;
}
