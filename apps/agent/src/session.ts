// Session of this host with one console: enrolls, sends heartbeats, and tracks the facts that the console has.
import { isDeepStrictEqual } from 'node:util';
import type { AgentFacts, AgentRegistration, AgentShipper, HostCertificate, HostChange } from '@quarterdeck/core';
import type { Logger } from 'pino';
import type { LenientHeartbeatResponse } from './api/heartbeat-response.ts';
import type { ServerApi } from './api/server-api.ts';
import type { CollectFacts, Facts } from './facts/collect.ts';
import type { ReadVitals } from './facts/vitals.ts';
import { Enrollment } from './files/state.ts';
import type { StateStore } from './files/state-store.ts';
import type { Operations } from './operations/operations.ts';
import { areFactsRejected, isIdentityRejected, reasonOf } from './process/failures.ts';
import { clampInterval, INTERVAL_DEFAULT_S } from './process/timing.ts';
import type { Changes } from './watch/change-store.ts';
import { readKey } from './watch/config/hash-key.ts';

/** Returns the facts to report: all when the server has none yet, else those that differ from `known`. */
export function changedFacts(known: Facts | undefined, now: Facts): Partial<Facts> {
  if (known === undefined) return now;
  const changed = Object.entries(now).filter(([name, value]) => !isDeepStrictEqual(value, known[name as keyof Facts]));
  return Object.fromEntries(changed);
}

export interface SessionOptions {
  readonly serverApi: ServerApi;
  /** Address of the server. */
  readonly url: string;
  /** Address of the console; an enrollment at another console does not count. */
  readonly server: string;
  readonly enrollToken: string | undefined;
  /** Replaces an online agent with the same node id. */
  readonly force?: boolean;
  readonly stateStore: StateStore;
  readonly collect: CollectFacts;
  readonly operations: Operations;
  /** State of log shipping; undefined when no files are followed. */
  readonly shipper: () => AgentShipper | undefined;
  /** Changes of this host; undefined when nothing is watched. */
  readonly changes?: Changes | undefined;
  /** Certificates of this host; undefined while they are not known. */
  readonly certificates?: (() => HostCertificate[] | undefined) | undefined;
  /** Reads how busy this host is; undefined where that is not reported. */
  readonly vitals?: ReadVitals | undefined;
  /** True where files are hashed: the session then asks for the key of the installation. */
  readonly hashesFiles?: boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

export interface Session {
  /** Seconds between reports, as the console last requested. */
  readonly intervalS: number;
  /** Enrollment at the console; undefined when this host is not enrolled. */
  readonly enrollment: Enrollment | undefined;
  /** Enrolls or reports. Throws the errors of the SDK; the next call starts over. */
  report(signal: AbortSignal): Promise<void>;
  /** Makes the next report send all facts, including those the console has. */
  reportAll(): void;
  /** Tells the console that this agent stops; false when no console knows it. */
  shutdown(): Promise<boolean>;
}

/**
 * Seconds between two reports of the agent's start time. Copies of a host that share its secret differ in it alone, so
 * the server detects them by it.
 */
const REPORT_START_EVERY_S = 600;
// The first repetitions may have other reasons; a host that enrolls again and again has a copy.
const ENROLLMENTS_BEFORE_WARNING = 3;

const minuteOf = (ms: number): number => Math.floor(ms / 60_000);

/** Creates a session that continues from the state file. */
export function createSession(options: SessionOptions): Session {
  const { serverApi, url, server, enrollToken, stateStore, collect, operations, now, log } = options;
  const { node_id } = stateStore.state;
  let enrollment = stateStore.state.enrollment?.server === server ? stateStore.state.enrollment : undefined;
  /** Facts that the console has; undefined when uncertain. */
  let reported: Facts | undefined;
  /** Certificates that the console has; undefined when uncertain. */
  let reportedCertificates: readonly HostCertificate[] | undefined;
  /** Minute whose vitals the console has: it keeps those of the first report of a minute. */
  let vitalsMinute: number | undefined;
  /** Name of the hash key that the console knows to be in use; undefined when uncertain. */
  let reportedKeyId: string | undefined;
  /** Number of requests for a full report. A heartbeat that was under way at such a request does not count as one. */
  let fullReports = 0;
  let reportsSinceStart = 0;
  let repeatedEnrollments = 0;

  async function saveEnrollment(next: Enrollment): Promise<void> {
    const changed =
      next.interval !== enrollment?.interval || next.secret !== enrollment.secret || next.id !== enrollment.id;
    enrollment = next;
    if (changed || !stateStore.isSaved) await stateStore.update({ enrollment });
  }

  /** Sends `full`, or `bare` when the console cannot accept it: an odd fact must not hide a host. */
  async function sendWithFallback<Body, Answer>(
    send: (body: Body) => Promise<Answer>,
    full: Body,
    bare: Body,
  ): Promise<Answer> {
    try {
      return await send(full);
    } catch (error) {
      if (!areFactsRejected(error)) throw error;
      const answer = await send(bare);
      log.warn(reasonOf(error), 'the server rejects these facts; continuing without them');
      return answer;
    }
  }

  async function enroll(token: string, facts: Facts): Promise<number> {
    const register = (body: AgentRegistration) => serverApi.register(token, body);
    const as = { node_id, ...(options.force ? { force: true } : {}) };
    const answer = await sendWithFallback(register, { ...as, ...facts }, { ...as, hostname: facts.hostname });
    const { id, secret } = answer;
    const interval = clampInterval(answer.interval);
    const before = stateStore.state.enrollment;
    // Another server, or a new database, numbers its operations from 1.
    if (before !== undefined && (before.id !== id || before.server !== server)) await operations.removeAll();
    await saveEnrollment(Enrollment.parse({ server, id, secret, interval, ...(url === server ? {} : { url }) }));
    reported = facts;
    reportedCertificates = undefined;
    reportedKeyId = undefined;
    return id;
  }

  async function enrollAgain(token: string, facts: Facts, why: unknown): Promise<void> {
    const id = await enroll(token, facts);
    log.warn({ id, ...reasonOf(why) }, 'enrolled again: the server no longer knew this agent');
    repeatedEnrollments += 1;
    if (repeatedEnrollments === ENROLLMENTS_BEFORE_WARNING) {
      log.warn(
        { node_id },
        'enrolled repeatedly; a copy of this host may have the same machine id: give it another one',
      );
    }
  }

  /** Status of the host in a minute, of shipping and of operations, sent beside the facts. */
  async function statusFacts(minute: number): Promise<Pick<AgentFacts, 'shipper' | 'operations' | 'vitals'>> {
    const vitals = minute === vitalsMinute ? undefined : await options.vitals?.();
    const shipper = options.shipper();
    const reports = operations.reports();
    return {
      ...(vitals === undefined ? {} : { vitals }),
      ...(shipper === undefined ? {} : { shipper }),
      ...(reports.length === 0 ? {} : { operations: reports }),
    };
  }

  /** Sends changes beside other news. Changes that the server refuses must not keep the news from it. */
  async function sendWithChanges<Answer>(
    send: (body: AgentFacts) => Promise<Answer>,
    news: AgentFacts,
    changes: HostChange[],
  ): Promise<Answer> {
    if (changes.length === 0) return sendWithFallback(send, news, {});
    try {
      return await sendWithFallback(send, { ...news, changes }, { changes });
    } catch (error) {
      if (!areFactsRejected(error)) throw error;
      await options.changes?.reject(changes);
      return sendWithFallback(send, news, {});
    }
  }

  async function heartbeat(as: Enrollment, facts: Facts, signal: AbortSignal): Promise<void> {
    const send = async (body: AgentFacts) => ({ body, response: await serverApi.heartbeat(as, body, signal) });
    reportsSinceStart += 1;
    const includesStart = reportsSinceStart * as.interval >= REPORT_START_EVERY_S && facts.started !== undefined;
    const changed = changedFacts(reported, facts);
    const requestedBefore = fullReports;
    const minute = minuteOf(now());
    const certificates = options.certificates?.();
    const keyId = options.hashesFiles ? (readKey(stateStore.state.hash_key ?? '')?.id ?? '') : undefined;
    const hasCertificates = certificates !== undefined && !isDeepStrictEqual(certificates, reportedCertificates);
    const news = {
      ...(includesStart ? { started: facts.started } : {}),
      ...changed,
      ...(hasCertificates ? { certificates } : {}),
      ...(keyId === undefined || keyId === reportedKeyId ? {} : { hash_key: keyId }),
      ...(await statusFacts(minute)),
    };
    const { body, response } = await sendWithChanges(send, news, options.changes?.next() ?? []);
    const isCertain = requestedBefore === fullReports;
    reported = isCertain ? facts : undefined;
    reportedCertificates = isCertain ? certificates : undefined;
    reportedKeyId = isCertain ? keyId : undefined;
    if (body.started !== undefined) reportsSinceStart = 0;
    if (body.vitals !== undefined) vitalsMinute = minute;
    log.debug({ changed: Object.keys(changed) }, 'reported');
    await saveEnrollment({ ...as, interval: clampInterval(response.interval) });
    await operations.acknowledge(body.operations ?? []);
    await options.changes?.acknowledge(body.changes ?? [], response.changes_stored);
    await applyResponse(response);
  }

  async function applyResponse({ settings, operations: asked, hash_key }: LenientHeartbeatResponse): Promise<void> {
    if (hash_key !== undefined) await stateStore.update({ hash_key });
    if (settings !== undefined && !isDeepStrictEqual(settings, stateStore.state.settings)) {
      log.info({ ...settings }, 'the server changed the settings of this agent');
      await stateStore.update({ settings });
    }
    if (asked !== undefined && asked.length > 0) await operations.accept(asked);
  }

  /** Reads all current facts. */
  const currentFacts = async (): Promise<Facts> => ({
    ...(await collect()),
    ...stateStore.state.settings,
    progress: operations.progress(),
  });

  async function report(signal: AbortSignal): Promise<void> {
    const facts = await currentFacts();
    signal.throwIfAborted();
    if (enrollment === undefined) {
      if (enrollToken === undefined) throw new Error('neither enrolled nor able to enroll');
      const id = await enroll(enrollToken, facts);
      return log.info({ id, interval: session.intervalS }, 'enrolled');
    }
    try {
      await heartbeat(enrollment, facts, signal);
    } catch (error) {
      // A server may come back with an older database.
      reported = undefined;
      reportedCertificates = undefined;
      reportedKeyId = undefined;
      if (enrollToken === undefined || !isIdentityRejected(error)) throw error;
      // Keeps the old secret until there is a new one: the refusal may come from a server in a temporary wrong state.
      await enrollAgain(enrollToken, facts, error);
    }
  }

  const session: Session = {
    get intervalS() {
      return enrollment?.interval ?? INTERVAL_DEFAULT_S;
    },
    get enrollment() {
      return enrollment;
    },
    report,
    reportAll() {
      reported = undefined;
      reportedCertificates = undefined;
      reportedKeyId = undefined;
      fullReports += 1;
    },
    async shutdown() {
      if (enrollment === undefined) return false;
      await serverApi.shutdown(enrollment);
      return true;
    },
  };
  return session;
}
