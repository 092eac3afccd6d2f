// Background jobs. Each one is safe to run on several servers at once, and works in small slices.
import type { Database, Tx } from '@quarterdeck/core/db';
import { createLease } from '@quarterdeck/core/sql';
import {
  CHECK_EVERY_MS,
  checkSome,
  type DamageRecord,
  errlogStore,
  type LineReads,
  type Packer,
} from '@quarterdeck/store';
import type { Logger } from 'pino';
import { type SessionIdle, WRITE_USES_EVERY_MS } from '../auth/session-idle.ts';
import { removeOldAttempts } from '../auth/throttle.repo.ts';
import type { Backups } from '../backup/backups.ts';
import type { AgentService } from '../features/agent/agent.service.ts';
import { HISTORY_KEPT_MS, trimHistory } from '../features/agent/records/agent-history.repo.ts';
import { removeOldOperations } from '../features/agent/records/agent-operation.repo.ts';
import type { AgentOperationService } from '../features/agent-operation/agent-operation.service.ts';
import { removeOldAlerts } from '../features/alert/alert.repo.ts';
import type { AlertService } from '../features/alert/alert.service.ts';
import type { ApiTokenService } from '../features/api-token/api-token.service.ts';
import type { CredentialUse } from '../features/api-token/credential-use.ts';
import { removeOldUses } from '../features/api-token/token-use.repo.ts';
import { USES_KEPT_MS } from '../features/api-token/token-use.ts';
import type { AuditService } from '../features/audit/audit.service.ts';
import { AUDIT_SEND_EVERY_MS, type AuditSender } from '../features/audit/sending/audit-sender.ts';
import { removeOldChanges } from '../features/change/change.repo.ts';
import type { ChangeService } from '../features/change/change.service.ts';
import { removeOldDevices } from '../features/device-login/device-code.repo.ts';
import { moveByClock } from '../features/errlog/errlog.clock.ts';
import type { Retention, RetentionReport } from '../features/errlog/errlog.retention.ts';
import type { ErrlogService } from '../features/errlog/errlog.service.ts';
import { KEY_KEPT_MS } from '../features/errlog/intake/idempotency-key.ts';
import type { EventBus } from '../features/event/event.bus.ts';
import { trimEvents } from '../features/event/event.repo.ts';
import type { KernelRuleService } from '../features/kernel-rule/kernel-rule.service.ts';
import { KEY_WATCH_MS, type KeyWatch } from '../features/key/key-watch.ts';
import { removeEndedLinks } from '../features/link/link.repo.ts';
import { removeOrphanSignIns } from '../features/single-sign-on/identity.repo.ts';
import { removeExpiredTokens, removeOldExchanges } from '../features/trust/trust.repo.ts';
import { removeOldNetworks } from '../features/user/known-address.repo.ts';
import { removeExpiredSessions } from '../features/user/session.repo.ts';
import type { UserService } from '../features/user/user.service.ts';
import { goneChannels, moveMessages } from '../features/webhook/gone-channel.repo.ts';
import { boundDeliveries } from '../features/webhook/upkeep.repo.ts';
import type { Sender } from '../features/webhook/webhook.sender.ts';

const LOST_AGENTS_EVERY_MS = 5_000;
const OPERATIONS_EVERY_MS = 5_000;
const ALERTS_EVERY_MS = 5_000;
const KERNEL_REVIEW_EVERY_MS = 10_000;
const CHANGES_EVERY_MS = 10_000;
const BLOCKED_EVERY_MS = 30_000;
/** Short, because the next attempt of a message is due by the clock. */
const DELIVERIES_EVERY_MS = 1_000;
/** Short, because a channel may get thousands of messages in a minute. */
const BOUND_DELIVERIES_EVERY_MS = 15_000;
const CLEAN_EVERY_MS = 60_000;
const SLICE = 500;

const BACKUP_EVERY_MS = 30_000;
/** Corrections are carried out at once; a stopped server leaves some. */
const CORRECTIONS_EVERY_MS = 30_000;
const RETENTION_EVERY_MS = 10 * 60_000;
/** Short, because a flood fills a disk faster than anything gets old. */
const SIZE_EVERY_MS = 3_000;
/** Maximum delay of the search index; until then a search reads the new groups one by one. */
const INDEX_EVERY_MS = 5_000;
/** Short, because lists are slow after a flood of new groups. */
const VACUUM_EVERY_MS = 10_000;
/** Short, because a full segment is packed at once. */
const PACK_EVERY_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Short, so that a server that restarts each hour runs the hourly jobs too. */
const FIRST_HOURLY_AFTER_MS = 60_000;
/** Largest number of events that are kept, for a day at most. */
const EVENTS_KEPT = 10_000;
const EVENTS_KEPT_MS = 24 * HOUR_MS;
/** Time for which an expired session is kept, so that its owner learns that it expired. */
const EXPIRED_SESSIONS_KEPT_MS = 24 * HOUR_MS;
/** Time for which a token of a trust rule is kept after its expiry, so that its last use can be seen. */
const TRUST_TOKENS_KEPT_MS = 24 * HOUR_MS;
/** Time for which an alert is kept after its end. */
const ALERTS_KEPT_MS = 30 * 24 * HOUR_MS;
/** Time for which counted attempts are kept. No budget looks back as far. */
const ATTEMPTS_KEPT_MS = 24 * HOUR_MS;

export interface JobDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly now: () => number;
  readonly events: EventBus;
  readonly sessionIdle: SessionIdle;
  readonly retention: Retention;
  readonly packer: Packer;
  readonly lineReads: Pick<LineReads, 'check' | 'checkPages'>;
  readonly damage: DamageRecord;
  readonly agents: AgentService;
  readonly operations: AgentOperationService;
  readonly kernelRules: KernelRuleService;
  readonly changes: ChangeService;
  readonly tokens: ApiTokenService;
  readonly audit: AuditService;
  readonly users: UserService;
  readonly errlog: Pick<ErrlogService, 'continueCorrections'>;
  readonly alerts: AlertService;
  readonly credentials: CredentialUse;
  readonly backups: Backups;
  readonly sender: Sender;
  readonly keyWatch: KeyWatch;
  readonly auditSenders: readonly AuditSender[];
}

export interface Jobs {
  /** Runs every job once, now. */
  runAll(): Promise<void>;
  /** Evaluates all rules of alerts once, now. */
  runAlerts(): Promise<void>;
  /** Runs the sweep and the upkeep of agents, and ends overdue operations, once, now. */
  runAgents(): Promise<void>;
  /** Stops all jobs; resolves when those that run have ended. */
  stop(): Promise<void>;
}

export function startJobs(deps: JobDeps): Jobs {
  const { db, log, now, events, sessionIdle, retention, packer } = deps;
  const { agents, operations, kernelRules, changes, tokens, audit, users, alerts, credentials, backups, sender } = deps;
  const { keyWatch, auditSenders, lineReads, damage, errlog } = deps;

  const store = errlogStore(db);
  const never = () => false;
  const cleanUp: Work = async (stopped) => {
    const endedMs = now() - EXPIRED_SESSIONS_KEPT_MS;
    await inSlices(db, stopped, (tx) => removeExpiredSessions(tx, sessionIdle, endedMs, SLICE));
    await inSlices(db, stopped, (tx) => removeExpiredTokens(tx, now() - TRUST_TOKENS_KEPT_MS, SLICE));
    await inSlices(db, stopped, (tx) => removeOldUses(tx, now() - USES_KEPT_MS, SLICE));
    await inSlices(db, stopped, (tx) => removeOldExchanges(tx, now(), SLICE));
    await inSlices(db, stopped, (tx) => removeOldDevices(tx, now(), SLICE));
    await inSlices(db, stopped, (tx) => removeOrphanSignIns(tx, now() - HOUR_MS, SLICE));
    await inSlices(db, stopped, (tx) => removeEndedLinks(tx, endedMs, SLICE));
    await inSlices(db, stopped, (tx) => removeOldAttempts(tx, now() - ATTEMPTS_KEPT_MS, SLICE));
    await inSlices(db, stopped, (tx) => removeOldNetworks(tx, now(), SLICE));
    await inSlices(db, stopped, (tx) => store.removeReceipts(tx, now() - KEY_KEPT_MS, SLICE));
    await inSlices(db, stopped, (tx) => removeOldOperations(tx, now(), SLICE));
    await inSlices(db, stopped, (tx) => removeOldAlerts(tx, now() - ALERTS_KEPT_MS, SLICE));
    await inSlices(db, stopped, (tx) => trimEvents(tx, now() - EVENTS_KEPT_MS, EVENTS_KEPT, SLICE));
  };
  const moveGroups: Work = (stopped) => moveByClock(db, events, now, stopped);
  const logDeleted = ({ groups, lines }: RetentionReport) => {
    if (groups + lines > 0) log.info({ groups, lines }, 'old error logs were deleted');
  };
  const retain: Work = async (stopped) => logDeleted(await retention.run(stopped));
  const shrink: Work = async (stopped) => logDeleted(await retention.shrink(stopped));
  const indexesLease = createLease(db, 'indexes', 2 * CLEAN_EVERY_MS, now);
  const rebuildIndexes: Work = async (stopped) => {
    if (!(await store.hasSparseIndex()) || !(await indexesLease.hold())) return;
    const indexes = await store.rebuildIndexes(stopped);
    if (indexes.length > 0) log.info({ indexes }, 'sparse indexes of error groups were rebuilt');
  };
  const vacuum: Work = async () => {
    if (await store.vacuumGroups()) log.debug('error groups were vacuumed after many changes');
  };
  const indexNew: Work = (stopped) => store.updateSearchIndex(stopped);
  const warnExpiring: Work = (stopped) => tokens.announceExpiring(stopped);
  const trimAgents: Work = async (stopped) => {
    await trimHistory(db, now(), stopped);
    await inSlices(db, stopped, (tx) => removeOldChanges(tx, now() - HISTORY_KEPT_MS, SLICE));
  };
  const bound: Work = async (stopped) => {
    // A rule may have a further channel by now.
    for (const id of await goneChannels(db.read)) await moveMessages(db, id, now(), stopped);
    await boundDeliveries(db, now(), stopped);
  };
  const runAlerts = () => alerts.run(never, Number.POSITIVE_INFINITY);
  const runAgents = async () => {
    await agents.sweep(never);
    await agents.upkeep(never);
    await operations.expire(never);
  };
  const checkLease = createLease(db, 'check', 2 * CHECK_EVERY_MS, now);
  const check = (stopped: () => boolean, roundMs?: number) =>
    checkSome({ db, lineReads, damage, now }, checkLease.hold, stopped, roundMs);
  const trimAudit: Work = (stopped) => audit.trim(stopped);
  const stops = [
    repeat('last use', WRITE_USES_EVERY_MS, log, () => credentials.flush()),
    repeat('key', KEY_WATCH_MS, log, () => keyWatch.run()),
    ...auditSenders.map(({ name, run }) => repeat(`audit to ${name}`, AUDIT_SEND_EVERY_MS, log, run)),
    repeat('lost agents', LOST_AGENTS_EVERY_MS, log, agents.sweep),
    repeat('operations', OPERATIONS_EVERY_MS, log, (stopped) => operations.expire(stopped)),
    repeat('alerts', ALERTS_EVERY_MS, log, (stopped) => alerts.run(stopped)),
    repeat('kernel review', KERNEL_REVIEW_EVERY_MS, log, (stopped) => kernelRules.review(stopped)),
    repeat('changes', CHANGES_EVERY_MS, log, (stopped) => changes.finish(stopped)),
    repeat('blocked sign-ins', BLOCKED_EVERY_MS, log, () => users.recordBlocked()),
    repeat('backup', BACKUP_EVERY_MS, log, () => backups.run()),
    repeat('deliveries', DELIVERIES_EVERY_MS, log, sender.tick),
    repeat('delivery limits', BOUND_DELIVERIES_EVERY_MS, log, bound),
    repeat('clean-up', CLEAN_EVERY_MS, log, cleanUp),
    repeat('agent upkeep', CLEAN_EVERY_MS, log, agents.upkeep),
    repeat('error-log states', CLEAN_EVERY_MS, log, moveGroups),
    repeat('error-log corrections', CORRECTIONS_EVERY_MS, log, errlog.continueCorrections),
    repeat('error-log retention', RETENTION_EVERY_MS, log, retain),
    repeat('error-log size', SIZE_EVERY_MS, log, shrink),
    repeat('error-log partitions', CLEAN_EVERY_MS, log, retention.closePartition),
    repeat('error-log indexes', CLEAN_EVERY_MS, log, rebuildIndexes),
    repeat('error-log vacuum', VACUUM_EVERY_MS, log, vacuum),
    repeat('error-log packing', PACK_EVERY_MS, log, packer.run),
    repeat('error-log search', INDEX_EVERY_MS, log, indexNew),
    repeat('check of stored lines', CHECK_EVERY_MS, log, (stopped) => check(stopped)),
    repeat('expiry warnings', HOUR_MS, log, warnExpiring, FIRST_HOURLY_AFTER_MS),
    repeat('agent history', HOUR_MS, log, trimAgents, FIRST_HOURLY_AFTER_MS),
    repeat('audit retention', HOUR_MS, log, trimAudit, FIRST_HOURLY_AFTER_MS),
  ];
  return {
    async runAll() {
      await keyWatch.run();
      await credentials.flush();
      await runAgents();
      await users.recordBlocked();
      await runAlerts();
      await kernelRules.review(never);
      await changes.finish(never);
      await warnExpiring(never);
      await moveGroups(never);
      await errlog.continueCorrections(never);
      await retention.closePartition();
      await rebuildIndexes(never);
      await retain(never);
      await packer.packAll();
      await check(never, Number.POSITIVE_INFINITY);
      await indexNew(never);
      await trimAgents(never);
      await trimAudit(never);
      await cleanUp(never);
      await backups.run();
      await sender.settle();
      await bound(never);
      for (const auditSender of auditSenders) await auditSender.run(never);
    },
    runAlerts,
    runAgents,
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/** A job. It calls `stopped` now and then, and ends where that is true. */
type Work = (stopped: () => boolean) => Promise<unknown>;

/** Deletes slice by slice, so that other writes run in between. */
async function inSlices(db: Database, stopped: () => boolean, slice: (tx: Tx) => Promise<number>): Promise<void> {
  while (!stopped() && (await db.write(slice)) === SLICE);
}

function repeat(name: string, everyMs: number, log: Logger, work: Work, firstMs = everyMs) {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const run = async () => {
    try {
      await work(() => stopped);
    } catch (error) {
      // The next round tries again.
      log.warn({ err: error, job: name }, 'a job failed');
    }
    if (!stopped) schedule(everyMs);
  };
  const schedule = (afterMs: number) => {
    timer = setTimeout(() => {
      running = run();
    }, afterMs);
  };
  schedule(firstMs);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
