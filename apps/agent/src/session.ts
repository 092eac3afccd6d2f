// This host's standing with one console: not enrolled, enrolled, forgotten. Knows what the console has been told.
import { isDeepStrictEqual } from 'node:util';
import type { AgentFacts, AgentRegistration, AgentShipper } from '@quarterdeck/core';
import type { Logger } from 'pino';
import { changedFacts } from './changes.ts';
import type { CollectFacts, Facts } from './facts/collect.ts';
import { isForgotten, isUnacceptable, reasonOf } from './failures.ts';
import type { LenientHeartbeatResponse } from './heartbeat-response.ts';
import type { Operations } from './operations/operations.ts';
import { acceptedInterval, INTERVAL_DEFAULT_S } from './pace.ts';
import type { ServerApi } from './server-api.ts';
import { Enrolment } from './state.ts';
import type { StateKeeper } from './state-keeper.ts';

/** What {@link createSession} needs. */
export interface SessionOptions {
  readonly link: ServerApi;
  /** Address of the server. */
  readonly url: string;
  /** Address of the console; an enrolment with another one does not count. */
  readonly server: string;
  readonly enrollToken: string | undefined;
  /** Enrols in the place of another agent with this node id that is online. */
  readonly force?: boolean;
  readonly keeper: StateKeeper;
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
  tellAll(): void;
  /** Tells the console that this agent stops; false when there is no console that knows it. */
  goodbye(): Promise<boolean>;
}

/**
 * Seconds between two tellings of when the agent started. Copies of a host that share its secret differ in that, and say
 * nothing else once they run: it is how the server notices them.
 */
const START_TOLD_EVERY_S = 600;
// The first times may have their reasons; a host that is enrolled over and over has a twin.
const TWIN_SUSPECTED_AFTER = 3;

/** A session that begins with what the state file remembers. */
export function createSession(options: SessionOptions): Session {
  const { link, url, server, enrollToken, keeper, collect, operations, log } = options;
  const { node_id } = keeper.state;
  let enrolment = keeper.state.enrolment?.server === server ? keeper.state.enrolment : undefined;
  /** What the console has; undefined when that is not certain. */
  let known: Facts | undefined;
  /** How often everything had to be said anew: what is on its way when that happens does not count. */
  let tellings = 0;
  let reportsSinceStart = 0;
  let enrolledAgain = 0;

  async function keep(next: Enrolment): Promise<void> {
    const changed =
      next.interval !== enrolment?.interval || next.secret !== enrolment.secret || next.id !== enrolment.id;
    enrolment = next;
    if (changed || !keeper.isSaved) await keeper.update({ enrolment });
  }

  /** Sends `full`, and `bare` instead when the console cannot take it: an odd fact must not make a host disappear. */
  async function withBare<Body, Answer>(
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
    const register = (body: AgentRegistration) => link.register(token, body);
    const as = { node_id, ...(options.force ? { force: true } : {}) };
    const answer = await withBare(register, { ...as, ...facts }, { ...as, hostname: facts.hostname });
    const { id, secret } = answer;
    const interval = acceptedInterval(answer.interval);
    const before = keeper.state.enrolment;
    // Another server, or one with another database, counts its operations anew.
    if (before !== undefined && (before.id !== id || before.server !== server)) await operations.forget();
    await keep(Enrolment.parse({ server, id, secret, interval, ...(url === server ? {} : { url }) }));
    known = facts;
    return id;
  }

  async function enrollAgain(token: string, facts: Facts, why: unknown): Promise<void> {
    const id = await enroll(token, facts);
    log.warn({ id, ...reasonOf(why) }, 'enrolled again: the server did not know this agent any more');
    enrolledAgain += 1;
    if (enrolledAgain === TWIN_SUSPECTED_AFTER) {
      log.warn({ node_id }, 'enrolled again and again; a copy of this host may have the same machine id');
    }
  }

  /** What a report says beside the facts. */
  function standing(): Pick<AgentFacts, 'shipper' | 'operations'> {
    const shipper = options.shipper();
    const reports = operations.reports();
    return {
      ...(shipper === undefined ? {} : { shipper }),
      ...(reports.length === 0 ? {} : { operations: reports }),
    };
  }

  async function heartbeat(as: Enrolment, facts: Facts, signal: AbortSignal): Promise<void> {
    const send = async (body: AgentFacts) => ({ body, orders: await link.heartbeat(as, body, signal) });
    reportsSinceStart += 1;
    const tellsStart = reportsSinceStart * as.interval >= START_TOLD_EVERY_S && facts.started !== undefined;
    const changed = changedFacts(known, facts);
    const telling = tellings;
    const full = { ...(tellsStart ? { started: facts.started } : {}), ...changed, ...standing() };
    const { body, orders } = await withBare(send, full, {});
    known = telling === tellings ? facts : undefined;
    if (body.started !== undefined) reportsSinceStart = 0;
    log.debug({ changed: Object.keys(changed) }, 'reported');
    await keep({ ...as, interval: acceptedInterval(orders.interval) });
    await operations.acknowledge(body.operations ?? []);
    await applyResponse(orders);
  }

  async function applyResponse({ settings, operations: asked }: LenientHeartbeatResponse): Promise<void> {
    if (settings !== undefined && !isDeepStrictEqual(settings, keeper.state.settings)) {
      log.info({ ...settings }, 'the server has other settings for this agent');
      await keeper.update({ settings });
    }
    if (asked !== undefined && asked.length > 0) await operations.take(asked);
  }

  /** All facts as they are now. */
  const gather = async (): Promise<Facts> => ({
    ...(await collect()),
    ...keeper.state.settings,
    progress: operations.progress(),
  });

  async function report(signal: AbortSignal): Promise<void> {
    const facts = await gather();
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
      known = undefined;
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
    tellAll() {
      known = undefined;
      tellings += 1;
    },
    async goodbye() {
      if (enrolment === undefined) return false;
      await link.shutdown(enrolment);
      return true;
    },
  };
  return session;
}
