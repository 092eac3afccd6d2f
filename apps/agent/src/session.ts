// This host's standing with one console: not enrolled, enrolled, forgotten. Knows what the console has been told.
import { isDeepStrictEqual } from 'node:util';
import type { AgentFacts, AgentRegistration, AgentShipper } from '@quarterdeck/core';
import type { Logger } from 'pino';
import { changedFacts } from './changed-facts.ts';
import type { CollectFacts, Facts } from './facts/collect.ts';
import { isForgotten, isUnacceptable, reasonOf } from './failures.ts';
import type { LenientHeartbeatResponse } from './heartbeat-response.ts';
import type { Operations } from './operations/operations.ts';
import type { ServerApi } from './server-api.ts';
import { Enrolment } from './state.ts';
import type { StateStore } from './state-store.ts';
import { clampInterval, INTERVAL_DEFAULT_S } from './timing.ts';

/** What {@link createSession} needs. */
export interface SessionOptions {
  readonly serverApi: ServerApi;
  /** Address of the server. */
  readonly url: string;
  /** Address of the console; an enrolment with another one does not count. */
  readonly server: string;
  readonly enrollToken: string | undefined;
  /** Enrols in the place of another agent with this node id that is online. */
  readonly force?: boolean;
  readonly stateStore: StateStore;
  readonly collect: CollectFacts;
  readonly operations: Operations;
  /** What log shipping is at; undefined where no files are followed. */
  readonly shipper: () => AgentShipper | undefined;
  readonly log: Logger;
}

/** See the head of this file. */
export interface Session {
  /** Seconds between reports, as the console last said. */
  readonly intervalS: number;
  /** What this host is to the console; undefined where it is not enrolled. */
  readonly enrolment: Enrolment | undefined;
  /** Enrols or reports, whichever is next. Throws what the link throws; the next call starts over. */
  report(signal: AbortSignal): Promise<void>;
  /** Has the next report say everything, also what the console has been told. */
  reportAll(): void;
  /** Tells the console that this agent stops; false when there is no console that knows it. */
  shutdown(): Promise<boolean>;
}

/**
 * Seconds between two tellings of when the agent started. Copies of a host that share its secret differ in that, and say
 * nothing else once they run: it is how the server notices them.
 */
const REPORT_START_EVERY_S = 600;
// The first times may have their reasons; a host that is enrolled over and over has a twin.
const ENROLMENTS_BEFORE_WARNING = 3;

/** A session that begins with what the state file remembers. */
export function createSession(options: SessionOptions): Session {
  const { serverApi, url, server, enrollToken, stateStore, collect, operations, log } = options;
  const { node_id } = stateStore.state;
  let enrolment = stateStore.state.enrolment?.server === server ? stateStore.state.enrolment : undefined;
  /** What the console has; undefined when that is not certain. */
  let reported: Facts | undefined;
  /** How often everything had to be said anew: what is on its way when that happens does not count. */
  let fullReports = 0;
  let reportsSinceStart = 0;
  let repeatedEnrolments = 0;

  async function saveEnrolment(next: Enrolment): Promise<void> {
    const changed =
      next.interval !== enrolment?.interval || next.secret !== enrolment.secret || next.id !== enrolment.id;
    enrolment = next;
    if (changed || !stateStore.isSaved) await stateStore.update({ enrolment });
  }

  /** Sends `full`, and `bare` instead when the console cannot take it: an odd fact must not make a host disappear. */
  async function sendWithFallback<Body, Answer>(
    send: (body: Body) => Promise<Answer>,
    full: Body,
    bare: Body,
  ): Promise<Answer> {
    try {
      return await send(full);
    } catch (error) {
      if (!isUnacceptable(error)) throw error;
      const answer = await send(bare);
      log.warn(reasonOf(error), 'the server does not take these facts; going on without them');
      return answer;
    }
  }

  async function enroll(token: string, facts: Facts): Promise<number> {
    const register = (body: AgentRegistration) => serverApi.register(token, body);
    const as = { node_id, ...(options.force ? { force: true } : {}) };
    const answer = await sendWithFallback(register, { ...as, ...facts }, { ...as, hostname: facts.hostname });
    const { id, secret } = answer;
    const interval = clampInterval(answer.interval);
    const before = stateStore.state.enrolment;
    // Another server, or one with another database, counts its operations anew.
    if (before !== undefined && (before.id !== id || before.server !== server)) await operations.removeAll();
    await saveEnrolment(Enrolment.parse({ server, id, secret, interval, ...(url === server ? {} : { url }) }));
    reported = facts;
    return id;
  }

  async function enrollAgain(token: string, facts: Facts, why: unknown): Promise<void> {
    const id = await enroll(token, facts);
    log.warn({ id, ...reasonOf(why) }, 'enrolled again: the server did not know this agent any more');
    repeatedEnrolments += 1;
    if (repeatedEnrolments === ENROLMENTS_BEFORE_WARNING) {
      log.warn({ node_id }, 'enrolled again and again; a copy of this host may have the same machine id');
    }
  }

  /** What a report says beside the facts. */
  function statusFacts(): Pick<AgentFacts, 'shipper' | 'operations'> {
    const shipper = options.shipper();
    const reports = operations.reports();
    return {
      ...(shipper === undefined ? {} : { shipper }),
      ...(reports.length === 0 ? {} : { operations: reports }),
    };
  }

  async function heartbeat(as: Enrolment, facts: Facts, signal: AbortSignal): Promise<void> {
    const send = async (body: AgentFacts) => ({ body, response: await serverApi.heartbeat(as, body, signal) });
    reportsSinceStart += 1;
    const tellsStart = reportsSinceStart * as.interval >= REPORT_START_EVERY_S && facts.started !== undefined;
    const changed = changedFacts(reported, facts);
    const telling = fullReports;
    const full = { ...(tellsStart ? { started: facts.started } : {}), ...changed, ...statusFacts() };
    const { body, response } = await sendWithFallback(send, full, {});
    reported = telling === fullReports ? facts : undefined;
    if (body.started !== undefined) reportsSinceStart = 0;
    log.debug({ changed: Object.keys(changed) }, 'reported');
    await saveEnrolment({ ...as, interval: clampInterval(response.interval) });
    await operations.acknowledge(body.operations ?? []);
    await applyResponse(response);
  }

  async function applyResponse({ settings, operations: asked }: LenientHeartbeatResponse): Promise<void> {
    if (settings !== undefined && !isDeepStrictEqual(settings, stateStore.state.settings)) {
      log.info({ ...settings }, 'the server has other settings for this agent');
      await stateStore.update({ settings });
    }
    if (asked !== undefined && asked.length > 0) await operations.accept(asked);
  }

  /** All facts as they are now. */
  const currentFacts = async (): Promise<Facts> => ({
    ...(await collect()),
    ...stateStore.state.settings,
    progress: operations.progress(),
  });

  async function report(signal: AbortSignal): Promise<void> {
    const facts = await currentFacts();
    signal.throwIfAborted();
    if (enrolment === undefined) {
      if (enrollToken === undefined) throw new Error('neither enrolled nor able to enrol');
      const id = await enroll(enrollToken, facts);
      return log.info({ id, interval: session.intervalS }, 'enrolled');
    }
    try {
      await heartbeat(enrolment, facts, signal);
    } catch (error) {
      // A server that was away may come back with an older database.
      reported = undefined;
      if (enrollToken === undefined || !isForgotten(error)) throw error;
      // The old secret stays until there is a new one: the answer may have come from a server that is not itself today.
      await enrollAgain(enrollToken, facts, error);
    }
  }

  const session: Session = {
    get intervalS() {
      return enrolment?.interval ?? INTERVAL_DEFAULT_S;
    },
    get enrolment() {
      return enrolment;
    },
    report,
    reportAll() {
      reported = undefined;
      fullReports += 1;
    },
    async shutdown() {
      if (enrolment === undefined) return false;
      await serverApi.shutdown(enrolment);
      return true;
    },
  };
  return session;
}
