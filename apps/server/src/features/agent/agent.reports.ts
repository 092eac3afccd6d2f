// Methods that agents call with their own secrets: heartbeat and shutdown.
import { createHash } from 'node:crypto';
import { type AgentActor, type AgentFacts, AppError, type EventType, type HeartbeatResponse } from '@quarterdeck/core';
import { DatabaseError, type Tx } from '@quarterdeck/core/db';
import { nameAgent } from '@quarterdeck/store';
import type { SecretKey } from '../../auth/secrets.ts';
import { deliverOperations, takeReports } from '../agent-operation/agent-operation.lifecycle.ts';
import { found } from '../found.ts';
import { badKernelText } from '../kernel-rule/verdict/kernel-rule.verdict.ts';
import { hasStartedBefore, recordClone } from './agent.clones.ts';
import { createPresence, seenOf } from './agent.presence.ts';
import { storeCertificates } from './host-certificate.repo.ts';
import { createChangeLimit, storeHostChanges } from './host-changes.ts';
import type { AgentNeeds } from './needs.ts';
import { announceAgent, presenceEvent } from './records/agent.events.ts';
import { areKnown, factChanges, kernelColumns, type OwnEntry, startChanges } from './records/agent.facts.ts';
import { findReported, lockAgent, saveReport } from './records/agent.repo.ts';
import { type AgentRow, type SeenRow, toDetailedAgent } from './records/agent.row.ts';
import { isCloned, statusColumns } from './records/agent.status.ts';
import type { AgentTable } from './records/agent.types.ts';
import { type HistoryEntry, recordHistory } from './records/agent-history.repo.ts';
import { labelsOf } from './records/agent-label.repo.ts';
import { hasUnfinished } from './records/agent-operation.repo.ts';

/** The methods that agents call. */
export interface AgentReporting extends Pick<AgentTable, 'heartbeat' | 'shutdown'> {
  /** Stores the reports that were only collected so far. */
  storeReports(): Promise<void>;
}

/** Makes {@link AgentReporting}. */
export function agentReporting(deps: AgentNeeds): AgentReporting {
  const { db, key, listeningWindow, now, agentIntervalS } = deps;
  const presence = createPresence(deps);
  const takeChanges = createChangeLimit();

  /** Throws where an agent uses another agent's path. */
  const requireSelf = (actor: AgentActor, id: number) => {
    if (actor.agentId !== id) throw new AppError('not_found');
  };

  /** Runs a write. Agents whose reports the database refused must not be declared lost. */
  async function writeReport<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DatabaseError) listeningWindow.broken();
      throw error;
    }
  }

  /** Takes a report without news. Returns false, and does nothing, where it may have news. */
  async function takeSilently(seen: SeenRow, facts: AgentFacts): Promise<boolean> {
    const { shipper, vitals, hash_key: _key, ...others } = facts;
    const status = shipper === undefined ? undefined : JSON.stringify(shipper);
    // The status of log shipping and vitals are in nearly every report, and are stored without a comparison.
    if (Object.keys(others).length === 0) return presence.note(seen, status, vitals);
    if (facts.certificates !== undefined) return false;
    if ([facts.operations, facts.changes].some((list) => list !== undefined && list.length > 0)) return false;
    const row = await findReported(db.read, seen.id);
    if (row === undefined || !areKnown(row, facts) || startChanges(row, facts).isNews) return false;
    return presence.note(seen, status, vitals);
  }

  async function announce(tx: Tx, type: EventType, row: AgentRow): Promise<void> {
    const labels = (await labelsOf(tx, [row.id])).get(row.id) ?? [];
    await announceAgent(tx, deps, type, toDetailedAgent(row, labels, listeningWindow.moment()));
  }

  async function takeReport(tx: Tx, id: number, report: AgentFacts): Promise<HeartbeatResponse> {
    const before = found(await lockAgent(tx, id));
    const nowMs = now();
    const operations = await takeReports(tx, id, report.operations ?? [], nowMs);
    const changes = factChanges(before, { ...report, progress: report.progress ?? operations.progress });
    const starts = startChanges(before, report);
    const isSecondHost =
      starts.restartedAt !== undefined && (await hasStartedBefore(tx, id, starts.restartedAt, nowMs));
    const changeSeq = await storeHostChanges(tx, before, report.changes ?? [], { take: takeChanges, nowMs });
    if (report.certificates !== undefined) await storeCertificates(tx, id, report.certificates, nowMs);
    const isChanged = Object.keys(changes.columns).length > 0;
    const hasHostChanges = changeSeq !== before.changeSeq;
    const isBack = before.state !== 'online';
    const columns: Partial<AgentRow> = {
      ...changes.columns,
      ...(await kernelColumns(tx, before, changes.columns)),
      ...starts.columns,
      ...(report.shipper === undefined ? {} : { shipper: JSON.stringify(report.shipper) }),
      ...(before.hasOperations === 1 ? { hasOperations: Number(await hasUnfinished(tx, id)) } : {}),
      ...(isChanged ? { modifiedMs: nowMs } : {}),
      ...(hasHostChanges ? { changeSeq } : {}),
    };
    const row: AgentRow = {
      ...before,
      ...columns,
      ...statusColumns({ state: 'online', reason: 'reporting', sinceMs: isBack ? nowMs : before.stateSinceMs }),
      outageId: 0,
      secretUsed: 1,
      intervalS: agentIntervalS,
      lastReportedMs: nowMs,
    };
    await saveReport(tx, row, Object.keys(columns).length > 0);
    if (changes.columns.hostname !== undefined || starts.isNews) await nameAgent(tx, id, row.hostname);
    const pending = row.hasOperations === 1 ? await deliverOperations(tx, id, nowMs) : [];
    // Facts of a host whose agent has started, or was away, may have changed at any time since its last report.
    const isAwaited = starts.isNews || isBack;
    const sinceMs = isAwaited && before.lastReportedMs > 0 ? before.lastReportedMs : 0;
    const ownChanges = changes.history.map((change) => ({ ...change, sinceMs }));
    await recordHistory(tx, historyOf(before, row, [...starts.history, ...ownChanges]), nowMs);
    await recordHistory(tx, operations.history, nowMs);
    if (isChanged || hasHostChanges || (starts.isNews && !isBack)) await announce(tx, 'agent.changed', row);
    // The end of an outage is one event, without events of its agents.
    if (isBack && before.outageId === 0) await announce(tx, presenceEvent(row, 'agent.online'), row);
    if (isSecondHost) await recordClone(tx, deps, id);
    const stored = report.changes === undefined ? {} : { changes_stored: changeSeq };
    return { ...answer(row, pending), ...stored };
  }

  function answer(
    row: Pick<SeenRow, 'settingsManaged' | 'catchTransientEvent' | 'autorunTools'>,
    operations: NonNullable<HeartbeatResponse['operations']>,
  ): HeartbeatResponse {
    const settings = {
      catch_transient_event: row.catchTransientEvent === 1,
      autorun_tools: row.autorunTools === 1,
    };
    return {
      interval: agentIntervalS,
      ...(row.settingsManaged === 1 ? { settings } : {}),
      ...(operations.length > 0 ? { operations } : {}),
    };
  }

  return {
    async heartbeat({ params: { id }, body, actor }) {
      requireSelf(actor, id);
      return await writeReport(async () => {
        const seen = seenOf(actor);
        const handedOut = body.hash_key === undefined ? undefined : keyToHandOut(key, body.hash_key);
        const withKey = (response: HeartbeatResponse): HeartbeatResponse =>
          handedOut === undefined ? response : { ...response, hash_key: handedOut };
        if (await takeSilently(seen, body)) return withKey(answer(seen, []));
        const response = await db.write((tx) => takeReport(tx, id, body));
        if (body.vitals !== undefined) presence.noteVitals(id, body.vitals);
        return withKey(response);
      });
    },

    async shutdown({ params: { id }, actor }) {
      requireSelf(actor, id);
      await db.write(async (tx) => {
        const before = found(await lockAgent(tx, id));
        if (before.reason === 'shut_down') return;
        const nowMs = now();
        const row: AgentRow = {
          ...before,
          ...statusColumns({ state: 'offline', reason: 'shut_down', sinceMs: nowMs }),
          lastReportedMs: nowMs,
          outageId: 0,
        };
        await saveReport(tx, row, false);
        await recordHistory(tx, [{ agentId: id, kind: 'offline', field: 'shut_down' }], nowMs);
        const wasExpected = before.state === 'online' || before.state === 'pending';
        await announce(tx, wasExpected ? presenceEvent(row, 'agent.offline') : 'agent.changed', row);
      });
      return undefined;
    },

    storeReports: presence.store,
  };
}

/**
 * The history entries of a report. Two hosts that alternate change every fact each time: their changes are left out.
 */
function historyOf(before: AgentRow, row: AgentRow, changes: readonly OwnEntry[]): HistoryEntry[] {
  const agentId = row.id;
  const history: HistoryEntry[] = before.state === 'online' ? [] : [{ agentId, kind: 'online' }];
  if (isCloned(before.clonedMs, row.lastReportedMs)) return history;
  for (const change of changes) history.push({ ...change, agentId });
  const [from, to] = [badKernelText(before), badKernelText(row)];
  if (from !== to) history.push({ agentId, kind: 'changed', field: 'bad_kernel', before: from, after: to });
  return history;
}

/**
 * Returns the key under which agents hash files, so that hosts can be compared. It is derived from the key of the
 * server: all servers of a database have the same one, and the database does not have it.
 * In base64url, where an agent has another one; `agentHas` is the name of its key, '' without one. The
 * name is half of the SHA-256 of the bytes, in hexadecimal.
 */
function keyToHandOut(key: Pick<SecretKey, 'macFor'>, agentHas: string): string | undefined {
  const bytes = Buffer.from(key.macFor('hashes of files', 'installation'), 'hex');
  const name = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return name === agentHas ? undefined : bytes.toString('base64url');
}
